// The graphs of --graph for other viewers: DOT of Graphviz, and the JSON of Model Explorer, whose formats are those of
// its GraphCollection (graphs of nodes with incoming edges) and ModelNodeData (a number for each node).
//
// Nodes are called as --graph calls them; those inside delegates are in a cluster or namespace, their ids behind the
// name of the lowered module and a slash. Where a blob tells operators and not what they take, they have no edges.
#ifndef PTEEDIT_TOOLS_PTEINSPECT_GRAPH_FORMS_H_
#define PTEEDIT_TOOLS_PTEINSPECT_GRAPH_FORMS_H_

#include <ostream>

#include "pteedit/result.h"
#include "request.h"
#include "views/inspection.h"

namespace pteedit::cli {

// In the form that the request asks for, a graph for each method. The node data is of nodes of which the figure is
// known.
Status PrintGraphForm(Inspection inspection, const Request& request, std::ostream& out);

}  // namespace pteedit::cli

#endif  // PTEEDIT_TOOLS_PTEINSPECT_GRAPH_FORMS_H_
