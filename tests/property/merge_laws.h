// What must hold for every family of programs that is merged, generated or real. Each law returns what is wrong, or
// nothing; so it does where a merge is refused as unsupported.
#ifndef PTEEDIT_TESTS_PROPERTY_MERGE_LAWS_H_
#define PTEEDIT_TESTS_PROPERTY_MERGE_LAWS_H_

#include <string>
#include <vector>

#include "laws.h"
#include "pteedit/merge.h"

namespace pteedit::test {

using Family = std::vector<Files>;

// Each merged program, with its data files and when joined with them, means what it meant; what is in the outputs is
// what was in the inputs.
std::string MergeKeepsTheMeaning(const Family& family, const MergeOptions& options);

// Reversing the sets, or the data files in each, gives the same bytes, and so does merging the outputs, and leaving out
// data files to which no program refers.
std::string MergeDependsOnContentsAlone(const Family& family, const MergeOptions& options);

// The last set changes nothing of what is written for the others where the shared file holds the same without it.
// (Where the last has pages, the shared file may have them too then; where it brings a smaller one, that is taken.)
std::string MergeGrowsInPlace(const Family& family, const MergeOptions& options);

// The last set, merged against the shared file of the others as a base, means what it meant and stays clean, and
// merging what came of it again changes nothing.
std::string MergeAgainstABase(const Family& family, const MergeOptions& options);

// After a merge of the others as the release before, all mean what they meant, what is still shared is where it was,
// the order of the sets says nothing, and merging after that result gives it again.
std::string MergeKeepsPlaces(const Family& family, const MergeOptions& options);

// Half the shared file is enough for each of its shards, or the merge says for which entry it is not; the laws of one
// shared file hold for several.
std::string ShardsAreSmallEnough(const Family& family, const MergeOptions& options);

// Each merged program, joined with its data files, is the same as it was up to layout. Keys that only other sets have
// come inside too.
std::string MergeAndJoinIsTheSame(const Family& family, const MergeOptions& options);

// Of each set no kind has more errors than before, and a clean one stays clean.
std::string MergeStaysClean(const Family& family, const MergeOptions& options);

// Together the outputs are no larger than the inputs.
std::string MergeNeverGrows(const Family& family, const MergeOptions& options);

}  // namespace pteedit::test

#endif  // PTEEDIT_TESTS_PROPERTY_MERGE_LAWS_H_
