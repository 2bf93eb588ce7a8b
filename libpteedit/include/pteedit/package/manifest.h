// The manifest of a release: its files, which are called by what is in them, which of them make up each variant, and,
// where it is a delta, what an older release has of them already. The file manifest.json in the release's folder.
#ifndef PTEEDIT_PACKAGE_MANIFEST_H_
#define PTEEDIT_PACKAGE_MANIFEST_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pteedit/bytes.h"
#include "pteedit/export.h"
#include "pteedit/result.h"
#include "pteedit/source.h"

namespace pteedit {

inline constexpr char kManifestName[] = "manifest.json";
inline constexpr int kMinPackLevel = 1, kMaxPackLevel = 22;  // of zstd

enum class FileRole {
  kProgram,
  kShared,    // a data file of several variants
  kVariant,   // a data file of one
  kIndex,     // says which shard of a data file has a key
  kIncluded,  // what comes with all variants: a tokenizer
  kDelta,     // new bytes of a file, in a delta
};

// "program", "shared", "variant", "index", "included", "delta".
PTEEDIT_API const char* RoleName(FileRole role);

struct CompressedFile {
  std::string file;
  uint64_t bytes = 0;
  std::string sha256;
};

struct ReleaseFile {
  std::string file;  // see ReleaseFileName
  FileRole role = FileRole::kProgram;
  std::string name;  // of an included file, what it is to the application: "tokenizer"; else empty
  uint64_t bytes = 0;
  std::string sha256;                        // 64 lower-case digits, as all that are called so
  std::optional<CompressedFile> compressed;  // the same bytes as zstd frames, in a file beside it
};

struct ReleaseVariant {
  std::string name;
  std::map<std::string, std::string> labels;
  std::vector<std::string> files;         // the program, its data files as a loader takes them, then all others
  uint64_t download_bytes = 0;            // of all files, compressed where they are
  uint64_t installed_bytes = 0;           // of all files
  uint64_t largest_file_bytes = 0;        // of what is downloaded
  std::string min_runtime;                // the oldest release of ExecuTorch that can load it
  uint64_t data_files = 0;                // how many of the files a loader has to take beside the program
  std::vector<std::string> packs = {};    // those with its files, where the release is cut into packs
  std::vector<std::string> targets = {};  // that have what it needs, see Target::name
};

// Files that go to a store as one.
struct ReleasePack {
  std::string name;
  uint64_t bytes = 0;  // of its files
  std::vector<std::string> files;
};

struct ReleaseBase {
  std::string file;
  std::string sha256;
};

// Old bytes that packed ones refer to.
struct DeltaDictionary {
  std::string file;  // of the older release
  Extent place;
};

// So many bytes of a file of the older release, or of one that comes with the delta.
struct DeltaOperation {
  bool is_copy = false;  // else taken from the delta
  std::string file;
  Extent place;
  // Where what is taken is zstd frames: what they unpack to, and, where it is one frame, what it refers to.
  std::optional<uint64_t> unpacked_bytes = {};
  std::optional<DeltaDictionary> dictionary = {};
};

// How the older release and the delta give a file, or the new manifest, from its first byte to its last.
struct DeltaFile {
  std::string file;
  std::string sha256;
  std::vector<DeltaOperation> operations;
};

// Of a delta, which has no variants, and lists only its own files.
struct ManifestDelta {
  std::string from;              // Manifest::release of the older one
  std::vector<DeltaFile> files;  // without those that the older release has
};

struct Manifest {
  std::string release;             // see ReleaseId
  std::vector<ReleaseFile> files;  // in the order of their names
  std::vector<ReleaseVariant> variants;
  std::vector<ReleaseBase> bases;  // the data files that programs of several variants rest on
  std::vector<ReleasePack> packs;  // each file of a variant in one; or none at all
  std::optional<ManifestDelta> delta;

  // Null where there is none.
  PTEEDIT_API const ReleaseFile* Find(std::string_view file) const;
  PTEEDIT_API const ReleaseVariant* FindVariant(std::string_view name) const;
};

// "shared-0123456789ab.ptd": how a file with these contents is called for ever.
PTEEDIT_API std::string ReleaseFileName(FileRole role, const std::string& sha256, const std::string& extension);

// Whether a file is called as ReleaseFileName calls one.
PTEEDIT_API bool IsReleaseFileName(std::string_view name);

// The same of a file that ApplyDelta has begun and not ended: ".shared-0123456789ab.ptd.partial".
PTEEDIT_API bool IsPartialFileName(std::string_view name);

// Whether a file may be called so wherever a release may lie: a name alone, of letters, digits, dots, underscores and
// hyphens, that begins with one of the first two and has at most 255 of them.
PTEEDIT_API bool IsPortableName(std::string_view name);

// Whether any file is there compressed, too.
PTEEDIT_API bool HasCompressed(const Manifest& manifest);

// The same release without second, compressed forms of its files, as a device has it.
PTEEDIT_API Manifest WithoutCompressed(Manifest manifest);

// What tells this release from every other: the SHA-256 of what ManifestText gives of it without compressed files, its
// own name and delta.
PTEEDIT_API std::string ReleaseId(const Manifest& manifest);

// Puts the files in order, and fills in the sums of each variant and the release.
PTEEDIT_API void FinishManifest(Manifest& manifest);

// As it is written: the same text for the same manifest.
PTEEDIT_API std::string ManifestText(const Manifest& manifest);

// Reads and checks: each name is what its role and hash make of it and so leads nowhere else, none occurs twice, what
// variants name is there, and their sums are right. How the operations of a delta fit files is not looked at. Fails
// with kMalformed, with kUnsupported where the major version is unknown or there is more than 16 MiB or 500,000 values
// of it.
PTEEDIT_API Result<Manifest> ReadManifest(const Source& source);

}  // namespace pteedit

#endif  // PTEEDIT_PACKAGE_MANIFEST_H_
