// Looking into the processed blobs of delegates. One small file a backend; a backend without a decoder is opaque and
// still accounted for.
#ifndef PTEEDIT_SRC_DELEGATES_DECODER_H_
#define PTEEDIT_SRC_DELEGATES_DECODER_H_

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/content_index.h"
#include "program/schema.h"
#include "pteedit/bytes.h"
#include "pteedit/container.h"
#include "pteedit/delegate_metadata.h"
#include "pteedit/finding.h"
#include "pteedit/operator_work.h"
#include "pteedit/program_set.h"
#include "pteedit/result.h"
#include "pteedit/source.h"

namespace pteedit {

// The fact that says how much memory a blob takes while it runs.
inline constexpr char kScratchFact[] = "scratch_bytes";
inline constexpr size_t kMaxFactBytes = 256;  // of one, the rest is cut

// What a decoder may look at.
struct BlobInput {
  std::shared_ptr<const Source> source;
  Extent blob;                                 // lies inside the source
  std::vector<BlobCompileSpec> compile_specs;  // look into the program
  const ProgramSet* set = nullptr;             // null: no key can be looked up

  std::optional<ContentPlace> Find(std::string_view key) const;
};

// Of a delegate of the set's program whose blob is there (not an inline one of null).
BlobInput InputOf(const ProgramSet& set, const schema::BackendDelegate& delegate);

// A tensor that a call gives or takes.
struct BlobArgument {
  size_t index = 0;  // in the call
  bool is_output = false;
  std::vector<schema::ScalarType> types;  // of which it is one; empty where that cannot be told
  std::string dtype;                      // the backend's own name of them
  size_t dims = 0;                        // how many; one number may have none or one
};

struct DecodedBlob : BlobContents {
  std::vector<std::string> keys;      // of named data that the backend will ask for, ascending, without repeats
  std::vector<Finding> problems;      // what its runtime would refuse or read wrongly
  std::optional<size_t> arguments;    // that a call takes, where the blob tells
  std::vector<BlobArgument> tensors;  // those of them that the blob describes
};

struct KeyedGraph;

struct Decoder {
  std::string_view backend;  // id of the delegates whose blobs it reads
  bool lists_all_keys = false;
  // Fails with kIo where a source can no longer be read, and with kUnsupported, and what and where in the message,
  // where the blob is none that the decoder knows: then it stays opaque. Damage of a blob that it knows well enough to
  // judge is no error but a problem in the result.
  Result<DecodedBlob> (*decode)(const BlobInput& input) = nullptr;
  bool keys_hash_more = false;  // keys look like the SHA-256 of their bytes but hash more than these
  // The graph, whose keys can be called otherwise. Null where blobs cannot be rewritten; fails as `decode` does, and
  // with kUnsupported where the blob is damaged.
  Result<KeyedGraph> (*open_graph)(const BlobInput& input) = nullptr;
  // What each operator that `decode` tells computes and moves, in that order. Null where no blob tells shapes; fails as
  // `decode` does.
  Result<std::vector<OperatorWork>> (*measure)(const BlobInput& input) = nullptr;
};

std::span<const Decoder> AllDecoders();

// Null where nobody wrote one.
const Decoder* FindDecoder(std::string_view backend);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_DELEGATES_DECODER_H_
