// The plain structs of sizes.h and describe.h, as Python classes whose members can be read.
#ifndef PTEEDIT_PYTHON_DESCRIBE_H_
#define PTEEDIT_PYTHON_DESCRIBE_H_

#include <pybind11/pybind11.h>

namespace pteedit::python {

void AddDescriptions(pybind11::module_& module);

}  // namespace pteedit::python

#endif  // PTEEDIT_PYTHON_DESCRIBE_H_
