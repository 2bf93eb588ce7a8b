// Whether what runs a program has what it needs.
#ifndef PTEEDIT_TARGET_H_
#define PTEEDIT_TARGET_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pteedit/delegate_metadata.h"
#include "pteedit/export.h"
#include "pteedit/requirements.h"
#include "pteedit/result.h"
#include "pteedit/source.h"

namespace pteedit {

struct TargetKernel {
  std::string name;                                // "aten::add.out"; of all overloads "aten::add.*"
  std::optional<std::vector<std::string>> dtypes;  // that it was built for, "float32"; nothing where all of its own
};

struct TargetDevice {
  std::vector<BlobFact> parts;         // see DeviceParts(): "soc", "SM8650"
  std::optional<uint64_t> ram_bytes;   // for a program
  std::optional<uint64_t> data_files;  // that its loader takes; of a release, that `Module` can be given
};

// What a device can be said to have, beside memory and data files: "soc", "os". Blobs are compiled for them.
PTEEDIT_API std::vector<std::string> DeviceParts();

// kInvalidArgument where it has another part than these, or one that no blob could be held against.
PTEEDIT_API Status CheckDevice(const TargetDevice& device);

// A release of ExecuTorch, a build of one's own, a device, or more than one of these at once. What is not told is not
// held against a program.
struct Target {
  std::string name;                                  // "executorch-1.2", or the file that tells of it
  std::string release;                               // "1.2"; kernels and backends are those that come with it, where
  std::optional<std::vector<TargetKernel>> kernels;  // these, by name,
  std::optional<std::vector<std::string>> backends;  // and these are not told
  bool is_guess = false;                             // of a library, whose texts look like these names
  TargetDevice device;
};

// What releases are called as targets: "executorch-1.2", or one of its patches "executorch-1.2.1", and their packages
// for phones "executorch-1.2-android", "-android-qnn", "-android-vulkan" and "-ios".
inline constexpr char kReleaseTarget[] = "executorch-";
PTEEDIT_API bool NamesRelease(std::string_view offer);

// Fails with kInvalidArgument where `offer` is none of these, or of a release that is not known, or not of a package. A
// package has lists of its own, that for iOS those of all its libraries.
PTEEDIT_API Result<Target> FindTarget(std::string_view offer);

// A build, of one or several parts that are linked together: the listing of a selective build
// (selected_operators.yaml), a library or executable of any system, whose texts are looked through, or the JSON that
// TargetText() writes, see docs/schemas/target.schema.json. Of what several parts tell, the first one's counts. Fails
// with kMalformed where one is none of these, kUnsupported where libraries have no such names.
PTEEDIT_API Result<Target> ReadTarget(const std::vector<std::shared_ptr<const Source>>& parts);

// As JSON.
PTEEDIT_API std::string TargetText(const Target& target);

// What of the needs the target has not. The `release` of each is the first that has it, empty where none does or that
// is not what it lacks.
PTEEDIT_API std::vector<RuntimeNeed> CompareWith(const Target& target, const Requirements& needs);

// "named data: since 0.6"; without the release where there is none or `what` tells the last one.
PTEEDIT_API std::string WordsOf(const RuntimeNeed& need);

}  // namespace pteedit

#endif  // PTEEDIT_TARGET_H_
