// What stripping takes out of a program, in a file beside it: a program whose methods have stack traces and nothing
// that runs, which all that reads programs can read. FORMAT.md, "Debug files", has the bytes.
#ifndef PTEEDIT_DEBUG_FILE_H_
#define PTEEDIT_DEBUG_FILE_H_

#include <optional>

#include "pteedit/container.h"
#include "pteedit/export.h"
#include "pteedit/planned_file.h"
#include "pteedit/result.h"

namespace pteedit {

// The stack traces of `file`, a .pte or .bpte; nothing where it has none. Fails as a rewrite of it does.
PTEEDIT_API Result<std::optional<PlannedFile>> PlanDebugFile(const Container& file);

// kInvalidArgument, blaming `debug`, where that is no debug file or one of another program: where no method, or one of
// the methods that both have, has other instructions than it was made of. What rewrites do to a program, and edits to
// other methods, changes nothing of that.
PTEEDIT_API Status CheckDebugFile(const Container& debug, const Container& file);

}  // namespace pteedit

#endif  // PTEEDIT_DEBUG_FILE_H_
