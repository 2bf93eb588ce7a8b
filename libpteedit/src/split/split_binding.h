// The last edit of a split: binding the program to the data files that it is loaded with.
#ifndef PTEEDIT_SRC_SPLIT_SPLIT_BINDING_H_
#define PTEEDIT_SRC_SPLIT_SPLIT_BINDING_H_

#include "pteedit/program_set.h"
#include "pteedit/result.h"
#include "pteedit/split.h"

namespace pteedit {

// Binds the planned program as the options ask to the new data file, which gets an entry for it, and to bases; with
// Bind::kAlways also to the data files of `set`. What it is bound to already it stays bound to, but with Bind::kNever.
// Fails as KeyOfKept does.
Status BindSplit(const ProgramSet& set, const SplitOptions& options, SplitResult& result);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_SPLIT_SPLIT_BINDING_H_
