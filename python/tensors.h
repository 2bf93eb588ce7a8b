// Tensors of data files, and data files of tensors; pteedit.ptd gives them their Python face.
#ifndef PTEEDIT_PYTHON_TENSORS_H_
#define PTEEDIT_PYTHON_TENSORS_H_

#include <pybind11/pybind11.h>

namespace pteedit::python {

void AddTensors(pybind11::module_& module);

}  // namespace pteedit::python

#endif  // PTEEDIT_PYTHON_TENSORS_H_
