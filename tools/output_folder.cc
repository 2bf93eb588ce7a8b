#include "output_folder.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include "pteedit/delegates.h"
#include "pteedit/requirements.h"
#include "pteedit/try.h"

namespace pteedit::cli {
namespace {

namespace fs = std::filesystem;

Result<std::set<std::string>> KeysNeededBy(const Container& program) {
  PTEEDIT_ASSIGN(const std::vector<DelegateDescription> delegates, DescribeDelegates(program));
  std::set<std::string> keys;
  for (const KeyRequirement& key : DescribeRequirements(program, delegates).external_keys) keys.insert(key.key);
  return keys;
}

// Whether `path` lies in the folder of `program`, or in one that this is in.
bool IsAtOrAbove(const std::string& path, const std::string& program) {
  const std::string folder = fs::path(path).parent_path().string() + "/";
  return program.starts_with(folder);
}

// Whether data file `path` is called after `program`, which lies beside it: "a.ptd" and "a_lora.ptd" after "a.pte".
bool IsCalledAfter(const std::string& path, const std::string& program) {
  const std::string stem = fs::path(program).replace_extension().string();
  return path.starts_with(stem) && std::string("._-").find(path[stem.size()]) != std::string::npos;
}

// 0 for a data file that is called after `program`, 2 for one that is after another, 1 for others.
int NameDistance(const std::string& path, const std::string& program, const std::vector<std::string>& programs) {
  const std::string* longest = nullptr;
  for (const std::string& one : programs) {
    if (IsCalledAfter(path, one) && (longest == nullptr || one.size() > longest->size())) longest = &one;
  }
  if (longest == nullptr) return 1;
  return *longest == program ? 0 : 2;
}

}  // namespace

bool IsFolder(const std::string& path) {
  std::error_code unknown;
  return fs::is_directory(path, unknown);
}

Result<FolderFiles> FilesIn(const std::string& folder, const std::vector<std::string>& program_kinds) {
  FolderFiles files;
  std::error_code failed;
  fs::recursive_directory_iterator entry(folder, failed);
  for (; !failed && entry != fs::recursive_directory_iterator(); entry.increment(failed)) {
    const fs::path& path = entry->path();
    if (IsFolder(path.string()) || path.filename().string().starts_with('.')) continue;
    const std::string kind = path.extension().string();
    if (std::find(program_kinds.begin(), program_kinds.end(), kind) != program_kinds.end())
      files.programs.push_back(path.string());
    if (kind == ".ptd") files.data.push_back(path.string());
  }
  if (failed) return IoError("cannot read the folder: " + failed.message()).In(folder);
  std::sort(files.programs.begin(), files.programs.end());
  std::sort(files.data.begin(), files.data.end());
  return files;
}

Result<std::vector<Container>> DataFilesOf(const Container& program, const std::string& path, const FolderFiles& files,
                                           const std::vector<Container>& data) {
  PTEEDIT_ASSIGN(const std::set<std::string> needed, KeysNeededBy(program));
  std::map<std::string_view, std::pair<int, std::vector<const Container*>>> best;  // by key: the nearest that have it
  for (const Container& file : data) {
    if (!IsAtOrAbove(file.name(), path)) continue;
    const int distance = NameDistance(file.name(), path, files.programs);
    for (const NamedEntry& entry : file.named_data()) {
      if (needed.count(std::string(entry.key)) == 0) continue;
      auto& [nearest, holders] = best.try_emplace(entry.key, distance, std::vector<const Container*>()).first->second;
      if (distance < nearest) nearest = distance, holders.clear();
      if (distance == nearest) holders.push_back(&file);
    }
  }
  std::set<const Container*> chosen;
  for (const auto& [key, holders] : best) chosen.insert(holders.second.begin(), holders.second.end());
  std::vector<Container> found;
  for (const Container& file : data) {
    if (chosen.count(&file) != 0) found.push_back(file);
  }
  const auto depth = [](const Container& file) {
    const std::string& name = file.name();
    return std::count(name.begin(), name.end(), '/');
  };
  std::stable_sort(found.begin(), found.end(),
                   [&](const Container& a, const Container& b) { return depth(a) < depth(b); });
  return found;
}

}  // namespace pteedit::cli
