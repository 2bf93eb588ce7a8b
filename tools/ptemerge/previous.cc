#include "previous.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>

#include "output_folder.h"
#include "pteedit/shards.h"
#include "pteedit/text.h"
#include "pteedit/try.h"
#include "writing_tool.h"

namespace pteedit::cli {
namespace {

namespace fs = std::filesystem;

std::string OwnData(const std::string& program) { return fs::path(program).replace_extension(".ptd").string(); }

// Where all data files are those of one program each, there was nothing to share.
bool HasSharedNothing(const FolderFiles& files) {
  std::set<std::string> own;
  for (const std::string& program : files.programs) own.insert(OwnData(program));
  return !own.empty() && std::includes(own.begin(), own.end(), files.data.begin(), files.data.end());
}

Result<std::vector<std::string>> SharedPaths(const std::string& folder, const std::string& shared_name,
                                             const FolderFiles& files) {
  const std::vector<std::string>& data = files.data;
  const std::string shared = (fs::path(folder) / shared_name).string();
  const auto exists = [&](const std::string& path) { return std::binary_search(data.begin(), data.end(), path); };
  if (exists(shared)) return std::vector<std::string>{shared};
  size_t count = 0;
  for (const std::string& path : data) {
    const std::optional<ShardOf> shard = FindShard(path);
    if (shard && shard->name == shared) count = std::max(count, shard->count);
  }
  std::vector<std::string> paths;
  for (size_t i = 0; i < count; ++i) {
    paths.push_back(ShardName(shared, i, count));
    if (exists(paths.back())) continue;
    const std::string name = fs::path(paths.back()).filename().string();
    return InvalidArgument("has no '" + EscapeControl(name) + "', but others of the " + std::to_string(count) +
                           " shards")
        .In(folder);
  }
  if (!paths.empty() || HasSharedNothing(files)) return paths;
  return InvalidArgument("has no '" + EscapeControl(shared_name) +
                         "': --previous is a folder that a merge wrote, with the same --shared-name")
      .In(folder);
}

}  // namespace

Result<OpenedPrevious> OpenPrevious(const std::string& folder, const std::string& shared_name) {
  PTEEDIT_ASSIGN(const FolderFiles files, FilesIn(folder, {".pte"}));
  OpenedPrevious previous;
  PTEEDIT_ASSIGN(previous.paths, SharedPaths(folder, shared_name, files));
  PTEEDIT_ASSIGN(previous.release.shared, OpenContainers(previous.paths));
  for (const std::string& program : files.programs) {
    const std::string own = OwnData(program);
    std::vector<std::string> data;
    if (std::binary_search(files.data.begin(), files.data.end(), own)) data.push_back(own);
    PTEEDIT_ASSIGN(ProgramSet variant, OpenSet(program, data));
    previous.release.variants.push_back(std::move(variant));
    previous.paths.push_back(program);
    previous.paths.insert(previous.paths.end(), data.begin(), data.end());
  }
  return previous;
}

}  // namespace pteedit::cli
