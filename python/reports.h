// Reports of the library as dicts, member for member those of pteinspect --json; names keep what JSON cannot show.
#ifndef PTEEDIT_PYTHON_REPORTS_H_
#define PTEEDIT_PYTHON_REPORTS_H_

#include <pybind11/pybind11.h>

#include <string>
#include <vector>

#include "pteedit/delegates.h"
#include "pteedit/diff.h"

namespace pteedit::python {

pybind11::list DelegatesReport(const std::vector<DelegateDescription>& delegates);

struct DiffedFiles {
  const Container& old;
  const std::vector<Container>& old_data;
  const Container& now;
  const std::vector<Container>& new_data;
};
pybind11::dict DiffReport(const DiffedFiles& files, const FileDiff& diff);

}  // namespace pteedit::python

#endif  // PTEEDIT_PYTHON_REPORTS_H_
