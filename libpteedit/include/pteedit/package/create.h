// Making a release of programs and their data files: what goes into it, and the manifest once their hashes are known.
#ifndef PTEEDIT_PACKAGE_CREATE_H_
#define PTEEDIT_PACKAGE_CREATE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pteedit/export.h"
#include "pteedit/package/manifest.h"
#include "pteedit/planned_file.h"
#include "pteedit/program_set.h"
#include "pteedit/requirements.h"
#include "pteedit/result.h"
#include "pteedit/source.h"

namespace pteedit {

inline constexpr char kChecksumsName[] = "SHA256SUMS";

struct VariantInput {
  std::string name;
  std::map<std::string, std::string> labels;  // beside and before those that the program tells
  ProgramSet files;
};

struct IncludedInput {
  std::string name;  // what it is to the application: "tokenizer"
  std::shared_ptr<const Source> file;
};

// Each file once, however many variants have it.
struct ReleasePlan {
  struct Member {
    std::shared_ptr<const Source> source;
    std::string extension;  // "pte"
    bool is_program = false;
    std::string name;  // of an included one
  };
  struct Variant {
    std::string name;
    std::map<std::string, std::string> labels;
    std::vector<size_t> members;            // the program, then data files that a loader has to take
    Requirements needs;                     // of the program with its data files
    std::vector<std::string> targets = {};  // that it was held against and that lack nothing, by name
  };
  struct Shard {
    size_t member = 0;
    std::vector<std::string> keys;
  };
  std::vector<Member> members;
  std::vector<std::vector<Shard>> indexes;  // of data files that were cut: shards in order, of which an index is made
  std::vector<Variant> variants;            // by name
};

// Looks at the programs: labels ("backend", and what blobs and compile specs tell of their target) and the oldest
// runtime. Fails with kInvalidArgument where names meet or cannot be had, with kMalformed where verification finds
// errors in a program with its data files, with kUnsupported where one lacks data.
PTEEDIT_API Result<ReleasePlan> PlanRelease(const std::vector<VariantInput>& variants,
                                            const std::vector<IncludedInput>& included);

// Of each member, read once: for a dry run.
PTEEDIT_API Result<std::vector<std::string>> HashMembers(const ReleasePlan& plan);

struct NamedRelease {
  Manifest manifest;
  std::vector<std::string> names;              // of each member
  std::map<std::string, std::string> indexes;  // their texts, by name
};

// `sha256` is that of each member. A data file is shared where variants with it are several. Fails with
// kInvalidArgument in the unlikely case that different contents get the same name.
PTEEDIT_API Result<NamedRelease> NameRelease(const ReleasePlan& plan, const std::vector<std::string>& sha256);

inline constexpr char kOverPackSize[] = "over-pack-size";  // the finding of a file that no pack can hold

struct ReleaseOptions {
  bool replace = false;                     // add to a release that is there; only its manifest is replaced
  bool dry_run = false;                     // writes nothing and compresses nothing
  std::optional<int> compress_level = {};   // of zstd, for each file also as a frame, where that saves anything
  unsigned threads = 1;                     // for that; same release with any number
  std::optional<uint64_t> pack_bytes = {};  // cut into packs of at most so many bytes
  // Called now and then with the bytes done so far, and their sum, of copying and of compressing. False stops: nothing
  // is left behind.
  std::function<bool(uint64_t done, uint64_t total)> progress = {};
};

// Writes all files, then the manifest, into `folder`. `inputs` are what was read for it, none of which may be an
// output. A folder that is not there appears with all in it; else files appear one after the other, and one that is
// there already stays. Fails as NameRelease and WriteFiles do, and with kMalformed where a file that is there holds
// other bytes than its name says, and with kInvalidArgument where the level is none or a file is over `pack_bytes`;
// nothing is written then.
PTEEDIT_API Result<Manifest> WriteRelease(const ReleasePlan& plan, const std::string& folder,
                                          const std::vector<std::string>& inputs, const ReleaseOptions& options);

// What `sha256sum -c` takes: all files and the manifest.
PTEEDIT_API std::string ChecksumList(const Manifest& manifest);

}  // namespace pteedit

#endif  // PTEEDIT_PACKAGE_CREATE_H_
