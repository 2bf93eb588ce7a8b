// What delegates are called.
#ifndef PTEEDIT_SRC_PROGRAM_DELEGATE_NAMES_H_
#define PTEEDIT_SRC_PROGRAM_DELEGATE_NAMES_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "program/schema.h"

namespace pteedit {

// Of one plan's delegates, into which it looks.
class DelegateNames {
 public:
  DelegateNames(const schema::ExecutionPlan& plan, std::vector<uint32_t> numbers)
      : plan_(&plan), numbers_(std::move(numbers)) {}

  size_t size() const { return numbers_.size(); }
  std::string operator[](size_t delegate) const;

 private:
  const schema::ExecutionPlan* plan_;
  std::vector<uint32_t> numbers_;  // by delegate
};

// By plan. "XnnpackBackend_0" is the first delegate of its backend in the file, plans and delegates in file order.
std::vector<DelegateNames> DelegateNamesIn(const schema::Program& program);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_PROGRAM_DELEGATE_NAMES_H_
