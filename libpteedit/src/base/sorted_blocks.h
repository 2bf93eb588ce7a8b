// A sorted set for millions of small elements, in a tenth of the memory that a tree of nodes takes for them.
#ifndef PTEEDIT_SRC_BASE_SORTED_BLOCKS_H_
#define PTEEDIT_SRC_BASE_SORTED_BLOCKS_H_

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <type_traits>
#include <utility>
#include <vector>

namespace pteedit {

// Elements lie in blocks, all of one before all of the next, by the key that `KeyOf` tells of each.
template <class T, class KeyOf>
class SortedBlocks {
 public:
  using Key = std::decay_t<std::invoke_result_t<const KeyOf&, const T&>>;

  explicit SortedBlocks(KeyOf key_of = KeyOf()) : key_of_(std::move(key_of)) {}

  // The element that has the key, which stays; null where none has.
  T* Find(const Key& key) {
    if (blocks_.empty()) return nullptr;
    std::vector<T>& block = blocks_[BlockOf(key)];
    const auto found = PlaceIn(block, key);
    return found == block.end() || key < key_of_(*found) ? nullptr : &*found;
  }

  // One whose key Find() does not find.
  void Insert(T element) {
    if (blocks_.empty()) blocks_.emplace_back();
    const Key key = key_of_(element);
    const size_t at = BlockOf(key);
    std::vector<T>& block = blocks_[at];
    const auto place = PlaceIn(block, key);
    const bool is_last = at + 1 == blocks_.size() && place == block.end();  // as each is where they come in order
    block.insert(place, std::move(element));
    if (block.size() == kMost) Split(at, is_last ? kMost - 1 : kMost / 2);
  }

 private:
  static constexpr size_t kMost = 2048;  // in a block

  // The last that does not begin behind `key`.
  size_t BlockOf(const Key& key) const {
    const auto behind = std::partition_point(blocks_.begin() + 1, blocks_.end(),
                                             [&](const auto& block) { return !(key < key_of_(block.front())); });
    return static_cast<size_t>(behind - blocks_.begin()) - 1;
  }

  auto PlaceIn(std::vector<T>& block, const Key& key) const {
    return std::partition_point(block.begin(), block.end(), [&](const T& element) { return key_of_(element) < key; });
  }

  void Split(size_t at, size_t first) {
    std::vector<T>& block = blocks_[at];
    const auto middle = block.begin() + static_cast<std::ptrdiff_t>(first);
    std::vector<T> behind(std::make_move_iterator(middle), std::make_move_iterator(block.end()));
    block.erase(middle, block.end());
    blocks_.insert(blocks_.begin() + static_cast<std::ptrdiff_t>(at) + 1, std::move(behind));
  }

  KeyOf key_of_;
  std::vector<std::vector<T>> blocks_;  // none empty once one was inserted
};

}  // namespace pteedit

#endif  // PTEEDIT_SRC_BASE_SORTED_BLOCKS_H_
