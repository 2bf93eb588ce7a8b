#include "sets.h"

#include <filesystem>
#include <map>
#include <optional>

#include "file_names.h"
#include "pteedit/text.h"
#include "pteedit/try.h"

namespace pteedit::cli {
namespace {

namespace fs = std::filesystem;

constexpr char kArchiveExtension[] = ".etm", kProgramExtension[] = ".pte";

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

// That neither file of the set is, or is below, what the shared file is called.
Status CheckSharedName(const SetFiles& set, const std::string& shared_name, bool with_data) {
  const bool is_program = set.output == shared_name || *fs::path(set.output).begin() == shared_name;
  if (!is_program && !(with_data && set.data_output == shared_name)) return {};
  return InvalidArgument((is_program ? "" : "the data of ") + Quote(set.paths.front()) + " would become " +
                         Quote(is_program ? set.output : set.data_output) + ", but " + Quote(shared_name) +
                         " is the shared file; give that another --shared-name");
}

// That no program is called like a folder of another.
Status CheckFolders(const std::map<std::string, const SetFiles*>& placed) {
  for (const auto& [path, set] : placed) {
    for (fs::path folder = fs::path(path).parent_path(); !folder.empty(); folder = folder.parent_path()) {
      const auto file = placed.find(folder.string());
      if (file == placed.end()) continue;
      return InvalidArgument(Quote(file->second->paths.front()) + " would become " + Quote(file->first) +
                             ", the folder of " + Quote(path) + "; give it another name: NAME=FILE");
    }
  }
  return {};
}

}  // namespace

Status PlaceOutputs(std::vector<SetFiles>& sets, const std::string& shared_name, bool with_data) {
  std::optional<fs::path> common;
  for (const SetFiles& set : sets) {
    if (set.name.empty()) common = common ? CommonFolder(*common, FolderOf(set)) : FolderOf(set);
  }
  std::map<std::string, const SetFiles*> taken;
  for (SetFiles& set : sets) {
    const fs::path folder = set.name.empty() ? FolderOf(set).lexically_relative(*common) : fs::path(set.name);
    fs::path path = (folder / fs::path(set.paths.front()).filename()).lexically_normal();
    if (path.extension() == kArchiveExtension) path.replace_extension(kProgramExtension);
    set.output = path.string();
    set.data_output = fs::path(path).replace_extension(".ptd").string();
    PTEEDIT_TRY(CheckSharedName(set, shared_name, with_data));
    const auto [place, is_new] = taken.emplace(set.output, &set);
    if (is_new) continue;
    return InvalidArgument(Quote(place->second->paths.front()) + " and " + Quote(set.paths.front()) +
                           " would both become " + Quote(set.output) + "; give them names: NAME=FILE");
  }
  return CheckFolders(taken);
}

}  // namespace pteedit::cli
