// Lists of content hashes as text, "<hex>  <what> <name>" a line, and files compared with them.
#ifndef PTEEDIT_TOOLS_PTEINSPECT_HASH_LIST_H_
#define PTEEDIT_TOOLS_PTEINSPECT_HASH_LIST_H_

#include <string>
#include <vector>

#include "pteedit/container.h"
#include "pteedit/hashes.h"
#include "pteedit/result.h"

namespace pteedit::cli {

std::string HashList(const std::vector<ContentHash>& hashes);

struct HashDifference {
  std::string what, name;  // as the list calls them: escaped
  std::string problem;     // "has other bytes", "is gone", "is new"
};

// Where the file's contents are not those of the list in file `list`. Only what the list speaks of is compared, and new
// is what it lacks although it has others of the kind. kInvalidArgument where a line is none of a list, or two kinds of
// hashes are mixed.
Result<std::vector<HashDifference>> CheckHashes(const Container& container, const std::string& list, unsigned threads);

}  // namespace pteedit::cli

#endif  // PTEEDIT_TOOLS_PTEINSPECT_HASH_LIST_H_
