// One spelling of element types, whoever stored them.
#ifndef PTEEDIT_DTYPES_H_
#define PTEEDIT_DTYPES_H_

#include <string>
#include <string_view>

#include "pteedit/export.h"

namespace pteedit {

// As PyTorch calls the elements that a backend calls `dtype`: "float32" for "fp32", "f32" and "VK_FORMAT_R32_SFLOAT",
// "int8" for "qcint8"; `dtype` itself where nothing is known of it. Scales and zero points are no part of a type.
PTEEDIT_API std::string CommonDtype(std::string_view dtype);

}  // namespace pteedit

#endif  // PTEEDIT_DTYPES_H_
