#include "shard_index.h"

#include <filesystem>
#include <map>

#include "json.h"
#include "pteedit/container.h"
#include "pteedit/shards.h"
#include "pteedit/try.h"

namespace pteedit::cli {

namespace fs = std::filesystem;

std::string IndexName(const std::string& data_name) {
  return fs::path(data_name).replace_extension(".index.json").string();
}

Result<PlannedFile> PlanShardIndex(const std::string& data_name, const std::vector<PlannedFile>& shards) {
  Json index{{"schema_version", kJsonSchemaVersion}, {"shards", Json::array()}};
  std::map<std::string, std::string> keys;
  for (size_t i = 0; i < shards.size(); ++i) {
    const std::string name = fs::path(ShardName(data_name, i, shards.size())).filename().string();
    index["shards"].push_back({{"file", name}, {"bytes", shards[i].size()}});
    PTEEDIT_ASSIGN(const Container shard, Container::Open(shards[i].AsSource(name)));
    for (const NamedEntry& entry : shard.named_data()) keys.emplace(entry.key, name);
  }
  index["keys"] = keys;
  const std::string text = Printed(index);
  PlannedFile file;
  file.Append(MakeMemorySource(IndexName(data_name), std::vector<uint8_t>(text.begin(), text.end())), {0, text.size()});
  return file;
}

}  // namespace pteedit::cli
