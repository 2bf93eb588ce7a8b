// One array as a file of NumPy (.npy), versions 1 to 3:
//   "\x93NUMPY" | version: major, minor | length of the header, u16 in version 1, else u32 | header | elements
//   header: {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), } and blanks, a Python literal
// Read strictly, and only the header.
#ifndef PTEEDIT_SRC_FORMATS_NPY_H_
#define PTEEDIT_SRC_FORMATS_NPY_H_

#include <cstdint>
#include <string>
#include <vector>

#include "pteedit/bytes.h"
#include "pteedit/result.h"
#include "pteedit/source.h"

namespace pteedit {

struct NpyArray {
  std::string dtype;  // "float32"; empty for elements of a type that NumPy does not have, such as bfloat16
  uint64_t element_bytes = 0;
  std::vector<uint64_t> sizes;
  bool fortran_order = false;  // the first dimension runs fastest, otherwise the last
  Extent place;                // in the file
};

// Whether it begins as such files do.
Result<bool> IsNpy(const Source& source);

// kMalformed where the header is not what NumPy writes, or the file has other bytes than it says; kUnsupported where
// the version is not known, elements are big-endian, objects or have fields, or the header has more bytes than NumPy
// itself reads; kIo where the file cannot be read.
Result<NpyArray> ReadNpyHeader(const Source& source);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_FORMATS_NPY_H_
