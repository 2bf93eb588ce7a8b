#include "sets.h"

#include <filesystem>
#include <map>
#include <optional>

#include "file_names.h"
#include "pteedit/text.h"

namespace pteedit::cli {
namespace {

namespace fs = std::filesystem;

std::string Quote(const std::string& text) { return "'" + EscapeControl(text) + "'"; }

fs::path FolderOf(const SetFiles& set) { return fs::absolute(set.paths.front()).lexically_normal().parent_path(); }

// What the folders have in common, whole names only.
fs::path CommonFolder(const fs::path& a, const fs::path& b) {
  fs::path common;
  auto other = b.begin();
  for (const fs::path& part : a) {
    if (other == b.end() || part != *other) break;
    common /= part;
    ++other;
  }
  return common;
}

}  // namespace

Result<SetFiles> ParseSet(const std::string& text) {
  SetFiles set;
  const size_t equals = text.find('=');
  const bool has_name = equals != std::string::npos && text.find_first_of("/,") > equals;
  if (has_name) set.name = text.substr(0, equals);
  if (has_name && (set.name.empty() || set.name == "." || set.name == "..")) {
    return InvalidArgument("SET " + Quote(text) + " has " + Quote(set.name) + " as its NAME");
  }
  Result<std::vector<std::string>> paths = SplitFileNames(has_name ? text.substr(equals + 1) : text);
  if (!paths) return InvalidArgument("SET " + paths.error().message);
  set.paths = *std::move(paths);
  return set;
}

Status PlaceOutputs(std::vector<SetFiles>& sets) {
  std::optional<fs::path> common;
  for (const SetFiles& set : sets) {
    if (set.name.empty()) common = common ? CommonFolder(*common, FolderOf(set)) : FolderOf(set);
  }
  std::map<std::string, const SetFiles*> taken;
  for (SetFiles& set : sets) {
    const fs::path folder = set.name.empty() ? FolderOf(set).lexically_relative(*common) : fs::path(set.name);
    const fs::path path = (folder / fs::path(set.paths.front()).filename()).lexically_normal();
    set.output = path.string();
    set.data_output = fs::path(path).replace_extension(".ptd").string();
    const auto [place, is_new] = taken.emplace(set.output, &set);
    if (is_new) continue;
    return InvalidArgument(Quote(place->second->paths.front()) + " and " + Quote(set.paths.front()) +
                           " would both become " + Quote(set.output) + "; give them names: NAME=FILE");
  }
  return {};
}

}  // namespace pteedit::cli
