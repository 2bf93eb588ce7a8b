// A map of many small texts, in little more memory than the texts.
#ifndef PTEEDIT_SRC_BASE_TEXT_MAP_H_
#define PTEEDIT_SRC_BASE_TEXT_MAP_H_

#include <cstdint>
#include <string_view>
#include <utility>

#include "base/kept_texts.h"
#include "base/sorted_blocks.h"

namespace pteedit {

// Of texts from a file whose tables have less than 4 GiB. They are kept in `texts`, which outlives the map.
template <class Value>
class TextMap {
 public:
  explicit TextMap(KeptTexts& texts) : texts_(&texts) {}

  // Null where there is none.
  Value* Find(std::string_view text) {
    Entry* const found = entries_.Find(text);
    return found == nullptr ? nullptr : &found->value;
  }

  // One that Find() does not find. Returns the text that is kept.
  std::string_view Add(std::string_view text, Value value) {
    const std::string_view kept = texts_->Keep(text);
    entries_.Insert({kept.data(), static_cast<uint32_t>(kept.size()), std::move(value)});
    return kept;
  }

 private:
  struct Entry {
    const char* text;
    uint32_t size;  // of the text
    Value value;
  };
  struct TextOf {
    std::string_view operator()(const Entry& entry) const { return {entry.text, entry.size}; }
  };

  KeptTexts* texts_;
  SortedBlocks<Entry, TextOf> entries_;
};

}  // namespace pteedit

#endif  // PTEEDIT_SRC_BASE_TEXT_MAP_H_
