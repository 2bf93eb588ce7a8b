// Whether a runtime has what a program needs.
#ifndef PTEEDIT_TARGET_H_
#define PTEEDIT_TARGET_H_

#include <string>
#include <string_view>
#include <vector>

#include "pteedit/export.h"
#include "pteedit/requirements.h"
#include "pteedit/result.h"

namespace pteedit {

// A release of ExecuTorch with all kernels and backends that come with it.
struct Target {
  std::string name;  // "executorch-1.2"
  int major = 0, minor = 0;
};

struct MissingNeed {
  std::string what;     // "XNNPACK node 'Tanh'"
  std::string release;  // the first that has it: "0.7"; empty where none does
  std::string last;     // and the last, which `what` tells too; empty where that is the newest
};

// Fails with kInvalidArgument where `offer` is not "executorch-X.Y" of a release from 0.1 to the newest known one.
PTEEDIT_API Result<Target> FindTarget(std::string_view offer);

// What of the needs the target has not: newest first, then what no release has.
PTEEDIT_API std::vector<MissingNeed> CompareWith(const Target& target, const Requirements& needs);

}  // namespace pteedit

#endif  // PTEEDIT_TARGET_H_
