#include "file_names.h"

#include "input_files.h"
#include "pteedit/text.h"
#include "pteedit/try.h"

namespace pteedit::cli {

Result<std::vector<std::string>> SplitFileNames(const std::string& text) {
  std::vector<std::string> names(1);
  for (size_t i = 0; i < text.size(); ++i) {
    if (text.compare(i, 2, "\\,") == 0) {
      names.back() += text[++i];
    } else if (text[i] == ',') {
      names.emplace_back();
    } else {
      names.back() += text[i];
    }
  }
  for (const std::string& name : names) {
    if (name.empty()) return InvalidArgument("'" + EscapeControl(text) + "' has an empty file name");
  }
  return names;
}

Result<std::vector<std::string>> SplitSet(const std::string& text) {
  PTEEDIT_ASSIGN(const std::vector<std::string> given, SplitFileNames(text));
  std::vector<std::string> files = WithDataInside(given.front(), {given.begin() + 1, given.end()});
  files.insert(files.begin(), given.front());
  return files;
}

Result<NamedFiles> ParseNamedFiles(const std::string& text) {
  const auto quoted = [](const std::string& word) { return "'" + EscapeControl(word) + "'"; };
  NamedFiles set;
  const size_t equals = text.find('=');
  const bool has_name = equals != std::string::npos && text.find_first_of("/,") > equals;
  if (has_name) set.name = text.substr(0, equals);
  if (has_name && (set.name.empty() || set.name == "." || set.name == "..")) {
    return InvalidArgument("SET " + quoted(text) + " has " + quoted(set.name) + " as its NAME");
  }
  Result<std::vector<std::string>> paths = SplitSet(has_name ? text.substr(equals + 1) : text);
  if (!paths) return InvalidArgument("SET " + paths.error().message);
  set.paths = *std::move(paths);
  return set;
}

}  // namespace pteedit::cli
