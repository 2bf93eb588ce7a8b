// What people call the contents of a file: the names in a checkpoint, found by content. They are for people: everything
// that shows constants and keys shows them, and nobody goes by them who writes a file.
#ifndef PTEEDIT_NAMES_H_
#define PTEEDIT_NAMES_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "pteedit/container.h"
#include "pteedit/export.h"
#include "pteedit/result.h"
#include "pteedit/source.h"

namespace pteedit {

struct ContentName {
  std::string name;
  uint64_t bytes = 0;
  std::string sha256;           // of the bytes, 64 lower-case hex digits; empty where `data` tells
  std::vector<uint64_t> sizes;  // of a tensor, the last dimension running fastest; empty where they are not known
  std::shared_ptr<const Source> data = nullptr;  // nothing but these bytes; null where only their hash is known
  std::string dtype = {};                        // as CommonDtype() spells it; empty where it is not known
};

// The tensors of a safetensors file, of which only the header is read. Fails with kUnsupported where it is none,
// kMalformed where it is damaged, kIo where it cannot be read.
PTEEDIT_API Result<std::vector<ContentName>> ReadSafetensors(const std::shared_ptr<const Source>& file);

// The same contents with their hashes instead of bytes, first as they are, then in the forms that programs store them
// in, see ContentNames. Reads all of them, with `threads` threads. Fails with kIo.
PTEEDIT_API Result<std::vector<ContentName>> HashContentNames(const std::vector<ContentName>& contents,
                                                              unsigned threads = 1);

class PTEEDIT_API ContentNames {
 public:
  explicit ContentNames(std::vector<ContentName> contents = {});

  bool empty() const;
  // The file with the names of its constants, initial states and entries, and of the weights that lie in its delegates'
  // blobs: those whose bytes, or whose key, if it is the hash of its bytes, are those of one of the contents, as they
  // are, with dimensions exchanged as backends do it (transposed, or channels last), converted from one to another of
  // float32, float16 and bfloat16, or as numbers from -8 to 7 of one byte packed into half a byte. Of bytes with
  // several names the first eight count; contents under 64 bytes are taken for the same only if their sizes
  // are, too, but for dimensions of one.
  // Reads only what has a size that occurs on both sides, each content once, whatever number of files is named; the
  // result is the same with any number of threads, but several must not call it at once. Fails with kUnsupported where
  // the names take more than the file's limits allow, kIo where something cannot be read.
  Result<Container> Name(const Container& file, unsigned threads = 1) const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

// Contents of a file: constants, initial states, entries; where names were looked for, weights in blobs, too.
struct NameCount {
  uint64_t contents = 0;
  uint64_t unnamed = 0;  // called by their number or hash only
  uint64_t unnamed_bytes = 0;
};
PTEEDIT_API NameCount CountNames(const Container& file);

}  // namespace pteedit

#endif  // PTEEDIT_NAMES_H_
