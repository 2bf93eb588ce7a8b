#include "module_words.h"

#include <optional>

#include "pteedit/near_matches.h"

namespace pteedit::cli {
namespace {

constexpr size_t kNearModules = 3;

// Where in `name` the word stands, which in a path is the beginning up to a dot.
size_t PlaceIn(const std::string& name, const std::string& word, bool is_path) {
  if (!is_path) return name.find(word);
  const bool begins = name.starts_with(word) && (name.size() == word.size() || name[word.size()] == '.');
  return begins ? 0 : std::string::npos;
}

// The word in letters of one of `names`; nothing where none has it.
std::optional<std::string> Spelled(const std::set<std::string>& names, const std::string& word, bool is_path) {
  for (const std::string& name : names) {
    if (PlaceIn(name, word, is_path) != std::string::npos) return word;
  }
  for (const std::string& name : names) {
    const size_t place = PlaceIn(FoldCase(name), FoldCase(word), is_path);
    if (place != std::string::npos) return name.substr(place, word.size());
  }
  return std::nullopt;
}

}  // namespace

ModuleWords::ModuleWords(const std::vector<EventBlock>& blocks) {
  for (const EventBlock& block : blocks) {
    for (const ProfiledEvent& event : block.events) {
      for (const SourceOperator& op : event.more->operators) {
        if (!op.modules) continue;
        for (const ModuleLevel& level : *op.modules) keys_.insert(level.key), paths_.insert(level.path);
      }
    }
  }
}

std::string ModuleWords::Key(const std::string& word) const { return Spelled(keys_, word, false).value_or(word); }
std::string ModuleWords::Path(const std::string& word) const { return Spelled(paths_, word, true).value_or(word); }

namespace {

std::vector<std::string> UnknownWords(const std::vector<std::string>& words, const std::set<std::string>& names,
                                      bool is_path) {
  std::vector<std::string> all;
  for (const std::string& word : words) {
    if (!Spelled(names, word, is_path))
      all.push_back("no module is called " + DidYouMean(word, {names.begin(), names.end()}, kNearModules));
  }
  return all;
}

}  // namespace

std::vector<std::string> ModuleWords::UnknownKeys(const Request& request) const {
  return UnknownWords(request.modules, keys_, false);
}
std::vector<std::string> ModuleWords::UnknownPaths(const Request& request) const {
  return UnknownWords(request.module_paths, paths_, true);
}

}  // namespace pteedit::cli
