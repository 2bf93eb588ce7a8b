// How many bytes the contents of a file have when each is read: where they overlap, as a file of megabytes could make
// thousands do, that is more than the file has.
#ifndef PTEEDIT_SRC_PROGRAM_CONTENT_SIZE_H_
#define PTEEDIT_SRC_PROGRAM_CONTENT_SIZE_H_

#include "program/container_state.h"
#include "pteedit/result.h"

namespace pteedit {

// Fails with kUnsupported where the segments, constants and entries of a file, whose offsets are checked, have more
// bytes than its limits allow. Those at the very same place count once.
Status CheckContentSize(const Container::State& file);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_PROGRAM_CONTENT_SIZE_H_
