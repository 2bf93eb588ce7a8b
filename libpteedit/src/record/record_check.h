// Whether a record is of a program.
#ifndef PTEEDIT_SRC_RECORD_RECORD_CHECK_H_
#define PTEEDIT_SRC_RECORD_RECORD_CHECK_H_

#include <vector>

#include "pteedit/execution.h"
#include "pteedit/result.h"
#include "record/delegates_by_name.h"
#include "record/record_graph.h"

namespace pteedit {

// What the exporter noted of a method fits its instructions and delegates: places and backends of calls of delegates,
// the operators of most kernels (later passes may have replaced some), and whether XNNPACK quantizes. kUnsupported, and
// what does not fit, where it does not: then the record is of another program.
Status CheckRecord(const RecordMaps& maps, const RecordGraph& graph,
                   const std::vector<InstructionDescription>& instructions, const DelegatesByName& delegates);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_RECORD_RECORD_CHECK_H_
