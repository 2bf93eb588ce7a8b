// Dropping items of a list that others name by index.
#ifndef PTEEDIT_SRC_BASE_RENUMBER_H_
#define PTEEDIT_SRC_BASE_RENUMBER_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace pteedit {

// Takes the unwanted items out and returns them, both in their order. Either list has no more memory than it needs
// where it is the shorter one, so that no more than half of the items are there twice.
template <class T>
std::vector<T> TakeOut(std::vector<T>& items, const std::vector<bool>& wanted) {
  const auto stay = static_cast<size_t>(std::count(wanted.begin(), wanted.end(), true));
  const bool most_go = stay < items.size() / 2;
  std::vector<T> fewer;
  fewer.reserve(most_go ? stay : items.size() - stay);
  size_t left = 0;
  for (size_t i = 0; i < items.size(); ++i) {
    if (wanted[i] == most_go) {
      fewer.push_back(std::move(items[i]));
      continue;
    }
    if (left != i) items[left] = std::move(items[i]);
    ++left;
  }
  items.erase(items.begin() + static_cast<std::ptrdiff_t>(left), items.end());
  if (most_go) std::swap(items, fewer);
  return fewer;
}

// The new index of each item; 0 for those that go.
inline std::vector<uint32_t> Renumber(const std::vector<bool>& wanted) {
  std::vector<uint32_t> renumbered(wanted.size());
  uint32_t next = 0;
  for (size_t i = 0; i < wanted.size(); ++i) renumbered[i] = wanted[i] ? next++ : 0;
  return renumbered;
}

// Drops the unwanted items. Returns the new index of each.
template <class T>
std::vector<uint32_t> Keep(std::vector<T>& items, const std::vector<bool>& wanted) {
  TakeOut(items, wanted);
  return Renumber(wanted);
}

}  // namespace pteedit

#endif  // PTEEDIT_SRC_BASE_RENUMBER_H_
