// The methods of a program with what a record says of them.
#ifndef PTEEDIT_SRC_RECORD_METHOD_RECORD_H_
#define PTEEDIT_SRC_RECORD_METHOD_RECORD_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pteedit/container.h"
#include "pteedit/execution.h"
#include "pteedit/result.h"
#include "record/etrecord.h"
#include "record/record_check.h"
#include "record/record_graph.h"

namespace pteedit {

// Of each method that has any, in file order.
std::vector<std::vector<InstructionDescription>> InstructionsByMethod(const Container& file);

// Nothing where `source` is null. Fails as Etrecord::Open, and with kUnsupported where the program has none of the
// record's methods; blames the record. A program that ptecopy edited may have more methods, or fewer.
Result<std::optional<Etrecord>> OpenRecord(const std::shared_ptr<const Source>& source, const Container& file);

// Methods of the record that the program lacks.
std::vector<std::string> MethodsBeyond(const Container& file, const Etrecord& record);

struct MethodRecord {
  RecordGraph graph;
  RecordMaps maps;
};

// kUnsupported where the record lacks the method, or is of another program.
Result<MethodRecord> ReadMethod(const Etrecord& record, const std::vector<InstructionDescription>& instructions,
                                const DelegatesByName& delegates);

// CheckRecordOf for a record that is open already; blames no file.
Status CheckOpenRecord(const Container& program, const Etrecord& record);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_RECORD_METHOD_RECORD_H_
