// Processed blobs of the native backend (since 1.5): a flatbuffer as in schema/native.fbs, identifier "NPTG", and
// nothing else. Its keys are the fully qualified names of the parameters, and it holds no weights.
#ifndef PTEEDIT_SRC_DELEGATES_NATIVE_H_
#define PTEEDIT_SRC_DELEGATES_NATIVE_H_

#include <memory>
#include <string>
#include <vector>

#include "delegates/decoder.h"
#include "pteedit/container.h"

namespace pteedit {

// See Decoder::decode. Operators are those of all methods, a subgraph's behind the node that runs it. Scales and zero
// points are constants of their own. Fails with kUnsupported where the blob is damaged, has over 64 MiB, or its version
// is not 1. The only problem, a warning: blob-unknown-fields.
Result<DecodedBlob> DecodeNative(const BlobInput& input);

// See Decoder::measure.
Result<std::vector<OperatorWork>> MeasureNative(const BlobInput& input);

struct NativeMethod {
  std::string name;
  std::vector<std::shared_ptr<const TensorLayout>> inputs, outputs;  // null of what is no tensor
  std::vector<std::string> operators;                                // of its nodes, a subgraph's behind the node
};

struct NativeGraph {
  DecodedBlob blob;
  std::vector<NativeMethod> methods;
};

// The same, with the methods. Of a size that only a run can tell layouts have the largest, or 0 where there is none.
Result<NativeGraph> ReadNativeGraph(const BlobInput& input);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_DELEGATES_NATIVE_H_
