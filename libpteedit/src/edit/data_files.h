// What is to be in data files, laid out in as many as it takes.
#ifndef PTEEDIT_SRC_EDIT_DATA_FILES_H_
#define PTEEDIT_SRC_EDIT_DATA_FILES_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "edit/binding.h"
#include "edit/model.h"
#include "pteedit/binding.h"
#include "pteedit/planned_file.h"
#include "pteedit/result.h"

namespace pteedit {

struct DataFileLimits {
  uint64_t min_alignment = 16;
  std::optional<uint64_t> max_bytes;  // of a file once it is bound, see SizeWhenBound
  Bind bind = Bind::kNever;
  Places places = Places::kAnew;
};

// The files of `begun`, each as it is, and the segments of `more` with their entries: behind those of the last file,
// and, once that would be larger than it may be, in further ones, in the order that they have. A file that gets
// nothing more may be larger. kInvalidArgument where one segment alone is too much for a file.
Result<std::vector<PlannedFile>> PlanDataFiles(std::vector<DataModel> begun, DataModel more,
                                               const DataFileLimits& limits);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_EDIT_DATA_FILES_H_
