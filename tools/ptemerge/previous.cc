#include "previous.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <string_view>

#include "output_folder.h"
#include "pteedit/shards.h"
#include "pteedit/text.h"
#include "pteedit/try.h"
#include "writing_tool.h"

namespace pteedit::cli {
namespace {

namespace fs = std::filesystem;

// How many shards there are, if `path` is one of them; else 0.
size_t ShardsBeside(const std::string& path, const std::string& shared) {
  constexpr std::string_view kLast = "-00001-of-00002", kCount = "00002";
  const size_t end = shared.size() - fs::path(shared).extension().string().size() + kLast.size();
  if (path.size() != shared.size() + kLast.size()) return 0;
  size_t index = 0, count = 0;
  const char* last = path.data() + end;
  std::from_chars(last - kLast.size() + 1, last, index);
  std::from_chars(last - kCount.size(), last, count);
  return index != 0 && index <= count && path == ShardName(shared, index - 1, count) ? count : 0;
}

Result<std::vector<std::string>> SharedPaths(const std::string& folder, const std::string& shared_name,
                                             const std::vector<std::string>& data) {
  const std::string shared = (fs::path(folder) / shared_name).string();
  const auto exists = [&](const std::string& path) { return std::binary_search(data.begin(), data.end(), path); };
  if (exists(shared)) return std::vector<std::string>{shared};
  size_t count = 0;
  for (const std::string& path : data) count = std::max(count, ShardsBeside(path, shared));
  std::vector<std::string> paths;
  for (size_t i = 0; i < count; ++i) {
    paths.push_back(ShardName(shared, i, count));
    if (exists(paths.back())) continue;
    const std::string name = fs::path(paths.back()).filename().string();
    return InvalidArgument("has no '" + EscapeControl(name) + "', but others of the " + std::to_string(count) +
                           " shards")
        .In(folder);
  }
  if (!paths.empty()) return paths;
  return InvalidArgument("has no '" + EscapeControl(shared_name) +
                         "': --previous is a folder that a merge wrote, with the same --shared-name")
      .In(folder);
}

}  // namespace

Result<OpenedPrevious> OpenPrevious(const std::string& folder, const std::string& shared_name) {
  PTEEDIT_ASSIGN(const FolderFiles files, FilesIn(folder, {".pte"}));
  OpenedPrevious previous;
  PTEEDIT_ASSIGN(previous.paths, SharedPaths(folder, shared_name, files.data));
  PTEEDIT_ASSIGN(previous.release.shared, OpenContainers(previous.paths));
  for (const std::string& program : files.programs) {
    const std::string own = fs::path(program).replace_extension(".ptd").string();
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
