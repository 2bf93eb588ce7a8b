// Where the bytes of something lie that is in many pieces.
#ifndef PTEEDIT_EXTENTS_H_
#define PTEEDIT_EXTENTS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <optional>

#include "pteedit/bytes.h"
#include "pteedit/packed_numbers.h"

namespace pteedit {

// Extents with bytes in ascending order that neither overlap nor touch. Each takes a few bytes of memory, as there may
// be several for each table of a file.
class Extents {
 public:
  class Iterator;

  Extents() = default;
  Extents(std::initializer_list<Extent> extents) {
    for (const Extent& extent : extents) Add(extent);
  }

  bool empty() const { return count_ == 0; }
  size_t size() const { return count_; }
  Extent back() const { return last_; }  // of those that are not empty

  // From the end of the last on. What lies right behind it becomes part of it.
  void Add(Extent extent) {
    if (extent.size == 0) return;
    if (count_ != 0 && EndOf(last_) == extent.offset) {
      last_.size += extent.size;
      return;
    }
    if (count_ != 0) {
      packed_.Add(last_.offset - packed_end_);
      packed_.Add(last_.size);
      packed_end_ = EndOf(last_);
    }
    last_ = extent;
    ++count_;
  }

  void MoveBy(uint64_t distance) {
    begin_ += distance;
    packed_end_ += distance;
    last_.offset += distance;
  }

  // The one that has the byte.
  std::optional<Extent> With(uint64_t offset) const;

  Iterator begin() const;
  Iterator end() const;

 private:
  static uint64_t EndOf(Extent extent) { return extent.offset + extent.size; }

  PackedNumbers packed_;     // all but the last: how far behind the end of the one before, and how many bytes
  uint64_t begin_ = 0;       // behind which the first lies so far
  uint64_t packed_end_ = 0;  // of the last but one
  Extent last_;
  size_t count_ = 0;
};

class Extents::Iterator {
 public:
  using value_type = Extent;
  using difference_type = std::ptrdiff_t;
  using pointer = const Extent*;
  using reference = Extent;
  using iterator_category = std::input_iterator_tag;

  Iterator() = default;
  Extent operator*() const { return now_; }
  Iterator& operator++() {
    ++index_;
    Read();
    return *this;
  }
  friend bool operator==(const Iterator& a, const Iterator& b) { return a.index_ == b.index_; }
  friend bool operator!=(const Iterator& a, const Iterator& b) { return a.index_ != b.index_; }

 private:
  friend class Extents;
  Iterator(const Extents& all, size_t index) : all_(&all), index_(index), now_{all.begin_, 0} { Read(); }

  void Read() {
    if (index_ + 1 < all_->count_) {
      const uint64_t gap = all_->packed_.Read(at_);
      now_ = {EndOf(now_) + gap, all_->packed_.Read(at_)};
    } else if (index_ < all_->count_) {
      now_ = all_->last_;
    }
  }

  const Extents* all_ = nullptr;
  size_t index_ = 0;
  size_t at_ = 0;  // in what is packed
  Extent now_;
};

inline Extents::Iterator Extents::begin() const { return {*this, 0}; }
inline Extents::Iterator Extents::end() const { return {*this, count_}; }

inline bool operator==(const Extents& a, const Extents& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end());
}
inline bool operator!=(const Extents& a, const Extents& b) { return !(a == b); }

inline std::optional<Extent> Extents::With(uint64_t offset) const {
  for (const Extent extent : *this) {
    if (offset < extent.offset) break;
    if (offset - extent.offset < extent.size) return extent;
  }
  return std::nullopt;
}

}  // namespace pteedit

#endif  // PTEEDIT_EXTENTS_H_
