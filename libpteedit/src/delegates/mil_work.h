// What an operator of a Core ML program (mil_model.h) computes and moves; see pteedit/operator_work.h.
#ifndef PTEEDIT_SRC_DELEGATES_MIL_WORK_H_
#define PTEEDIT_SRC_DELEGATES_MIL_WORK_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "delegates/work_rules.h"
#include "pteedit/bytes.h"
#include "pteedit/result.h"

namespace pteedit {

// Of "conv". Nothing where it is not known what the operator does.
std::optional<WorkRule> MilWorkRule(std::string_view type);

// Measures the operators of one function, whose values have names of their own. The message outlives it.
class MilWork {
 public:
  // A value and its ValueType, before the operators that take it. Fails as reading does.
  Status Learn(std::string_view name, ByteSpan type, bool is_constant);
  // The next operator that Of() measures takes a value as `argument`, by its name or, written out, by its type.
  void Take(std::string_view argument, std::string_view name);
  Status TakeConstant(std::string_view argument, ByteSpan type);
  // Of one that gives what has these names.
  OperatorWork Of(std::string_view type, const std::vector<std::string_view>& outputs);

 private:
  struct Known {
    uint64_t id = 0;
    WorkValue value;
  };
  struct Taken {
    size_t place = 0;  // among all arguments that can be data
    WorkArgument argument;
  };
  WorkArgument Find(std::string_view name) const;
  void Add(std::string_view argument, WorkArgument value);

  std::map<std::string_view, Known> values_;
  std::vector<Taken> taken_;
  std::deque<WorkValue> constants_;  // of the operator
};

}  // namespace pteedit

#endif  // PTEEDIT_SRC_DELEGATES_MIL_WORK_H_
