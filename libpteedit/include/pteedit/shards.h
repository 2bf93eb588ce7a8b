// How the files are called that are one data file together, and the index that says which of them has a key.
#ifndef PTEEDIT_SHARDS_H_
#define PTEEDIT_SHARDS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "pteedit/export.h"

namespace pteedit {

// "shared-00001-of-00003.ptd" for the first of three of "shared.ptd", which alone keeps its name.
PTEEDIT_API std::string ShardName(const std::string& name, size_t index, size_t count);

// The way back: which of how many a file is. Nothing for a name that ShardName does not give.
struct ShardOf {
  std::string name;
  size_t index = 0, count = 0;
};
PTEEDIT_API std::optional<ShardOf> FindShard(const std::string& path);

struct IndexedShard {
  std::string file;
  uint64_t bytes = 0;
  std::vector<std::string> keys;
};

// JSON that names the shards in the order in which a loader takes them, and of each key its shard: see
// docs/schemas/index.schema.json. What JSON cannot hold in a key becomes U+FFFD.
PTEEDIT_API std::string ShardIndexText(const std::vector<IndexedShard>& shards);

}  // namespace pteedit

#endif  // PTEEDIT_SHARDS_H_
