// Processed blobs of the VGF backend:
//
//   bytes 0..3 "VGF1" | 4 u16 version of the Vulkan headers | 6 u16 zero | 8 u8 major, minor, patch of the format |
//   zeros 16 u64 offset, u64 size of the modules | 32 the same of the model sequence | 48 of the resources | 64 of the
//   constants 80 zeros up to 128
//
// all little-endian, offsets from the blob's start. The first three sections are flatbuffers without identifier as in
// schema/vgf.fbs. A module is SPIR-V whose graph is made of instructions from the set "TOSA.001000.1". The constants
// are
//
//   "CONST00\0" | u64 count | count times: u32 resource, i32 sparse dimension or -1, u64 size, u64 offset | bytes
//
// offsets from the first of these bytes, or in older blobs a flatbuffer, too.
#ifndef PTEEDIT_SRC_DELEGATES_VGF_H_
#define PTEEDIT_SRC_DELEGATES_VGF_H_

#include <vector>

#include "delegates/decoder.h"

namespace pteedit {

// See Decoder::decode. Operators are the TOSA instructions of all modules, called as in a TOSA graph; constants there
// have no operator. Reads header, tables, modules, and the list of constants. Fails with kUnsupported where these are
// damaged or have over 64 MiB, or the version is not 0.x up to 0.5.
Result<DecodedBlob> DecodeVgf(const BlobInput& input);

// See Decoder::measure.
Result<std::vector<OperatorWork>> MeasureVgf(const BlobInput& input);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_DELEGATES_VGF_H_
