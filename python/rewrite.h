// Splits, joins, merges, strips and copies that are planned; pteedit.rewrite gives them their Python face.
#ifndef PTEEDIT_PYTHON_REWRITE_H_
#define PTEEDIT_PYTHON_REWRITE_H_

#include <pybind11/pybind11.h>

namespace pteedit::python {

void AddRewrites(pybind11::module_& module);

}  // namespace pteedit::python

#endif  // PTEEDIT_PYTHON_REWRITE_H_
