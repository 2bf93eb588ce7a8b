// Values of programs: tensors, numbers, texts, and lists and dictionaries of these, and what can be said of them. The
// bytes of tensors stay in their file until somebody reads them.
#ifndef PTEEDIT_PROFILE_TENSOR_VALUES_H_
#define PTEEDIT_PROFILE_TENSOR_VALUES_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pteedit/export.h"
#include "pteedit/result.h"
#include "pteedit/source.h"

namespace pteedit {

// Elements in the order of the sizes, the last one running fastest, little endian, without gaps.
struct TensorValue {
  int8_t scalar_type = 0;      // see ScalarTypeName
  std::vector<int64_t> sizes;  // none negative; empty for a tensor of one element without dimensions
  uint64_t bytes = 0;          // of all elements; what a file claims, which may be more than fits into memory
  // Just these bytes. Null where there are none, or where there is no debug buffer and all of them count as zero.
  std::shared_ptr<const Source> data;
};

struct DebugValue {
  enum class Kind { kNone, kInt, kBool, kDouble, kText, kTensor, kList, kDict };
  Kind kind = Kind::kNone;
  int64_t number = 0;             // kInt; kBool: 0 or 1
  double real = 0;                // kDouble
  std::string text;               // kText
  TensorValue tensor;             // kTensor
  std::vector<DebugValue> items;  // kList, kDict
  std::vector<std::string> keys;  // kDict: of its items
};

// All elements, whole numbers and truth values as numbers, others as reals; no type loses digits. None of a type that
// cannot be read, as complex numbers.
struct TensorElements {
  std::vector<int64_t> numbers;
  std::vector<double> reals;
};
// Fails with kInvalidArgument where there are more than `most`, kIo where they cannot be read.
PTEEDIT_API Result<TensorElements> ReadElements(const TensorValue& tensor, uint64_t most);

struct TensorStatistics {
  uint64_t elements = 0, nans = 0, infinities = 0;  // the last two of a type that can be read
  std::optional<double> min, max, mean;             // of all other elements, where there are any
};
// Reads the tensor piece by piece. Fails with kIo where it cannot be read.
PTEEDIT_API Result<TensorStatistics> StatisticsOf(const TensorValue& tensor);

// SHA-256 of the bytes, in hex. Fails with kIo where they cannot be read.
PTEEDIT_API Result<std::string> ContentHashOf(const TensorValue& tensor);

}  // namespace pteedit

#endif  // PTEEDIT_PROFILE_TENSOR_VALUES_H_
