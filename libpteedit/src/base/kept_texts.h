// Copies of many small texts, in little more memory than the texts.
#ifndef PTEEDIT_SRC_BASE_KEPT_TEXTS_H_
#define PTEEDIT_SRC_BASE_KEPT_TEXTS_H_

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace pteedit {

class KeptTexts {
 public:
  KeptTexts() = default;
  KeptTexts(const KeptTexts&) = delete;
  KeptTexts(KeptTexts&&) = default;
  KeptTexts& operator=(const KeptTexts&) = delete;
  KeptTexts& operator=(KeptTexts&&) = default;
  ~KeptTexts() = default;

  // A copy that stays where it is, also where these texts are moved.
  std::string_view Keep(std::string_view text) {
    if (chunks_.empty() || chunks_.back().capacity() - chunks_.back().size() < text.size()) {
      const size_t bytes = chunks_.empty() ? kFirstBytes : kChunkBytes;
      chunks_.emplace_back();
      chunks_.back().reserve(std::max(bytes, text.size()));
    }
    std::string& chunk = chunks_.back();
    chunk.append(text);
    return std::string_view(chunk).substr(chunk.size() - text.size());
  }

 private:
  // The others are so large that freeing one gives it back to the system.
  static constexpr size_t kFirstBytes = size_t{1} << 14, kChunkBytes = size_t{1} << 18;

  std::vector<std::string> chunks_;
};

}  // namespace pteedit

#endif  // PTEEDIT_SRC_BASE_KEPT_TEXTS_H_
