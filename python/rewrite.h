// Splits, joins, merges, strips and copies that are planned; pteedit.rewrite gives them their Python face.
#ifndef PTEEDIT_PYTHON_REWRITE_H_
#define PTEEDIT_PYTHON_REWRITE_H_

#include <pybind11/pybind11.h>

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "pteedit/planned_file.h"
#include "pteedit/source.h"
#include "rewrite_output.h"
#include "sources.h"

namespace pteedit::python {

// What an operation planned, with the names that its report has for the files: data before the programs that need it.
struct Rewrite {
  std::vector<Output> outputs;
  std::vector<std::string> inputs;  // paths that no output may have
  std::set<std::shared_ptr<const Source>> read;
  Failures failures;  // of the inputs, which are read once more when the outputs are written
  cli::RewriteOutput report;

  void Add(const std::string& name, const PlannedFile& file, const char* role) {
    outputs.push_back({name, file});
    report.outputs.push_back({name, file.size(), role, {}});
  }
  // The data file, or its shards.
  std::vector<PlannedFile> Shared() const {
    std::vector<PlannedFile> files;
    for (size_t i = 0; i < outputs.size(); ++i) {
      if (report.outputs[i].role == "shared") files.push_back(outputs[i].file);
    }
    return files;
  }
};

void AddRewrites(pybind11::module_& module);

}  // namespace pteedit::python

#endif  // PTEEDIT_PYTHON_REWRITE_H_
