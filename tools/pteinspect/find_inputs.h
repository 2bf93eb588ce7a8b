// What the words of the command line name: files, and folders of outputs.
#ifndef PTEEDIT_TOOLS_PTEINSPECT_FIND_INPUTS_H_
#define PTEEDIT_TOOLS_PTEINSPECT_FIND_INPUTS_H_

#include <string>
#include <vector>

#include "pteedit/result.h"
#include "request.h"

namespace pteedit::cli {

// The files that `words` name. A folder stands for the programs in it, and the folders in it, each with its data files:
// of a single program all of them, else those that DataFilesOf() finds; one that belongs to none is an input of its
// own. Appends data files of folders to `request.data`; all inputs have those that were there, too. Fails with
// kInvalidArgument where a folder has no file of these kinds, and as reading one does.
Result<std::vector<Input>> FindInputs(const std::vector<std::string>& words, Request& request);

// What the value of an option that compares names: "OLD[,OLD.ptd...]", or a folder with one program; nothing where it
// is empty. Fails with kInvalidArgument.
Result<std::vector<std::string>> FindOtherFiles(const std::string& option, const std::string& word);

}  // namespace pteedit::cli

#endif  // PTEEDIT_TOOLS_PTEINSPECT_FIND_INPUTS_H_
