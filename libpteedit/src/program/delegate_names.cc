#include "program/delegate_names.h"

#include <map>
#include <string_view>

#include "base/text.h"

namespace pteedit {

std::string DelegateNames::operator[](size_t delegate) const {
  const schema::BackendDelegate& named = *plan_->delegates()->Get(static_cast<flatbuffers::uoffset_t>(delegate));
  return Text(ViewOf(named.id()), '_', numbers_[delegate]);
}

std::vector<DelegateNames> DelegateNamesIn(const schema::Program& program) {
  std::map<std::string_view, uint32_t> counts;
  std::vector<DelegateNames> names;
  for (const schema::ExecutionPlan* plan : OrEmpty(program.execution_plan())) {
    std::vector<uint32_t> numbers;
    numbers.reserve(OrEmpty(plan->delegates()).size());
    for (const schema::BackendDelegate* delegate : OrEmpty(plan->delegates()))
      numbers.push_back(counts[ViewOf(delegate->id())]++);
    names.emplace_back(*plan, std::move(numbers));
  }
  return names;
}

}  // namespace pteedit
