#include "delegates/graph_reader.h"

#include <algorithm>

namespace pteedit {

std::vector<BlobFact> FactsOfSpecs(const BlobInput& input, std::initializer_list<std::string_view> keys) {
  constexpr size_t kMaxText = 1024;
  std::vector<BlobFact> facts;
  for (const BlobInput::CompileSpec& spec : input.compile_specs) {
    const std::string_view text(reinterpret_cast<const char*>(spec.value.data), spec.value.size);
    const bool is_printable =
        std::all_of(text.begin(), text.end(), [](char letter) { return letter >= ' ' && letter <= '~'; });
    if (std::find(keys.begin(), keys.end(), spec.key) == keys.end() || !is_printable || text.size() > kMaxText)
      continue;
    facts.push_back({std::string(spec.key), std::string(text)});
  }
  return facts;
}

}  // namespace pteedit
