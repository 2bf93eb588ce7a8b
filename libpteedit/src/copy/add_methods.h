// The methods of another program behind those of the one that is edited.
#ifndef PTEEDIT_SRC_COPY_ADD_METHODS_H_
#define PTEEDIT_SRC_COPY_ADD_METHODS_H_

#include <string>

#include "edit/model.h"
#include "pteedit/container.h"
#include "pteedit/result.h"
#include "pteedit/rewrite_report.h"

namespace pteedit {

// Appends all methods of `other` with all that they use: constants, initial states, blobs, named data. Nothing is
// shared yet but named data; inline constants of either go to a segment. `model` looks into `other` from then on. Each
// method keeps its operators, delegates and memory plan. Fails with kInvalidArgument where both have a method of one
// name, and kUnsupported where names decide which bytes are read and would be those of the wrong program: a key that
// both have over different bytes, or that one of them reads from a data file, unless it tells its content; delegates of
// a backend in both that shares constants by name.
Status AddMethods(ProgramModel& model, const Container& other, const std::string& output_name, RewriteReport& report);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_COPY_ADD_METHODS_H_
