// A map of many small texts, in little more memory than the texts.
#ifndef PTEEDIT_SRC_BASE_TEXT_MAP_H_
#define PTEEDIT_SRC_BASE_TEXT_MAP_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/sorted_blocks.h"

namespace pteedit {

// Of texts from a file whose tables have less than 4 GiB.
template <class Value>
class TextMap {
 public:
  // Null where there is none.
  Value* Find(std::string_view text) {
    Entry* const found = entries_.Find(text);
    return found == nullptr ? nullptr : &found->value;
  }

  // One that Find() does not find.
  void Add(std::string_view text, Value value) {
    entries_.Insert({Kept(text), static_cast<uint32_t>(text.size()), std::move(value)});
  }

 private:
  static constexpr size_t kChunkBytes = size_t{1} << 14;
  struct Entry {
    const char* text;
    uint32_t size;  // of the text
    Value value;
  };
  struct TextOf {
    std::string_view operator()(const Entry& entry) const { return {entry.text, entry.size}; }
  };

  // A copy that stays where it is.
  const char* Kept(std::string_view text) {
    if (chunks_.empty() || chunks_.back().capacity() - chunks_.back().size() < text.size()) {
      chunks_.emplace_back();
      chunks_.back().reserve(std::max(kChunkBytes, text.size()));
    }
    chunks_.back().append(text);
    return chunks_.back().data() + chunks_.back().size() - text.size();
  }

  std::vector<std::string> chunks_;
  SortedBlocks<Entry, TextOf> entries_;
};

}  // namespace pteedit

#endif  // PTEEDIT_SRC_BASE_TEXT_MAP_H_
