// What releases of the runtime do with a file that has a finding, where that changed with a release.
// docs/security-cases.md tells the faults.
#ifndef PTEEDIT_MENDED_H_
#define PTEEDIT_MENDED_H_

#include <string>

#include "pteedit/export.h"
#include "pteedit/finding.h"
#include "pteedit/target.h"

namespace pteedit {

// "executorch-1.2 reads behind the blob, mended in 1.3"; empty where all releases do the same, or nobody knows.
PTEEDIT_API std::string BehaviourOf(const Target& runtime, const Finding& finding);

}  // namespace pteedit

#endif  // PTEEDIT_MENDED_H_
