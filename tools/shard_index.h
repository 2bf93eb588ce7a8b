// The index of a data file that was cut into shards: which of them has a key.
#ifndef PTEEDIT_TOOLS_SHARD_INDEX_H_
#define PTEEDIT_TOOLS_SHARD_INDEX_H_

#include <string>
#include <vector>

#include "pteedit/planned_file.h"
#include "pteedit/result.h"

namespace pteedit::cli {

// "shared.index.json" beside "shared.ptd".
std::string IndexName(const std::string& data_name);

// Names the shards of `data_name`, in order, as they lie beside it.
Result<PlannedFile> PlanShardIndex(const std::string& data_name, const std::vector<PlannedFile>& shards);

}  // namespace pteedit::cli

#endif  // PTEEDIT_TOOLS_SHARD_INDEX_H_
