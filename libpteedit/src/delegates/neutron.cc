#include "delegates/neutron.h"

#include "base/checked.h"
#include "base/text.h"
#include "delegates/blob_reader.h"
#include "pteedit/try.h"

namespace pteedit {
namespace {

constexpr uint64_t kCountsBytes = 3;
constexpr uint64_t kNeutronAlignment = 16;
constexpr uint8_t kNewestVersion = 1;
constexpr uint8_t kNewestFormat = 1;  // 0 any, 1 channels last

}  // namespace

Result<DecodedBlob> DecodeNeutron(const BlobInput& input) {
  PTEEDIT_ASSIGN(const BlobBytes counts, ReadPart(input, {0, kCountsBytes}, kCountsBytes, "header"));
  const uint64_t inputs = counts.bytes.data[0];
  const uint64_t outputs = counts.bytes.data[1];
  const uint64_t unpadded = kCountsBytes + 2 * (inputs + outputs) + sizeof(uint8_t);
  const Extent header{0, AlignUp(unpadded, kNeutronAlignment)};
  PTEEDIT_ASSIGN(const BlobBytes read, ReadPart(input, header, header.size, "header"));
  const uint8_t* bytes = read.bytes.data;
  for (uint64_t i = 0; i < inputs + outputs; ++i) {
    const uint8_t format = bytes[kCountsBytes + i];
    if (format > kNewestFormat) {
      return Unsupported(Text("format ", i, " in the header is ", static_cast<int>(format), ", 0 or 1 expected"));
    }
  }
  const uint8_t version = bytes[unpadded - 1];
  if (version > kNewestVersion) {
    return Unsupported(Text("blob is of version ", static_cast<int>(version), ", 0 or 1 expected"));
  }
  DecodedBlob decoded;
  decoded.parts =
      FillGaps({{"header", header}, {"microcode, weights and kernels", {header.size, input.blob.size - header.size}}},
               input.blob.size);
  decoded.facts = {
      {"inputs", Text(inputs)}, {"outputs", Text(outputs)}, {"payload_version", Text(static_cast<int>(version))}};
  return decoded;
}

}  // namespace pteedit
