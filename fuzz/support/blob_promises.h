// What is promised of every blob that a decoder reads, whatever the bytes are.
#ifndef PTEEDIT_FUZZ_BLOB_PROMISES_H_
#define PTEEDIT_FUZZ_BLOB_PROMISES_H_

#include "delegates/decoder.h"
#include "fuzz_input.h"

namespace pteedit::fuzz {

// Parts are the whole blob, what it names lies inside, and keys are listed once.
inline void CheckBlob(const DecodedBlob& decoded, size_t size) {
  uint64_t end = 0;
  for (const BlobPart& part : decoded.parts) {
    Promise(part.extent.offset == end && part.extent.size != 0, "parts follow each other:", part.name);
    end += part.extent.size;
  }
  Promise(end == size, "parts are the whole blob");
  const std::vector<std::string>& keys = decoded.keys;
  for (const BlobConstant& constant : decoded.constants) {
    const Extent& extent = constant.extent;
    Promise(extent.offset <= size && extent.size <= size - extent.offset, "constants lie inside:", constant.dtype);
    const bool is_listed = constant.key.empty() || std::binary_search(keys.begin(), keys.end(), constant.key);
    Promise(is_listed, "keys of constants are listed:", constant.key);
  }
  const auto& reads = decoded.operator_constants;
  Promise(reads.empty() || reads.size() == decoded.operators.size(), "reads are told of every operator or of none");
  for (const std::vector<size_t>& one : reads) {
    Promise(std::is_sorted(one.begin(), one.end()), "what an operator reads ascends");
    Promise(one.empty() || one.back() < decoded.constants.size(), "what an operator reads is a constant");
  }
  Promise(std::is_sorted(keys.begin(), keys.end()), "keys ascend");
  Promise(std::adjacent_find(keys.begin(), keys.end()) == keys.end(), "keys do not repeat");
}

}  // namespace pteedit::fuzz

#endif  // PTEEDIT_FUZZ_BLOB_PROMISES_H_
