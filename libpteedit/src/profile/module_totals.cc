#include <algorithm>

#include "profile/event_names.h"
#include "pteedit/profile/event_blocks.h"

namespace pteedit {
namespace {

template <class Matches>
double TotalWhere(const std::vector<EventBlock>& blocks, Matches matches) {
  double total = 0;
  for (const EventBlock& block : blocks) {
    for (const ProfiledEvent& event : block.events) {
      if (event.name == kOperatorCall || event.samples.empty()) continue;
      const bool is_inside =
          std::any_of(event.more->operators.begin(), event.more->operators.end(), [&](const SourceOperator& op) {
            return op.modules && std::any_of(op.modules->begin(), op.modules->end(), matches);
          });
      if (is_inside) total += event.perf()->avg;
    }
  }
  return total;
}

}  // namespace

double TotalForModule(const std::vector<EventBlock>& blocks, const std::string& name) {
  return TotalWhere(blocks, [&](const ModuleLevel& level) { return level.key.find(name) != std::string::npos; });
}

double TotalForModulePath(const std::vector<EventBlock>& blocks, const std::string& path) {
  // Containers such as lists of modules are no levels of their own.
  const std::string inside = path.empty() ? "" : path + ".";
  return TotalWhere(blocks,
                    [&](const ModuleLevel& level) { return level.path == path || level.path.rfind(inside, 0) == 0; });
}

}  // namespace pteedit
