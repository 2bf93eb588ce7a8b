// Processed blobs of the OpenVINO backend, as its CPU plugin exports them. Since 2026:
//
//   "RR_UPCVO" | u32 version, 1 | u64 size of a text | the text, "meta=1.0;ov=2026.4.1;isa=..." | header | sections
//
// before: header | sections. The header is six u64: offset and size of custom data (XML), of the constants and of the
// model, offsets counted from the header. The model is OpenVINO's IR, XML xored with a key of 12 bytes or plain:
//
//   <layer id name type><data element_type shape offset size/> ...
//
// with the data's offset counted from the constants, where the layer is a Const. What plugins for other devices export
// is opaque.
#ifndef PTEEDIT_SRC_DELEGATES_OPENVINO_H_
#define PTEEDIT_SRC_DELEGATES_OPENVINO_H_

#include <vector>

#include "delegates/decoder.h"

namespace pteedit {

// See Decoder::decode. Every layer is an operator by its type, also those for inputs, constants and outputs. Reads
// headers and model, at most 64 MiB of it.
Result<DecodedBlob> DecodeOpenvino(const BlobInput& input);

// See Decoder::measure.
Result<std::vector<OperatorWork>> MeasureOpenvino(const BlobInput& input);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_DELEGATES_OPENVINO_H_
