// What releases of the runtime do with a file that has a finding, where that changed with a release, and what they lack
// of what a program needs, as findings. docs/security-cases.md tells the faults.
#ifndef PTEEDIT_MENDED_H_
#define PTEEDIT_MENDED_H_

#include <string>
#include <vector>

#include "pteedit/export.h"
#include "pteedit/finding.h"
#include "pteedit/requirements.h"
#include "pteedit/target.h"

namespace pteedit {

// "executorch-1.2 reads behind the blob, mended in 1.3"; empty where all releases do the same, or nobody knows.
PTEEDIT_API std::string BehaviourOf(const Target& runtime, const Finding& finding);

// What the release lacks of the needs, see CompareWith: an error "runtime-lacks" each, which is no damage of the
// program.
PTEEDIT_API std::vector<Finding> FindMissing(const Target& runtime, const Requirements& needs);

}  // namespace pteedit

#endif  // PTEEDIT_MENDED_H_
