// Lists of content hashes as text, "<hex>  <what> <name>" a line, and files compared with them.
#ifndef PTEEDIT_TOOLS_VIEWS_HASH_LIST_H_
#define PTEEDIT_TOOLS_VIEWS_HASH_LIST_H_

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "pteedit/hashes.h"
#include "pteedit/program_set.h"
#include "pteedit/result.h"

namespace pteedit::cli {

void PrintHashList(const std::vector<ContentHash>& hashes, std::ostream& out);

struct HashDifference {
  std::string file;        // that has it; the first of those that were compared where none has
  std::string what, name;  // as the list calls them: escaped
  std::string problem;     // "has other bytes", "is gone", "is new"
};

struct CheckedHashes {
  std::string file;       // the one that is no data file of the others
  uint64_t contents = 0;  // that were compared
  std::vector<HashDifference> differences;
};

// Where the contents of the files, wherever among them they lie, are not those of the list in file `list`, as
// PrintHashList wrote it for one file or each of several, with titles. Only what the list speaks of is compared, and
// new is what it lacks although it has others of the kind. kInvalidArgument where a line is none of a list, or two
// kinds of hashes are mixed.
Result<CheckedHashes> CheckHashes(const ProgramSet& set, const std::string& list, unsigned threads);

}  // namespace pteedit::cli

#endif  // PTEEDIT_TOOLS_VIEWS_HASH_LIST_H_
