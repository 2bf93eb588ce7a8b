// Edits of the named data of a program or data file.
#ifndef PTEEDIT_SRC_COPY_NAMED_DATA_H_
#define PTEEDIT_SRC_COPY_NAMED_DATA_H_

#include "edit/model.h"
#include "pteedit/copy.h"
#include "pteedit/result.h"
#include "pteedit/rewrite_report.h"

namespace pteedit {

// Removes, renames and adds keys, in this order. Keys that a tensor or delegate of the program reads neither go nor get
// another name. Adds what came and went to the report, and a note for each new name.
Status EditNamedData(ProgramModel& model, const CopyOptions& options, RewriteReport& report);
Status EditNamedData(DataModel& model, const CopyOptions& options, RewriteReport& report);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_COPY_NAMED_DATA_H_
