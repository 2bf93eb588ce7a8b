// What --names gives: files that know what contents are called.
#ifndef PTEEDIT_TOOLS_TEXT_NAMES_H_
#define PTEEDIT_TOOLS_TEXT_NAMES_H_

#include <string>
#include <vector>

#include "option_table.h"
#include "pteedit/container.h"
#include "pteedit/match.h"
#include "pteedit/names.h"
#include "pteedit/result.h"

namespace pteedit::cli {

OptionRow NamesOption(std::vector<std::string>& files);

// What the files, - for standard input, call contents. Fails as ReadNames does.
Result<std::vector<ContentName>> ReadAllNames(const std::vector<std::string>& files);
Result<ContentNames> OpenNames(const std::vector<std::string>& files);

// OpenFile, with names if there are any.
Result<Container> OpenNamed(const std::string& file, const ContentNames& names, unsigned threads);

// For --match: checkpoints (.safetensors) and what is opened as the inputs are.
Result<MatchFiles> OpenMatched(const std::vector<std::string>& paths);

// "12 of 80 constants (3.10 MB) have no name"; empty where all have one.
std::string UnnamedText(const NameCount& count);

// For a tool that writes: its inputs with the names in `names`, if any, and a note of what has none.
struct NamedInputs {
  std::vector<Container> files;
  std::vector<std::string> notes;
};
Result<NamedInputs> NameInputs(std::vector<Container> files, const std::vector<std::string>& names, unsigned threads);

}  // namespace pteedit::cli

#endif  // PTEEDIT_TOOLS_TEXT_NAMES_H_
