// What the runtime measured, as plain lists and dicts, and tables as the exporter's Inspector prints them.
#ifndef PTEEDIT_PYTHON_PROFILE_H_
#define PTEEDIT_PYTHON_PROFILE_H_

#include <pybind11/pybind11.h>

namespace pteedit::python {

void AddProfile(pybind11::module_& module);

}  // namespace pteedit::python

#endif  // PTEEDIT_PYTHON_PROFILE_H_
