// What a graph of the native backend says of a tensor: of what it is made, and how much memory that takes.
#ifndef PTEEDIT_SRC_DELEGATES_NATIVE_META_H_
#define PTEEDIT_SRC_DELEGATES_NATIVE_META_H_

#include <cstdint>
#include <vector>

#include "delegates/native_schema.h"

namespace pteedit {

// PyTorch's number of the type; those of the types without sign are others in these graphs.
int8_t NativeTorchNumber(schema::native::ScalarType type);

// 0 of a type that nobody knows.
uint64_t NativeElementBytes(schema::native::ScalarType type);

// Of an element, without scales; 0 where it is not known. Of 4 bits, two share a byte; how other widths below 8 are
// packed, and what codecs do, is not known.
uint64_t NativeBitsOf(const schema::native::TensorMeta& meta);

// Of the scales, or zero points, of a tensor of these sizes: one a group.
std::vector<uint64_t> NativeScaleSizes(std::vector<uint64_t> sizes, int32_t group_size);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_DELEGATES_NATIVE_META_H_
