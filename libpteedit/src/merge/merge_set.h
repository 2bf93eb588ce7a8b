// One set of a merge: what leaves its program goes, what comes into it comes, and its files are planned.
#ifndef PTEEDIT_SRC_MERGE_MERGE_SET_H_
#define PTEEDIT_SRC_MERGE_MERGE_SET_H_

#include <cstddef>
#include <vector>

#include "merge/merge_choice.h"
#include "merge/merge_inventory.h"
#include "pteedit/merge.h"
#include "pteedit/result.h"

namespace pteedit {

struct Round;

struct MergedSet {
  MergedProgram files;
  RewriteReport report;           // of this set alone
  bool left_own = false;          // what it has alone is not where it was asked for
  bool keeps_duplicates = false;  // inside the program, which would be no smaller without them
};

// What all sets have in common.
struct MergeTask {
  const std::vector<MergeSet>& sets;
  const MergeOptions& options;
  const Inventory& inventory;
  const MergeChoice& choice;
  const Round* before = nullptr;  // whose outputs the sets are: what stays where it is did not move then
};

// Room for so much that moves or stays: what grows by itself is there twice, and what is not used takes no memory.
void ReserveFor(size_t count, RewriteReport& report);

// `shared` is the shared file opened, or its shards; none where there is nothing to share. What only this set has goes
// where it was asked for, but not where the set would grow: then it stays where it is, in the program or in a data
// file. (A content that tensors and delegates read lies twice in a program, and outside everything needs longer
// tables.)
Result<MergedSet> MergeSetOf(const MergeTask& task, size_t set, const std::vector<Container>& shared);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_MERGE_MERGE_SET_H_
