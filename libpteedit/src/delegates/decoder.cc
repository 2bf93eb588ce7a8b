#include "delegates/decoder.h"

#include "delegates/xnnpack.h"

namespace pteedit {

const Decoder* FindDecoder(std::string_view backend) {
  static constexpr Decoder kDecoders[] = {{"XnnpackBackend", true, DecodeXnnpack}};
  for (const Decoder& decoder : kDecoders) {
    if (decoder.backend == backend) return &decoder;
  }
  return nullptr;
}

}  // namespace pteedit
