// File names in one word of the command line.
#ifndef PTEEDIT_TOOLS_FILE_NAMES_H_
#define PTEEDIT_TOOLS_FILE_NAMES_H_

#include <string>
#include <vector>

#include "pteedit/result.h"

namespace pteedit::cli {

// "A.pte[,A.ptd...]"; "\," is a comma in a name. kInvalidArgument where a name is empty.
Result<std::vector<std::string>> SplitFileNames(const std::string& text);

// The same of a program and its data files, with those inside where it is an archive.
Result<std::vector<std::string>> SplitSet(const std::string& text);

// "[NAME=]A.pte[,A.ptd...]", a SET. A NAME holds no '/', so "./a=b.pte" has none. kInvalidArgument where a name is
// none.
struct NamedFiles {
  std::string name;                // empty where none was given
  std::vector<std::string> paths;  // the program first
};
Result<NamedFiles> ParseNamedFiles(const std::string& text);

}  // namespace pteedit::cli

#endif  // PTEEDIT_TOOLS_FILE_NAMES_H_
