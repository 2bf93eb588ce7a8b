// A list that grows without ever being there twice, and gives its memory back when it goes.
#ifndef PTEEDIT_SRC_BASE_CHUNKED_H_
#define PTEEDIT_SRC_BASE_CHUNKED_H_

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace pteedit {

// Elements stay where they are but in the first chunk, which begins small.
template <class T>
class Chunked {
 public:
  bool empty() const { return size_ == 0; }
  size_t size() const { return size_; }
  T& operator[](size_t i) { return chunks_[i / kEach][i % kEach]; }
  const T& operator[](size_t i) const { return chunks_[i / kEach][i % kEach]; }
  T& back() { return chunks_.back().back(); }

  void push_back(T value) {
    if (size_ % kEach == 0) {
      chunks_.emplace_back();
      if (size_ != 0) chunks_.back().reserve(kEach);
    }
    chunks_.back().push_back(std::move(value));
    ++size_;
  }

  void pop_back() {
    chunks_.back().pop_back();
    if (chunks_.back().empty()) chunks_.pop_back();
    --size_;
  }

 private:
  // So large that freeing a chunk gives it back to the system.
  static constexpr size_t kChunkBytes = size_t{1} << 18;
  static constexpr size_t kEach = std::max<size_t>(1, kChunkBytes / sizeof(T));

  std::vector<std::vector<T>> chunks_;
  size_t size_ = 0;
};

}  // namespace pteedit

#endif  // PTEEDIT_SRC_BASE_CHUNKED_H_
