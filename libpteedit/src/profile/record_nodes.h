// What the exporter's record tells of the operators that a model came from: those of the program in the edge dialect,
// by debug handle.
#ifndef PTEEDIT_SRC_PROFILE_RECORD_NODES_H_
#define PTEEDIT_SRC_PROFILE_RECORD_NODES_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pteedit/profile/event_blocks.h"
#include "pteedit/result.h"
#include "record/etrecord.h"

namespace pteedit {

struct SourceNode {
  std::string name;     // as the Inspector calls it: "aten_addmm_default_"
  std::string op_type;  // "aten.addmm.default"; empty where it calls none
  std::optional<std::string> stack_trace;
  std::optional<std::vector<ModuleLevel>> modules;  // from the outermost in
};
using SourceNodes = std::map<uint64_t, std::vector<SourceNode>>;  // by debug handle, in the order of the graph

// Of the program in an entry; nothing where its name is empty. kUnsupported where it is not what an exporter writes.
Result<SourceNodes> ReadSourceNodes(const Etrecord& record, const std::string& entry);

// "key,path,type;key,path,type" as the exporter writes it; commas inside brackets separate nothing. Nothing where a
// level has other than three parts.
std::optional<std::vector<ModuleLevel>> ParseModules(std::string_view text);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_PROFILE_RECORD_NODES_H_
