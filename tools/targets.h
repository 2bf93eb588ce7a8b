// Targets as options name them, and how much they lack in words.
#ifndef PTEEDIT_TOOLS_TARGETS_H_
#define PTEEDIT_TOOLS_TARGETS_H_

#include <string>
#include <vector>

#include "pteedit/result.h"
#include "pteedit/target.h"

namespace pteedit::cli {

// `option` is what the offers were given with: executorch-X.Y, files of a build with commas between them, a device,
// soc=SM8650,ram=6GB, or a release and a device, executorch-X.Y,ram=6GB.
Result<std::vector<Target>> FindTargets(const char* option, const std::vector<std::string>& offers);

// The files that offers name.
std::vector<std::string> FilesOfTargets(const std::vector<std::string>& offers);

// "executorch-0.5 lacks 3 of what it needs".
std::string VerdictOf(const Target& target, const std::vector<RuntimeNeed>& missing);

}  // namespace pteedit::cli

#endif  // PTEEDIT_TOOLS_TARGETS_H_
