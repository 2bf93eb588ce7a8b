// The programs in an exporter's record as listings: nodes with arguments and types, signature, range constraints.
#ifndef PTEEDIT_PROFILE_PROGRAM_LISTING_H_
#define PTEEDIT_PROFILE_PROGRAM_LISTING_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pteedit/export.h"
#include "pteedit/result.h"
#include "pteedit/source.h"

namespace pteedit {

struct ListedValue {
  std::string name;
  std::string type;  // "f32[2, 8]", "Sym(s75)"; empty where the record does not tell
};

struct ListedNode {
  ListedValue value;
  std::string target;                          // "torch.ops.aten.linear.default"
  std::vector<std::string> arguments;          // "x", "[1, 0]"
  std::vector<std::string> keyword_arguments;  // "dtype = torch.float32"; those that the record calls so
  std::optional<uint64_t> output;              // of nodes that call nothing: which output of node `arguments[0]` it is
  std::string source;  // where it was written, "model.py:26 in forward, code: return x"; empty where that is not known
};

// An input or output of the program.
struct ListedSpec {
  std::string name;
  std::string kind;                   // "PARAMETER", "BUFFER_MUTATION"
  std::optional<std::string> target;  // the parameter, buffer or input that it stands for
  std::optional<bool> persistent;     // of a buffer
};

struct RangeConstraint {
  std::string symbol, min, max;  // "s75", "2", "int_oo" where there is no end
};

struct ProgramListing {
  std::string graph;  // its entry in the record: "edge_dialect_exported_program/forward"
  std::vector<ListedValue> inputs;
  std::vector<ListedNode> nodes;
  std::vector<std::string> outputs;
  std::vector<ListedSpec> input_specs, output_specs;
  std::vector<RangeConstraint> range_constraints;
};

inline constexpr const char* kEdgeDialectProgram = "edge_dialect_exported_program";

// The programs called `graph`, or "`graph`/METHOD", in a record. Fails with kInvalidArgument where it has none,
// kUnsupported where it is no record or a program is not what an exporter writes, kMalformed where it is damaged, kIo
// where it cannot be read.
PTEEDIT_API Result<std::vector<ProgramListing>> ListPrograms(const std::shared_ptr<const Source>& record,
                                                             const std::string& graph = kEdgeDialectProgram);

// In the form in which torch prints an exported program, but for what it says of values that are not needed any more.
// Ends with a line end.
PTEEDIT_API std::string TextOfListing(const ProgramListing& program);

}  // namespace pteedit

#endif  // PTEEDIT_PROFILE_PROGRAM_LISTING_H_
