#include "delegates/decoder.h"

namespace pteedit {

const Decoder* FindDecoder(std::string_view) { return nullptr; }

}  // namespace pteedit
