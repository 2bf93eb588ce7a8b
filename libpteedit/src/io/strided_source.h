// Elements that lie anywhere in another source, as if they lay one after the other.
#ifndef PTEEDIT_SRC_IO_STRIDED_SOURCE_H_
#define PTEEDIT_SRC_IO_STRIDED_SOURCE_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "pteedit/result.h"
#include "pteedit/source.h"

namespace pteedit {

// As PyTorch has it; strides and offset in elements.
struct StridedLayout {
  uint64_t element_bytes = 1;
  int64_t offset = 0;
  std::vector<int64_t> sizes, strides;
};

// All elements, the last dimension running fastest. kMalformed where one of them does not lie inside `storage`, or the
// layout makes no sense; kUnsupported where they are spread over more than 256 MiB, since they may repeat a few bytes.
// Messages begin with a verb.
Result<std::shared_ptr<const Source>> MakeStridedSource(std::shared_ptr<const Source> storage, StridedLayout layout);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_IO_STRIDED_SOURCE_H_
