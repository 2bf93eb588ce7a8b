// What calls of kernels compute and move; see pteedit/operator_work.h.
#ifndef PTEEDIT_SRC_INSPECT_KERNEL_WORK_H_
#define PTEEDIT_SRC_INSPECT_KERNEL_WORK_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "delegates/work_rules.h"
#include "program/schema.h"

namespace pteedit {

// Measures the calls of one method, which are all of the same values.
class KernelWork {
 public:
  explicit KernelWork(const schema::ExecutionPlan& plan);

  OperatorWork Of(const schema::KernelCall& call);
  const WorkValue& At(uint32_t index);

 private:
  WorkValue Read(uint32_t index) const;

  const schema::ExecutionPlan& plan_;
  const flatbuffers::Vector<flatbuffers::Offset<schema::EValue>>& values_;
  std::vector<std::optional<WorkValue>> read_;  // by index, of those that were asked for
};

}  // namespace pteedit

#endif  // PTEEDIT_SRC_INSPECT_KERNEL_WORK_H_
