// The decoder of XNNPACK blobs, which refuses none: damage is a problem that it tells.
#include "delegates/xnnpack.h"

#include "blob_promises.h"

using namespace pteedit;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  const auto source = MakeViewSource("blob", {bytes, size});
  const Result<DecodedBlob> decoded = DecodeXnnpack({source, {0, size}, {}, nullptr});
  fuzz::PromiseResult(decoded, "a blob in memory can be decoded:");
  fuzz::CheckBlob(*decoded, size);
  return 0;
}
