// Modules as --module and --module-path name them: the case of letters does not count where nothing is spelled so.
#ifndef PTEEDIT_TOOLS_PTEPROF_MODULE_WORDS_H_
#define PTEEDIT_TOOLS_PTEPROF_MODULE_WORDS_H_

#include <set>
#include <string>
#include <vector>

#include "pteedit/profile/event_blocks.h"
#include "request.h"

namespace pteedit::cli {

class ModuleWords {
 public:
  explicit ModuleWords(const std::vector<EventBlock>& blocks);

  // `word` in the letters that the profile has; as it is where no module is called so.
  std::string Key(const std::string& word) const;
  std::string Path(const std::string& word) const;

  // "no module is called 'linar', did you mean 'linear'?" of each word that no module is called by.
  std::vector<std::string> UnknownKeys(const Request& request) const;
  std::vector<std::string> UnknownPaths(const Request& request) const;

 private:
  std::set<std::string> keys_, paths_;
};

}  // namespace pteedit::cli

#endif  // PTEEDIT_TOOLS_PTEPROF_MODULE_WORDS_H_
