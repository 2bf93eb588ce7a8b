// The decoder of XNNPACK blobs: whatever the bytes are, their parts are the whole blob and what it names lies inside.
#include "delegates/xnnpack.h"

#include "fuzz_input.h"

using namespace pteedit;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  const auto source = MakeViewSource("blob", {bytes, size});
  const Result<DecodedBlob> decoded = DecodeXnnpack({source, {0, size}, {}, nullptr});
  fuzz::Promise(decoded.has_value(), "a blob in memory can be decoded:", decoded ? "" : decoded.error().message);
  uint64_t end = 0;
  for (const BlobPart& part : decoded->parts) {
    fuzz::Promise(part.extent.offset == end && part.extent.size != 0, "parts follow each other:", part.name);
    end += part.extent.size;
  }
  fuzz::Promise(end == size, "parts are the whole blob");
  for (const BlobConstant& constant : decoded->constants) {
    const Extent& extent = constant.extent;
    fuzz::Promise(extent.offset <= size && extent.size <= size - extent.offset,
                  "constants lie inside:", constant.dtype);
  }
  fuzz::Promise(std::is_sorted(decoded->keys.begin(), decoded->keys.end()), "keys ascend");
  return 0;
}
