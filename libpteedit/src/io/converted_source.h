// Floating-point numbers of one width read as those of another, as exporters convert the weights of a checkpoint.
#ifndef PTEEDIT_SRC_IO_CONVERTED_SOURCE_H_
#define PTEEDIT_SRC_IO_CONVERTED_SOURCE_H_

#include <cstdint>
#include <memory>

#include "pteedit/source.h"

namespace pteedit {

enum class FloatType : uint8_t { kFloat32, kFloat16, kBfloat16 };

constexpr uint64_t BytesOf(FloatType type) { return type == FloatType::kFloat32 ? 4 : 2; }

// What is narrower is rounded to the nearest, to an even one in the middle, as PyTorch does. Reads `numbers`, whose
// size is a multiple of an element's, piece by piece.
std::shared_ptr<const Source> ConvertFloats(std::shared_ptr<const Source> numbers, FloatType from, FloatType to);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_IO_CONVERTED_SOURCE_H_
