// What is in the processed blobs of a program's delegates, as far as their formats are known.
#ifndef PTEEDIT_DELEGATES_H_
#define PTEEDIT_DELEGATES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "pteedit/bytes.h"
#include "pteedit/container.h"
#include "pteedit/delegate_metadata.h"
#include "pteedit/export.h"
#include "pteedit/program_set.h"
#include "pteedit/rare.h"
#include "pteedit/result.h"

namespace pteedit {

struct RuntimeNeed {
  enum class Kind { kFormat, kKernel, kBackend };
  std::string release;    // the oldest that has it: "0.7"
  std::string what;       // "named data"
  std::string last = {};  // the newest that has it; empty where that is the newest of all
  Kind kind = Kind::kFormat;
};

struct DelegateDescription {
  std::string name;  // "XnnpackBackend_0"
  std::string backend;
  std::string method;
  bool is_inline = false;
  bool decoded = false;           // rather than opaque
  uint32_t index = 0;             // of the segment or the inline blob
  Extent blob;                    // in the file, also where that is a bundle
  Rare<std::string> shared_with;  // the first delegate with the same blob, empty where this is it
  Rare<std::string> why_opaque;   // empty where nobody wrote a decoder for the backend
  Rare<BlobContents> contents;    // nothing where it is opaque

  struct CompileSpec {
    std::string key;
    uint64_t bytes = 0;
    std::string text;  // the value, where all of it is printable ASCII
  };
  std::vector<CompileSpec> compile_specs;

  // Keys that the delegate asks for: those that a decoder lists; else those of the named data that blob or compile
  // specs mention.
  struct Key {
    std::string key;
    std::optional<uint64_t> bytes;     // nothing where neither the program nor a data file has it
    SharedOptional<std::string> file;  // the program or data file that has it
    Rare<std::string> name;            // of the bytes, empty where they have none but the key
  };
  std::vector<Key> keys;

  std::vector<RuntimeNeed> runtime;  // what backend and blob need of the runtime that not every release has
};

// Of the blob, in its order; they add up to it. One, the whole, where it is opaque.
PTEEDIT_API std::vector<BlobPart> PartsOf(const DelegateDescription& delegate);

// In file order; of a bundle, those of the program inside; of a data file none. `decoders` are asked
// about each blob in their order, and before those of the library; what they do
// not tell of a blob that they know is what the library finds. Fails only where a file can no longer be read.
PTEEDIT_API Result<std::vector<DelegateDescription>> DescribeDelegates(const ProgramSet& set,
                                                                       const std::vector<BlobDecoder>& decoders = {});

// Memory that a delegate takes while it runs, beside what is planned for its method, where its blob or the user's
// metadata says so, by the fact "scratch_bytes".
PTEEDIT_API std::optional<uint64_t> ScratchBytes(const DelegateDescription& delegate);

// What is known about the delegates of `file` that could be decoded, `delegates` being all that DescribeDelegates found
// in it. Reads their blobs, for the hashes; fails only where these can no longer be read.
PTEEDIT_API Result<std::vector<BlobMetadata>> CollectMetadata(const Container& file,
                                                              const std::vector<DelegateDescription>& delegates);

}  // namespace pteedit

#endif  // PTEEDIT_DELEGATES_H_
