// What every rewrite has to say beside the items it moved.
#ifndef PTEEDIT_SRC_EDIT_REPORT_NOTES_H_
#define PTEEDIT_SRC_EDIT_REPORT_NOTES_H_

#include "pteedit/container.h"
#include "pteedit/rewrite_report.h"

namespace pteedit {

// Bytes behind the last segment belong to nothing in the format, so a new layout has no place for them.
void NoteTrailingBytes(const Container& before, RewriteReport& report);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_EDIT_REPORT_NOTES_H_
