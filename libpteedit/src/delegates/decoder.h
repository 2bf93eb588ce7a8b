// Looking into the processed blobs of delegates. One small file a backend; a backend without a decoder is opaque and
// still accounted for.
#ifndef PTEEDIT_SRC_DELEGATES_DECODER_H_
#define PTEEDIT_SRC_DELEGATES_DECODER_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pteedit/bytes.h"
#include "pteedit/container.h"
#include "pteedit/finding.h"
#include "pteedit/result.h"
#include "pteedit/source.h"

namespace pteedit {

// Bytes that never change and that the blob's graph reads: weights, scales.
struct BlobConstant {
  std::string key;     // names them in the named data of the program or of a data file; empty where the blob has them
  Extent extent;       // where the blob has them: from the blob's start
  uint64_t bytes = 0;  // that the graph reads; 0 where that cannot be told
  std::string dtype;   // the backend's own name of it: "qint8"
  std::vector<uint64_t> sizes;
};

struct BlobPart {
  std::string name;
  Extent extent;  // from the blob's start
};

struct DecodedBlob {
  std::vector<std::string> operators;   // as the backend calls them, in the order of the graph
  std::vector<BlobConstant> constants;  // in the order of the graph
  std::vector<BlobPart> parts;          // disjoint, ascending, together the whole blob
  std::vector<std::string> keys;        // of named data that the backend will ask for, ascending, without repeats
  std::vector<Finding> problems;        // what its runtime would refuse or read wrongly
  std::optional<size_t> arguments;      // that a call takes, where the blob tells
};

struct Decoder {
  std::string_view backend;  // id of the delegates whose blobs it reads
  bool lists_all_keys = false;
  // Looks at extent `blob` of `source`, which must lie inside. Damage is no error but a problem in the result; fails
  // only where the source can no longer be read, or with kUnsupported where the blob is none that the decoder knows.
  Result<DecodedBlob> (*decode)(const Source& source, Extent blob) = nullptr;
};

// Null where nobody wrote one.
const Decoder* FindDecoder(std::string_view backend);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_DELEGATES_DECODER_H_
