// Plans as lists of pieces, so that another process, or machine, can write them.
#ifndef PTEEDIT_PYTHON_PIECES_H_
#define PTEEDIT_PYTHON_PIECES_H_

#include <pybind11/pybind11.h>

#include "rewrite.h"

namespace pteedit::python {

void AddPieces(pybind11::module_& module, pybind11::class_<Rewrite>& rewrite);

}  // namespace pteedit::python

#endif  // PTEEDIT_PYTHON_PIECES_H_
