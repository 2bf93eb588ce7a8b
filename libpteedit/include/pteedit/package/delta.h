// What changed from one release to the next, small enough to send, and how a device that has the one gets the other. A
// delta is a folder: a manifest, which says for each new file what of the old files and of the delta's own it is made
// of, in order, and a file with new bytes for each of those that needs some. It can be applied with `dd` and `zstd`
// alone.
#ifndef PTEEDIT_PACKAGE_DELTA_H_
#define PTEEDIT_PACKAGE_DELTA_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "pteedit/export.h"
#include "pteedit/result.h"

namespace pteedit {

inline constexpr int kDefaultDeltaLevel = 9;  // of zstd

struct DeltaOptions {
  int level = kDefaultDeltaLevel;
  unsigned threads = 1;  // same delta with any number; each takes some 50 MiB
  bool replace = false;  // an existing folder of a delta; otherwise it is an error
  bool dry_run = false;  // writes nothing that stays
  // Called now and then with the bytes of old and new files looked at so far, and their sum. False stops: nothing is
  // left behind.
  std::function<bool(uint64_t done, uint64_t total)> progress;
};

// A new file that the old release does not have.
struct DeltaFileReport {
  std::string file;
  uint64_t bytes = 0;         // of the new file
  uint64_t copied_bytes = 0;  // of these, what old files have
  uint64_t delta_bytes = 0;   // what the delta has for the others
};

struct DeltaReport {
  std::string from, to;         // the releases
  uint64_t release_bytes = 0;   // of all files of the new one
  uint64_t manifest_bytes = 0;  // of the delta's manifest
  uint64_t delta_bytes = 0;     // of all of its files, the manifest too
  std::vector<DeltaFileReport> files;
};

// Writes to the folder `delta` what is new in the release `to` against `from`, both folders. The files that it reads
// are compared with what the manifests say of them, and the delta with the new files before it takes its place. Fails
// with kMalformed where a file is other than its manifest says, with kExists where the folder is there already, kIo.
PTEEDIT_API Result<DeltaReport> CreateDelta(const std::string& from, const std::string& to, const std::string& delta,
                                            const DeltaOptions& options);

struct ApplyOptions {
  bool replace = false;  // the manifest of another release in the folder; otherwise it is an error
  bool dry_run = false;  // writes nothing, and reads no more of old files than their sizes
  // Called now and then with the bytes that are done and the sum of all files. False stops; what was made stays for the
  // next try.
  std::function<bool(uint64_t done, uint64_t total)> progress;
};

enum class ApplyStep {
  kKept,    // was there already
  kLinked,  // another name for the old release's file
  kCopied,  // as the old release's file, where the file system has no second names
  kMade,    // of old bytes and the delta's
};
// "kept", "linked", "copied", "made".
PTEEDIT_API const char* ApplyStepName(ApplyStep step);

struct AppliedFile {
  std::string file;
  uint64_t bytes = 0;
  ApplyStep step = ApplyStep::kMade;
};

struct ApplyReport {
  std::string from, to;  // the releases
  std::vector<AppliedFile> files;
};

// Makes of the release in the folder `from` and the delta the release in the folder `to`, which may be the same one
// with `replace`. Each file gets its name only when its SHA-256 is right, and the manifest comes last, so whatever
// happens before that, even that the process is killed, `from` is whole and `to` is no release yet; applying again
// keeps the files that are there, and of one that was being made (".NAME.partial") writes only what lacks. Memory does
// not depend on the size of files: at most 4 MiB of a dictionary and 4 MiB of buffers are held beside the manifests.
// Fails with kInvalidArgument where the delta is not for this release, kMalformed where old files or the delta are not
// as their manifests say (then nothing is left in `to` of this run), kExists, kIo.
PTEEDIT_API Result<ApplyReport> ApplyDelta(const std::string& delta, const std::string& from, const std::string& to,
                                           const ApplyOptions& options);

}  // namespace pteedit

#endif  // PTEEDIT_PACKAGE_DELTA_H_
