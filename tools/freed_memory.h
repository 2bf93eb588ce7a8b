// What a tool does so that it takes no more memory than it needs at a time. Elsewhere than in a tool none of this does
// anything, as there the memory is not ours.
#ifndef PTEEDIT_TOOLS_FREED_MEMORY_H_
#define PTEEDIT_TOOLS_FREED_MEMORY_H_

namespace pteedit::cli {

// Of a tool, when it begins: from now on large blocks go back to the system when they are freed. By itself the GNU
// library soon keeps some for later, and a tool takes as much memory as all that it ever needed at different times.
void GiveBackLargeBlocks();

// What is free between small blocks goes back now: before something else that takes much.
void GiveBackSmallBlocks();

}  // namespace pteedit::cli

#endif  // PTEEDIT_TOOLS_FREED_MEMORY_H_
