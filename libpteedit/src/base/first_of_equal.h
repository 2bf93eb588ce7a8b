// Which items of a list are equal to an earlier one, in less memory than a map of them takes.
#ifndef PTEEDIT_SRC_BASE_FIRST_OF_EQUAL_H_
#define PTEEDIT_SRC_BASE_FIRST_OF_EQUAL_H_

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

namespace pteedit {

// By index, of `count` items: the first with an equal key among `compared`, which are indices in order; for all others
// the item itself.
template <class Key>
std::vector<size_t> FirstOfEqual(size_t count, std::vector<size_t> compared, Key key) {
  std::vector<size_t> first(count);
  std::iota(first.begin(), first.end(), size_t{0});
  std::stable_sort(compared.begin(), compared.end(), [&](size_t a, size_t b) { return key(a) < key(b); });
  for (size_t i = 1; i < compared.size(); ++i) {
    if (key(compared[i]) == key(compared[i - 1])) first[compared[i]] = first[compared[i - 1]];
  }
  return first;
}

}  // namespace pteedit

#endif  // PTEEDIT_SRC_BASE_FIRST_OF_EQUAL_H_
