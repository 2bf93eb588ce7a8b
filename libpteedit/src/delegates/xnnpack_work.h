// What an operator of an XNNPACK graph computes and moves; see pteedit/operator_work.h.
#ifndef PTEEDIT_SRC_DELEGATES_XNNPACK_WORK_H_
#define PTEEDIT_SRC_DELEGATES_XNNPACK_WORK_H_

#include <string_view>
#include <utility>
#include <vector>

#include "delegates/work_rules.h"
#include "delegates/xnnpack_node.h"
#include "delegates/xnnpack_types.h"
#include "pteedit/operator_work.h"

namespace pteedit {

// `values` by the fields of the node that name them, without bias where there is none. Those of a graph without errors.
using XnnpackNamedValues = std::vector<std::pair<std::string_view, const schema::xnnpack::XValue*>>;
OperatorWork WorkOf(const XnnpackNode& node, const XnnpackNamedValues& values);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_DELEGATES_XNNPACK_WORK_H_
