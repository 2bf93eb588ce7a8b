// A sorted set for millions of small elements, in a tenth of the memory that a tree of nodes takes for them.
#ifndef PTEEDIT_SRC_BASE_SORTED_BLOCKS_H_
#define PTEEDIT_SRC_BASE_SORTED_BLOCKS_H_

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>
#include <vector>

namespace pteedit {

// Elements lie in blocks, all of one before all of the next. `Before` compares elements and keys with each other.
template <class T, class Before>
class SortedBlocks {
 public:
  explicit SortedBlocks(Before before) : before_(std::move(before)) {}

  // The element that is neither before nor behind `key`; null where there is none.
  template <class Key>
  const T* Find(const Key& key) const {
    if (blocks_.empty()) return nullptr;
    const std::vector<T>& block = blocks_[BlockOf(key)];
    const auto found = std::lower_bound(block.begin(), block.end(), key, before_);
    return found == block.end() || before_(key, *found) ? nullptr : &*found;
  }
  // To change what `Before` does not look at.
  template <class Key>
  T* Find(const Key& key) {
    return const_cast<T*>(std::as_const(*this).Find(key));
  }

  // One that Find() does not find.
  void Insert(T element) {
    if (blocks_.empty()) blocks_.emplace_back();
    const size_t at = BlockOf(element);
    std::vector<T>& block = blocks_[at];
    const auto place = std::lower_bound(block.begin(), block.end(), element, before_);
    const bool is_last = at + 1 == blocks_.size() && place == block.end();  // as each is where they come in order
    block.insert(place, std::move(element));
    if (block.size() == kMost) Split(at, is_last ? kMost - 1 : kMost / 2);
  }

 private:
  static constexpr size_t kMost = 2048;  // in a block

  // The last that does not begin behind `key`.
  template <class Key>
  size_t BlockOf(const Key& key) const {
    const auto behind = std::partition_point(blocks_.begin() + 1, blocks_.end(),
                                             [&](const auto& block) { return !before_(key, block.front()); });
    return static_cast<size_t>(behind - blocks_.begin()) - 1;
  }

  void Split(size_t at, size_t first) {
    std::vector<T>& block = blocks_[at];
    const auto middle = block.begin() + static_cast<std::ptrdiff_t>(first);
    std::vector<T> behind(std::make_move_iterator(middle), std::make_move_iterator(block.end()));
    block.erase(middle, block.end());
    blocks_.insert(blocks_.begin() + static_cast<std::ptrdiff_t>(at) + 1, std::move(behind));
  }

  Before before_;
  std::vector<std::vector<T>> blocks_;  // none empty once one was inserted
};

}  // namespace pteedit

#endif  // PTEEDIT_SRC_BASE_SORTED_BLOCKS_H_
