// All decoders of processed blobs, each on the same bytes: they read the blob or refuse it as one they do not know.
#include "blob_promises.h"

using namespace pteedit;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  const auto source = MakeViewSource("blob", {bytes, size});
  for (const Decoder& decoder : AllDecoders()) {
    const Result<DecodedBlob> decoded = decoder.decode({source, {0, size}, {}, nullptr});
    if (decoded) {
      fuzz::CheckBlob(*decoded, size);
    } else {
      fuzz::Promise(decoded.error().code == ErrorCode::kUnsupported && !decoded.error().message.empty(),
                    "a blob in memory is decoded or refused:", decoded.error().message);
    }
  }
  return 0;
}
