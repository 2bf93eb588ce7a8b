// The descriptions in a Core ML weight.bin, see coreml.h.
#ifndef PTEEDIT_SRC_DELEGATES_COREML_WEIGHTS_H_
#define PTEEDIT_SRC_DELEGATES_COREML_WEIGHTS_H_

#include <vector>

#include "delegates/coreml_files.h"
#include "delegates/decoder.h"

namespace pteedit {

// The weight whose description is at byte `offset` of `file`: dtype, bytes and extent. Fails with kUnsupported where
// there is none, and with kIo.
Result<BlobConstant> ReadCoremlWeight(const BlobInput& input, const CoremlFile& file, uint64_t offset);

// All of a weight.bin, in its order, at most 100,000.
Result<std::vector<BlobConstant>> ReadCoremlWeights(const BlobInput& input, const CoremlFile& file);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_DELEGATES_COREML_WEIGHTS_H_
