// Facts about a model, stored in the program as named data under "metadata.KEY" (ExecuTorch's issue 19384): a string as
// UTF-8, whole numbers as int64 and others as float64, little-endian, a list of numbers as these one after the other.
// The bytes do not tell which of these they are.
#ifndef PTEEDIT_METADATA_H_
#define PTEEDIT_METADATA_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "pteedit/bytes.h"
#include "pteedit/container.h"
#include "pteedit/export.h"
#include "pteedit/result.h"

namespace pteedit {

inline constexpr std::string_view kMetadataPrefix = "metadata.";

// A string, an int, a float, ints, or bytes of unknown meaning.
using MetadataValue = std::variant<std::string, int64_t, double, std::vector<int64_t>, std::vector<uint8_t>>;

PTEEDIT_API std::vector<uint8_t> EncodeMetadata(const MetadataValue& value);

// What the bytes most likely are: a string where they are text; else an int, or a float where it would be an int of
// more than 53 bits; else ints; else bytes.
PTEEDIT_API MetadataValue GuessMetadata(ByteSpan bytes);

struct MetadataEntry {
  std::string key;  // without the prefix
  uint64_t bytes = 0;
  std::optional<MetadataValue> value;  // as guessed; nothing where there are more than 64 KiB
};

// In file order. Fails with kIo where the file can no longer be read.
PTEEDIT_API Result<std::vector<MetadataEntry>> ReadMetadata(const Container& file);

}  // namespace pteedit

#endif  // PTEEDIT_METADATA_H_
