// Dropping items of a list that others name by index.
#ifndef PTEEDIT_SRC_BASE_RENUMBER_H_
#define PTEEDIT_SRC_BASE_RENUMBER_H_

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

namespace pteedit {

// Drops the unwanted items. Returns the new index of each item; 0 for those that went.
template <class T>
std::vector<uint32_t> Keep(std::vector<T>& items, const std::vector<bool>& wanted) {
  std::vector<uint32_t> renumbered(items.size());
  size_t kept = 0;
  for (size_t i = 0; i < items.size(); ++i) {
    if (!wanted[i]) continue;
    renumbered[i] = static_cast<uint32_t>(kept);
    if (kept != i) items[kept] = std::move(items[i]);
    ++kept;
  }
  items.erase(items.begin() + static_cast<std::ptrdiff_t>(kept), items.end());
  // Without exceptions, shrink_to_fit does nothing.
  if (kept < items.capacity() / 2)
    items = std::vector<T>(std::make_move_iterator(items.begin()), std::make_move_iterator(items.end()));
  return renumbered;
}

}  // namespace pteedit

#endif  // PTEEDIT_SRC_BASE_RENUMBER_H_
