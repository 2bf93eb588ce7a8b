// The graphs of --graph for other viewers: DOT of Graphviz, and the JSON of Model Explorer, whose formats are those of
// its GraphCollection (graphs of nodes with incoming edges) and ModelNodeData (a number for each node).
//
// Nodes are called as --graph calls them; those inside delegates are in a cluster or namespace, their ids behind the
// name of the lowered module and a slash. Where a blob tells operators and not what they take, they have no edges.
#ifndef PTEEDIT_TOOLS_PTEINSPECT_GRAPH_FORMS_H_
#define PTEEDIT_TOOLS_PTEINSPECT_GRAPH_FORMS_H_

#include <string>

#include "json.h"
#include "request.h"
#include "views/inspection.h"

namespace pteedit::cli {

// One digraph for each method, as text.
std::string DotText(const Inspection& inspection);

// One graph for each method.
Json ModelExplorerJson(const Inspection& inspection);

// `figure` is "macs" or "moved_bytes": of nodes of which it is known.
Json NodeDataJson(const Inspection& inspection, const std::string& figure);

}  // namespace pteedit::cli

#endif  // PTEEDIT_TOOLS_PTEINSPECT_GRAPH_FORMS_H_
