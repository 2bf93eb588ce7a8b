// Checkpoints as safetensors files: the tensors that a header in JSON lists, and then their bytes.
//   u64 length of the header | {"name": {"dtype": "F32", "shape": [2, 3], "data_offsets": [begin, end]}, …} | bytes
// little-endian, offsets from the end of the header; "__metadata__" has texts instead. Read, only the header is.
#ifndef PTEEDIT_SRC_FORMATS_SAFETENSORS_H_
#define PTEEDIT_SRC_FORMATS_SAFETENSORS_H_

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "pteedit/bytes.h"
#include "pteedit/result.h"
#include "pteedit/source.h"

namespace pteedit {

inline constexpr std::string_view kSafetensorsMetadata = "__metadata__";
using SafetensorsMetadata = std::map<std::string, std::string, std::less<>>;

struct SafetensorsEntry {
  std::string name;
  std::string dtype;            // "F32"
  uint64_t bits = 0;            // of one element
  std::vector<uint64_t> sizes;  // elements per dimension, the last one running fastest
  Extent place;                 // in the file
};

struct SafetensorsHeader {
  std::vector<SafetensorsEntry> entries;  // in the order of the header
  SafetensorsMetadata metadata;           // its texts, of which there need be none
  uint64_t bytes = 0;                     // before those of the tensors, with its length
};

// kUnsupported where the header is no JSON, has more than 100 MB, as in all readers of the format, or an element type
// is unknown; kMalformed where a name is there twice, a tensor does not lie inside the file, has other bytes than its
// sizes say or overlaps another; kIo where the file cannot be read.
Result<SafetensorsHeader> ReadSafetensorsHeader(const Source& source);

// What lies before the bytes: length and header, filled up to a multiple of 8. Places of `entries` count from its end.
// Names and texts are JSON's. kUnsupported where it would have more than 100 MB.
Result<std::vector<uint8_t>> SafetensorsHead(const std::vector<SafetensorsEntry>& entries,
                                             const SafetensorsMetadata& metadata);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_FORMATS_SAFETENSORS_H_
