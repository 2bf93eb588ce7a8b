// A program and the data files that are loaded with it, checked against each other: what the runtime refuses, and what
// it would silently answer wrongly.
#ifndef PTEEDIT_SRC_PROGRAM_FILE_SET_H_
#define PTEEDIT_SRC_PROGRAM_FILE_SET_H_

#include <string>
#include <string_view>
#include <vector>

#include "program/schema.h"
#include "pteedit/container.h"
#include "pteedit/program_set.h"
#include "pteedit/result.h"

namespace pteedit {

// Calls visit(method index, value index, tensor) for every tensor value.
template <class Visit>
void ForEachTensor(const schema::Program& program, Visit visit) {
  const auto& plans = OrEmpty(program.execution_plan());
  for (flatbuffers::uoffset_t method = 0; method < plans.size(); ++method) {
    const auto& values = OrEmpty(plans.Get(method)->values());
    for (flatbuffers::uoffset_t value = 0; value < values.size(); ++value) {
      if (const schema::Tensor* tensor = values.Get(value)->val_as_Tensor()) visit(method, value, *tensor);
    }
  }
}

// What a program and its data files are together. Every problem and remark names the file to blame.
struct FileSet {
  // Keys in two data files, external tensors without their key, layout or bytes, keys of the program's named data with
  // other bytes in a data file, which would hide it. kMalformed; kUnsupported where a key is in no file.
  std::vector<Error> problems;
  std::vector<Error> remarks;  // what runs right all the same
};

// Fails only where a file can no longer be read.
Result<FileSet> ExamineTogether(const ProgramSet& set);

// That whatever is at `where`, in the program itself where that is empty, needs a key that no file has.
Error MissingKey(std::string_view key, const std::string& where, const std::vector<Container>& data);

// The first problem.
Status CheckTogether(const ProgramSet& set);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_PROGRAM_FILE_SET_H_
