// What debug handles stand for. Each export numbers them anew, from 1 in the order of its own graph: with other passes,
// or quantized, the same operator has another number. The names of the nodes in the graph that was exported stay.
#ifndef PTEEDIT_SRC_PROFILE_HANDLE_SOURCES_H_
#define PTEEDIT_SRC_PROFILE_HANDLE_SOURCES_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "pteedit/result.h"
#include "record/etrecord.h"

namespace pteedit {

// By handle: the name of the node, "linear_1", that the operators with this handle came from. Empty where the record
// does not tell. kUnsupported where it is not what an exporter writes.
using HandleSources = std::map<uint64_t, std::string>;
Result<HandleSources> ReadHandleSources(const Etrecord& record, std::string_view method);

// Of the history that the exporter notes of a node, as JSON: the name that it began with. Empty where there is none.
std::string_view OldestName(std::string_view from_node);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_PROFILE_HANDLE_SOURCES_H_
