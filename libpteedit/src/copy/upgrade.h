// Old layouts into today's, which released runtimes ask for.
#ifndef PTEEDIT_SRC_COPY_UPGRADE_H_
#define PTEEDIT_SRC_COPY_UPGRADE_H_

#include "edit/model.h"
#include "pteedit/rewrite_report.h"

namespace pteedit {

// Moves the constants in the tables to a segment, the first, as today's exporter has it; one without constants gets
// the list that says so. Adds a note where there was something to do.
void MoveInlineConstants(ProgramModel& model, RewriteReport& report);

// Also the header to the one that tells the size of the segments, as every rewrite has it.
void Upgrade(ProgramModel& model, RewriteReport& report);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_COPY_UPGRADE_H_
