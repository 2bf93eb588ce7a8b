// Processed blobs of NXP's Neutron backend:
//
//   u8 inputs | u8 outputs | u8 arguments | a format and then a place for each input and output, u8 | u8 version, 0 or
//   1 | padding to a multiple of 16 | microcode, weights and kernels, each padded likewise
//
// What is behind the header does not say how it is divided.
#ifndef PTEEDIT_SRC_DELEGATES_NEUTRON_H_
#define PTEEDIT_SRC_DELEGATES_NEUTRON_H_

#include "delegates/decoder.h"

namespace pteedit {

// See Decoder::decode. Reads the header only.
Result<DecodedBlob> DecodeNeutron(const BlobInput& input);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_DELEGATES_NEUTRON_H_
