// Finding what is known of the delegates that instructions call.
#ifndef PTEEDIT_SRC_RECORD_DELEGATES_BY_NAME_H_
#define PTEEDIT_SRC_RECORD_DELEGATES_BY_NAME_H_

#include <algorithm>
#include <string_view>
#include <vector>

#include "pteedit/delegates.h"

namespace pteedit {

// Looks into the list that it is made of.
class DelegatesByName {
 public:
  explicit DelegatesByName(const std::vector<DelegateDescription>& delegates) {
    sorted_.reserve(delegates.size());
    for (const DelegateDescription& delegate : delegates) sorted_.push_back(&delegate);
    std::ranges::sort(sorted_, {}, NameOf);
  }

  // Null where none is called so.
  const DelegateDescription* Find(std::string_view name) const {
    const auto found = std::ranges::lower_bound(sorted_, name, {}, NameOf);
    return found != sorted_.end() && NameOf(*found) == name ? *found : nullptr;
  }

 private:
  static std::string_view NameOf(const DelegateDescription* delegate) { return delegate->name; }

  std::vector<const DelegateDescription*> sorted_;
};

}  // namespace pteedit

#endif  // PTEEDIT_SRC_RECORD_DELEGATES_BY_NAME_H_
