#include "delegates/compile_specs.h"

#include <cstring>
#include <string>

namespace pteedit {

std::optional<std::string_view> SpecText(const BlobInput& input, std::string_view key) {
  std::optional<std::string_view> text;
  for (const BlobCompileSpec& spec : input.compile_specs) {
    if (spec.key == key) text = std::string_view(reinterpret_cast<const char*>(spec.value.data), spec.value.size);
  }
  return text;
}

std::vector<BlobFact> SpecFacts(const BlobInput& input, std::initializer_list<std::string_view> keys) {
  std::vector<BlobFact> facts;
  for (const std::string_view key : keys) {
    if (const auto text = SpecText(input, key)) {
      facts.push_back({std::string(key), std::string(text->substr(0, kMaxFactBytes))});
    }
  }
  return facts;
}

AlignedText::AlignedText(std::string_view text) : words_(text.size() / sizeof(uint64_t) + 1), size_(text.size()) {
  if (size_ != 0) std::memcpy(words_.data(), text.data(), size_);
}

}  // namespace pteedit
