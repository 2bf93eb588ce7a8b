// Processed blobs of Qualcomm's QNN backend. Since 0.6 one of
//
//   u32 0x5678ABCD | u64 signature | u64 size | zero to byte 256 (not in early releases) | context binary of that size
//   u32 0x1234ABCD | u32 graph size | u64 data size | graph | data      to be prepared on the device, 0.6 and 0.7
//
// and before 0.6 the context binary alone. Its format is not public, so it stays opaque but for the names in it: texts
// as a flatbuffer has them, behind their length and before a zero byte. They are a guess. Compile spec
// qnn_compile_spec, see schema/qnn_options.fbs, tells the chip.
#ifndef PTEEDIT_SRC_DELEGATES_QNN_H_
#define PTEEDIT_SRC_DELEGATES_QNN_H_

#include "delegates/decoder.h"

namespace pteedit {

// See Decoder::decode. Names are sought in the first 16 MiB only, at most 4096, none longer than 200 bytes.
Result<DecodedBlob> DecodeQnn(const BlobInput& input);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_DELEGATES_QNN_H_
