// What somebody knows about processed blobs that need not be in them: a compiler that wrote one, a command or function
// that reads a format which the library does not. As JSON it is what docs/schemas/delegate_metadata.schema.json
// describes, the same for a file, a command and a function; docs/delegate_metadata.md tells more.
#ifndef PTEEDIT_DELEGATE_METADATA_H_
#define PTEEDIT_DELEGATE_METADATA_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pteedit/bytes.h"
#include "pteedit/export.h"
#include "pteedit/result.h"
#include "pteedit/source.h"

namespace pteedit {

// Bytes that never change and that the blob's graph reads: weights, scales.
struct BlobConstant {
  std::string name;    // as the backend calls it; empty where it has none
  std::string key;     // names them in the named data of the program or of a data file; empty where the blob has them
  Extent extent;       // where the blob has them, if it is known: from the blob's start, perhaps compressed
  uint64_t bytes = 0;  // that the graph reads; 0 where that cannot be told
  std::string dtype;   // the backend's own name of it: "qint8"
  std::vector<uint64_t> sizes;
  std::string own_name = {};  // where `name` was found by content: as the backend calls it

  // Where the blob has these very bytes.
  std::optional<uint64_t> offset() const {
    if (extent.size != bytes || extent == Extent()) return std::nullopt;
    return extent.offset;
  }
};

struct BlobPart {
  std::string name;
  Extent extent;  // from the blob's start
};

struct BlobFact {
  std::string name, value;  // "soc_model", "SM8650"
};

// What is in a blob, as a decoder finds it.
struct BlobContents {
  // As the backend stores them, in the order of its graph, without its constants, inputs and outputs; none where its
  // format is not known so far.
  std::vector<std::string> operators;
  // By operator: which of the constants it reads, ascending, each once; none at all where the decoder does not tell.
  std::vector<std::vector<size_t>> operator_constants;
  std::vector<BlobConstant> constants;  // in the order of the graph
  std::vector<BlobPart> parts;          // disjoint, ascending, together the whole blob
  std::vector<BlobFact> facts;          // what blob and compile specs say of versions and target
  std::vector<std::string> strings;     // texts in a blob that nobody can read which look like names: a guess
};

struct BlobCompileSpec {
  std::string_view key;
  ByteSpan value;
};

// Of one blob. What is not told is nothing, which is not the same as an empty list.
struct BlobMetadata {
  std::string sha256;             // of the blob, 64 lower-case hex digits; empty where it is known without
  std::optional<uint64_t> bytes;  // of the blob
  std::string backend;            // empty for any
  std::string name;               // of the delegate; only tells apart what is said of equal blobs

  std::optional<std::vector<std::string>> operators;  // in the order of the graph
  std::optional<std::vector<BlobConstant>> constants;
  std::optional<std::vector<BlobPart>> parts;  // ascending, disjoint; what lies between them is "unattributed"
  std::optional<std::vector<BlobFact>> facts;
  std::optional<std::vector<std::string>> strings;  // texts that look like names: a guess
  std::optional<std::vector<std::string>> keys;     // that the delegate asks for; those of constants need not be here
};

// The text of a metadata file. Fails with kMalformed, and the member in the message, where it is not what the schema
// says. Whether what it says can be true shows only with the blob: CheckFits.
PTEEDIT_API Result<std::vector<BlobMetadata>> ParseDelegateMetadata(std::string_view json);

// What a decoder answers about the one blob that it was given: an element of a file's list, of which it may leave out
// any member. Fails as ParseDelegateMetadata.
PTEEDIT_API Result<BlobMetadata> ParseBlobMetadata(std::string_view json);

// The text of a metadata file. Names with control bytes or invalid UTF-8 are changed as in all JSON of ours; keys are
// not.
PTEEDIT_API std::string WriteDelegateMetadata(const std::vector<BlobMetadata>& blobs);

// That parts and constants lie in a blob of so many bytes, and that parts do not overlap. kUnsupported, and which does
// not, where they do not.
PTEEDIT_API Status CheckFits(const BlobMetadata& metadata, uint64_t blob_bytes);

// A processed blob with what its program says of it. Views live as long as the call.
struct BlobView {
  std::string_view delegate;  // "XnnpackBackend_0"
  std::string_view backend;
  std::shared_ptr<const Source> blob;  // nothing else
  std::vector<BlobCompileSpec> compile_specs;
};

// Tells what it knows of a blob, or nothing where it knows nothing. Where it fails the blob is opaque, whoever else
// could decode it, and the message says why; only kIo, where the blob itself can no longer be read, ends the operation.
// What does not fit the blob is refused by the caller, in the same way. A decoder is called by one thread at a time.
//
// Decoders are handed to each operation, not registered with the library: two operations of one process may want
// different ones, and none is called by an operation that was not told of it.
using BlobDecoder = std::function<Result<std::optional<BlobMetadata>>(const BlobView& view)>;

// Knows the blobs whose SHA-256 is in `blobs`, for the backend there if any; of several the one with the delegate's
// name, else the first.
PTEEDIT_API BlobDecoder MakeMetadataDecoder(std::vector<BlobMetadata> blobs);

// Asks `decoder` only once about equal blobs of one backend with equal compile specs, and keeps the answers as long as
// it lives.
PTEEDIT_API BlobDecoder RememberAnswers(BlobDecoder decoder);

}  // namespace pteedit

#endif  // PTEEDIT_DELEGATE_METADATA_H_
