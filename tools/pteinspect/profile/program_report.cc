#include "profile/program_report.h"

#include <iostream>
#include <memory>
#include <vector>

#include "inspection.h"
#include "json.h"
#include "pteedit/event_blocks.h"
#include "pteedit/program_listing.h"
#include "views/format.h"

namespace pteedit::inspect {
namespace {

using cli::Json;
using cli::JsonText;

Json ValueJson(const ListedValue& value) { return {{"name", JsonText(value.name)}, {"type", TextOrNull(value.type)}}; }

Json NodeJson(const ListedNode& node) {
  Json object = ValueJson(node.value);
  object["target"] = TextOrNull(node.target);
  object["arguments"] = TextsOf(node.arguments);
  object["keyword_arguments"] = TextsOf(node.keyword_arguments);
  object["output"] = node.output ? Json(*node.output) : Json();
  object["source"] = TextOrNull(node.source);
  return object;
}

Json SpecJson(const ListedSpec& spec) {
  return {{"name", JsonText(spec.name)},
          {"kind", JsonText(spec.kind)},
          {"target", spec.target ? JsonText(*spec.target) : Json()},
          {"persistent", spec.persistent ? Json(*spec.persistent) : Json()}};
}

Json RangeJson(const RangeConstraint& range) {
  return {{"symbol", JsonText(range.symbol)}, {"min", JsonText(range.min)}, {"max", JsonText(range.max)}};
}

Json ProgramJson(const ProgramListing& program) {
  Json object;
  object["graph"] = JsonText(program.graph);
  object["inputs"] = ListOf(program.inputs, ValueJson);
  object["nodes"] = ListOf(program.nodes, NodeJson);
  object["outputs"] = TextsOf(program.outputs);
  object["signature"] = {{"inputs", ListOf(program.input_specs, SpecJson)},
                         {"outputs", ListOf(program.output_specs, SpecJson)}};
  object["range_constraints"] = ListOf(program.range_constraints, RangeJson);
  return object;
}

void PrintJson(const ProgramRequest& request, uint64_t bytes, const std::vector<ProgramListing>& programs) {
  Json object;
  object["schema_version"] = cli::kJsonSchemaVersion;
  object["file"] = JsonText(request.etdump.empty() ? request.record : request.etdump);
  object["kind"] = request.etdump.empty() ? "etrecord" : "etdump";
  object["bytes"] = bytes;
  object["exported_program"] = ListOf(programs, ProgramJson);
  std::cout << cli::Printed(Json::array({std::move(object)}));
}

// Several ones under their names.
void PrintText(const std::vector<ProgramListing>& programs) {
  for (size_t i = 0; i < programs.size(); ++i) {
    if (programs.size() > 1) std::cout << (i == 0 ? "" : "\n") << EscapeControl(programs[i].graph) << ":\n";
    std::cout << TextOfListing(programs[i]);
  }
}

}  // namespace

int ReportPrograms(const cli::Tool& tool, const ProgramRequest& request) {
  const Result<std::shared_ptr<const Source>> record = OpenSource(request.record);
  if (!record) return tool.PrintError(record.error());
  const Result<std::shared_ptr<const Source>> described = request.etdump.empty() ? record : OpenSource(request.etdump);
  if (!described) return tool.PrintError(described.error());
  if (!request.program.empty()) {
    const Result<Container> program = OpenFile(request.program);
    if (!program) return tool.PrintError(program.error());
    if (const Status status = CheckRecordOf(*program, *record); !status) return tool.PrintError(status.error());
  }
  const Result<std::vector<ProgramListing>> programs = ListPrograms(*record, request.graph);
  if (!programs) return tool.PrintError(Error(programs.error()).In(request.record));
  if (request.json) {
    PrintJson(request, (*described)->size(), *programs);
  } else {
    PrintText(*programs);
  }
  return cli::kExitDone;
}

}  // namespace pteedit::inspect
