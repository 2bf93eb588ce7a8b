// What the tables of a program say, as tuples of which pteedit's views are made.
#ifndef PTEEDIT_PYTHON_LOOKS_H_
#define PTEEDIT_PYTHON_LOOKS_H_

#include <pybind11/pybind11.h>

#include "opened_file.h"

namespace pteedit::python {

void AddLooks(pybind11::class_<OpenedFile>& container);

}  // namespace pteedit::python

#endif  // PTEEDIT_PYTHON_LOOKS_H_
