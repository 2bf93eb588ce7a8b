// What a delegate's compile specs say, as text.
#ifndef PTEEDIT_SRC_DELEGATES_COMPILE_SPECS_H_
#define PTEEDIT_SRC_DELEGATES_COMPILE_SPECS_H_

#include <initializer_list>
#include <optional>
#include <string_view>
#include <vector>

#include "delegates/decoder.h"

namespace pteedit {

// The value of the last compile spec of this key, as runtimes take it; nothing where there is none.
std::optional<std::string_view> SpecText(const BlobInput& input, std::string_view key);

// A fact for each of the keys that there is a compile spec of. Values are cut after 256 bytes.
std::vector<BlobFact> SpecFacts(const BlobInput& input, std::initializer_list<std::string_view> keys);

// A copy of a value where a flatbuffer can be read, which wants words aligned that the program need not align.
class AlignedText {
 public:
  explicit AlignedText(std::string_view text);
  ByteSpan bytes() const { return {reinterpret_cast<const uint8_t*>(words_.data()), size_}; }

 private:
  std::vector<uint64_t> words_;
  size_t size_;
};

}  // namespace pteedit

#endif  // PTEEDIT_SRC_DELEGATES_COMPILE_SPECS_H_
