// Reports of the library, member for member those that the tools print as JSON; texts keep what JSON cannot show.
#ifndef PTEEDIT_PYTHON_REPORTS_H_
#define PTEEDIT_PYTHON_REPORTS_H_

#include <pybind11/pybind11.h>

#include "json.h"

namespace pteedit::python {

// Dictionaries, lists, numbers, texts and None.
pybind11::object ReportToPython(const cli::Json& report);

}  // namespace pteedit::python

#endif  // PTEEDIT_PYTHON_REPORTS_H_
