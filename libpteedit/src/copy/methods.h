// Edits of the list of methods.
#ifndef PTEEDIT_SRC_COPY_METHODS_H_
#define PTEEDIT_SRC_COPY_METHODS_H_

#include "edit/model.h"
#include "pteedit/copy.h"
#include "pteedit/result.h"
#include "pteedit/rewrite_report.h"

namespace pteedit {

// Keeps, removes and renames methods, in this order. What the removed ones used stays in the tables. Adds what went to
// the report, and a note for each new name.
Status ChooseMethods(ProgramModel& model, const CopyOptions& options, RewriteReport& report);

// Constant methods in the place of those that they replace, else behind all others.
Status SetMethods(ProgramModel& model, const CopyOptions& options, RewriteReport& report);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_COPY_METHODS_H_
