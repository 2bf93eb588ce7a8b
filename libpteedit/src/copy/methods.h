// Edits of the list of methods.
#ifndef PTEEDIT_SRC_COPY_METHODS_H_
#define PTEEDIT_SRC_COPY_METHODS_H_

#include "edit/model.h"
#include "pteedit/copy.h"
#include "pteedit/result.h"
#include "pteedit/rewrite_report.h"

namespace pteedit {

// Keeps, removes, renames and sets methods, in this order. What the removed ones used stays in the tables. Adds what
// came and went to the report, and a note for each new name.
Status EditMethods(ProgramModel& model, const CopyOptions& options, RewriteReport& report);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_COPY_METHODS_H_
