// Python functions that know what is in blobs, as decoders of the library.
#ifndef PTEEDIT_PYTHON_DECODERS_H_
#define PTEEDIT_PYTHON_DECODERS_H_

#include <pybind11/pybind11.h>

#include <vector>

#include "pteedit/delegate_metadata.h"
#include "sources.h"

namespace pteedit::python {

// Calls the function that `functions` has for a blob's backend, if any, with the blob, the backend and its compile
// specs as pairs, once for equal blobs. It answers with what becomes the metadata's JSON, or None. Where it raises an
// Exception, or its answer is wrong, the blob is opaque and a RuntimeWarning says why; what is no Exception is raised
// on through `failures`. To be made under the GIL.
std::vector<BlobDecoder> DecodersOf(pybind11::dict functions, Failures& failures);

}  // namespace pteedit::python

#endif  // PTEEDIT_PYTHON_DECODERS_H_
