// A source that remembers how often each of its bytes was read.
#ifndef PTEEDIT_TESTS_SUPPORT_COUNTED_SOURCE_H_
#define PTEEDIT_TESTS_SUPPORT_COUNTED_SOURCE_H_

#include <algorithm>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "io/content_index.h"
#include "pteedit/source.h"

namespace pteedit::test {

class CountedSource {
 public:
  explicit CountedSource(std::vector<uint8_t> bytes) : state_(std::make_shared<State>()) {
    state_->counts.resize(bytes.size());
    state_->bytes = std::move(bytes);
    source_ = MakeCallbackSource("counted", size(), [state = state_](uint64_t offset, MutableByteSpan out) -> Status {
      const std::lock_guard<std::mutex> lock(state->mutex);
      std::copy_n(state->bytes.begin() + static_cast<std::ptrdiff_t>(offset), out.size, out.data);
      for (size_t i = 0; i < out.size; ++i) ++state->counts[offset + i];
      state->longest = std::max(state->longest, out.size);
      return {};
    });
  }

  const std::shared_ptr<const Source>& source() const { return source_; }
  uint64_t size() const { return state_->bytes.size(); }
  ContentPlace place(Extent extent) const { return {source_, extent}; }
  ContentPlace place() const { return place({0, size()}); }

  // How often the byte of a part that was read most often was.
  int most(Extent part) const {
    const auto begin = state_->counts.begin() + static_cast<std::ptrdiff_t>(part.offset);
    return part.size == 0 ? 0 : *std::max_element(begin, begin + static_cast<std::ptrdiff_t>(part.size));
  }
  int most() const { return most({0, size()}); }
  // How many bytes were read at all.
  size_t total(Extent part) const {
    const auto begin = state_->counts.begin() + static_cast<std::ptrdiff_t>(part.offset);
    return static_cast<size_t>(
        std::count_if(begin, begin + static_cast<std::ptrdiff_t>(part.size), [](int count) { return count != 0; }));
  }
  size_t total() const { return total({0, size()}); }
  size_t longest() const { return state_->longest; }  // read at once

 private:
  struct State {
    std::vector<uint8_t> bytes;
    std::vector<int> counts;
    size_t longest = 0;
    std::mutex mutex;
  };
  std::shared_ptr<State> state_;
  std::shared_ptr<const Source> source_;
};

}  // namespace pteedit::test

#endif  // PTEEDIT_TESTS_SUPPORT_COUNTED_SOURCE_H_
