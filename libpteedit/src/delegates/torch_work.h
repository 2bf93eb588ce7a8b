// The work of torch's operators and of those that ExecuTorch adds to them, by name; see delegates/work_rules.h.
#ifndef PTEEDIT_SRC_DELEGATES_TORCH_WORK_H_
#define PTEEDIT_SRC_DELEGATES_TORCH_WORK_H_

#include <optional>
#include <string_view>

#include "delegates/work_rules.h"

namespace pteedit {

// Of "aten.addmm", without overload, whose arguments come as in its schema. Nothing where nobody looked at it, which
// for kernels of the runtime's own libraries means that it moves whole tensors and has no MACs.
std::optional<WorkRule> TorchWorkRule(std::string_view name);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_DELEGATES_TORCH_WORK_H_
