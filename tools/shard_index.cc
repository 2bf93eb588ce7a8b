#include "shard_index.h"

#include <filesystem>

#include "pteedit/container.h"
#include "pteedit/shards.h"
#include "pteedit/try.h"

namespace pteedit::cli {

namespace fs = std::filesystem;

std::string IndexName(const std::string& data_name) {
  return fs::path(data_name).replace_extension(".index.json").string();
}

Result<PlannedFile> PlanShardIndex(const std::string& data_name, const std::vector<PlannedFile>& shards) {
  std::vector<IndexedShard> rows;
  for (size_t i = 0; i < shards.size(); ++i) {
    const std::string name = fs::path(ShardName(data_name, i, shards.size())).filename().string();
    PTEEDIT_ASSIGN(const Container shard, Container::Open(shards[i].AsSource(name)));
    IndexedShard& row = rows.emplace_back(IndexedShard{name, shards[i].size(), {}});
    for (const NamedEntry& entry : shard.named_data()) row.keys.emplace_back(entry.key);
  }
  const std::string text = ShardIndexText(rows);
  PlannedFile file;
  file.Append(MakeMemorySource(IndexName(data_name), std::vector<uint8_t>(text.begin(), text.end())), {0, text.size()});
  return file;
}

}  // namespace pteedit::cli
