// Processed blobs of the Core ML backend. Most are a folder of files (see coreml_files.h) with
//
//   metadata.json    names of inputs and outputs
//   debug_info.json  operators by debug handle
//   model.mlpackage/Data/com.apple.CoreML/model.mlmodel (see mil_model.h) and beside it weights/weight.bin
//
// or, compiled, model.mlmodelc/, whose program is not looked into. weight.bin is
//
//   u32 count | u32 version, 2 | zero to byte 64 | for each, at the next multiple of 64, a description of 64 bytes:
//   u32 0xDEADBEEF | u32 element type | u64 size | u64 offset from the start of weight.bin | zero
//
// with the bytes right behind, and values of the program name descriptions. Since 1.2 methods may share one such folder
// in the named data: then the blob is "CMJR" and the JSON text {"version": 1, "key", "functionName"}.
#ifndef PTEEDIT_SRC_DELEGATES_COREML_H_
#define PTEEDIT_SRC_DELEGATES_COREML_H_

#include <vector>

#include "delegates/decoder.h"

namespace pteedit {

// See Decoder::decode. Reads lists, descriptions and model.mlmodel, at most 64 MiB of it, never weights. Of a reference
// whose key cannot be found there is only the key. Constants of a referred folder have its key.
Result<DecodedBlob> DecodeCoreml(const BlobInput& input);

// See Decoder::measure. Fails with kUnsupported where the program is compiled or the key is not there.
Result<std::vector<OperatorWork>> MeasureCoreml(const BlobInput& input);

// Whether the blob only names the key that the model is under.
Result<bool> IsCoremlReference(const BlobInput& input);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_DELEGATES_COREML_H_
