// The library's errors as exceptions.
#ifndef PTEEDIT_PYTHON_ERRORS_H_
#define PTEEDIT_PYTHON_ERRORS_H_

#include <pybind11/pybind11.h>

namespace pteedit::python {

void AddErrors(pybind11::module_& module);

}  // namespace pteedit::python

#endif  // PTEEDIT_PYTHON_ERRORS_H_
