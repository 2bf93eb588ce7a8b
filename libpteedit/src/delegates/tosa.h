// Processed blobs of the TOSA backend: a flatbuffer as in schema/tosa.fbs, identifier "TOSA", and nothing else. Weights
// lie inside it, and no keys.
#ifndef PTEEDIT_SRC_DELEGATES_TOSA_H_
#define PTEEDIT_SRC_DELEGATES_TOSA_H_

#include <string>
#include <vector>

#include "delegates/decoder.h"

namespace pteedit {

// "CONV2D" for 3; "op #200" for a number without a name. As TOSA 1.x numbers them.
std::string TosaOperatorName(uint32_t number);

// See Decoder::decode. Operators are those of all blocks, constants the tensors and shapes that have data. Reads
// tables, names and what shares a page with them. Fails with kUnsupported where what it reads is damaged or larger than
// FlatTables takes, or the version is not 1.x: releases up to 0.7 wrote TOSA 0.80, with other numbers.
Result<DecodedBlob> DecodeTosa(const BlobInput& input);

// See Decoder::measure.
Result<std::vector<OperatorWork>> MeasureTosa(const BlobInput& input);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_DELEGATES_TOSA_H_
