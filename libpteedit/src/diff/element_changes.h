// How two contents differ element by element, as numbers where their types are.
#ifndef PTEEDIT_SRC_DIFF_ELEMENT_CHANGES_H_
#define PTEEDIT_SRC_DIFF_ELEMENT_CHANGES_H_

#include <cstdint>
#include <optional>
#include <string_view>

#include "io/content_index.h"
#include "pteedit/diff.h"

namespace pteedit {

// PyTorch's number of the type that a backend calls `dtype`: "fp32" and "float32" are one. Nothing where several
// elements share a byte, or the name is not known.
std::optional<int8_t> ScalarTypeOf(std::string_view dtype);

// Whose elements are to be compared.
struct TypedContent {
  ContentPlace place;
  std::optional<int8_t> scalar_type;  // nothing where it is not known or packed
};

// Nothing where both have neither numbers of as many elements nor as many bytes. Reads both, piece by piece.
Result<std::optional<ElementChange>> CompareElements(const TypedContent& before, const TypedContent& after);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_DIFF_ELEMENT_CHANGES_H_
