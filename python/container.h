// Opened files as a Python class, and all that is measured, compared and verified of them.
#ifndef PTEEDIT_PYTHON_CONTAINER_H_
#define PTEEDIT_PYTHON_CONTAINER_H_

#include <pybind11/pybind11.h>

namespace pteedit::python {

void AddContainer(pybind11::module_& module);

}  // namespace pteedit::python

#endif  // PTEEDIT_PYTHON_CONTAINER_H_
