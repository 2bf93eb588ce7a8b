// One round of a merge: list what the sets hold, choose what leaves each, fill the shared file, merge set by set.
#ifndef PTEEDIT_SRC_MERGE_MERGE_ROUND_H_
#define PTEEDIT_SRC_MERGE_MERGE_ROUND_H_

#include <optional>
#include <string>
#include <vector>

#include "merge/keyed_data.h"
#include "pteedit/container.h"
#include "pteedit/merge.h"
#include "pteedit/result.h"

namespace pteedit {

// A result, and whether merging it again may do more: a key that meant several things is free once it means none, and
// what is together in one file takes less room than apart.
struct Round {
  MergeResult result;
  bool may_settle = false;
  bool keeps_duplicates = false;  // that may not pay for themselves the next time
};

// `before`: the round whose outputs the sets are. Nothing where they are what merging them gives. Fails as
// MergePrograms does; nothing is verified.
Result<std::optional<Round>> MergeOnce(const std::vector<MergeSet>& sets, const Round* before,
                                       const MergeOptions& options, KeyAlignments& alignments);

// The shared file, or its shards.
Result<std::vector<Container>> OpenShared(const std::vector<PlannedFile>& shared, const std::string& name);

// Puts the items, notes and what was skipped behind those of `report`.
void AddReport(RewriteReport& report, RewriteReport more);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_MERGE_MERGE_ROUND_H_
