// What the SET arguments name: which files belong together, and where in the output folder they go.
#ifndef PTEEDIT_TOOLS_PTEMERGE_SETS_H_
#define PTEEDIT_TOOLS_PTEMERGE_SETS_H_

#include <string>
#include <vector>

#include "file_names.h"
#include "pteedit/result.h"

namespace pteedit::cli {

struct SetFiles : NamedFiles {
  std::string output;       // of the program, from the output folder on
  std::string data_output;  // of its own data file
};

// Fills in the outputs: programs keep their paths below their deepest common folder, named ones go to NAME. Fails with
// kInvalidArgument where two would get the same, or one that of the shared file. `with_data`: sets were asked to have
// data files of their own.
Status PlaceOutputs(std::vector<SetFiles>& sets, const std::string& shared_name, bool with_data);

}  // namespace pteedit::cli

#endif  // PTEEDIT_TOOLS_PTEMERGE_SETS_H_
