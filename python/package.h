// Releases, deltas and updates, as functions over folders; pteedit.package gives them their Python face.
#ifndef PTEEDIT_PYTHON_PACKAGE_H_
#define PTEEDIT_PYTHON_PACKAGE_H_

#include <pybind11/pybind11.h>

namespace pteedit::python {

void AddPackage(pybind11::module_& module);

}  // namespace pteedit::python

#endif  // PTEEDIT_PYTHON_PACKAGE_H_
