#include "program_report.h"

#include <iostream>
#include <memory>
#include <utility>
#include <vector>

#include "input_files.h"
#include "json.h"
#include "profiled.h"
#include "pteedit/profile/etrecord.h"
#include "pteedit/profile/event_blocks.h"
#include "pteedit/profile/program_listing.h"
#include "pteedit/try.h"
#include "text/file_json.h"
#include "text/format.h"

namespace pteedit::cli {
namespace {

Json ValueJson(const ListedValue& value) { return {{"name", value.name}, {"type", TextOrNull(value.type)}}; }

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
  return {{"name", spec.name},
          {"kind", spec.kind},
          {"target", spec.target ? Json(*spec.target) : Json()},
          {"persistent", spec.persistent ? Json(*spec.persistent) : Json()}};
}

Json RangeJson(const RangeConstraint& range) {
  return {{"symbol", range.symbol}, {"min", range.min}, {"max", range.max}};
}

Json ProgramJson(const ProgramListing& program) {
  Json object;
  object["graph"] = program.graph;
  object["inputs"] = ListOf(program.inputs, ValueJson);
  object["nodes"] = ListOf(program.nodes, NodeJson);
  object["outputs"] = TextsOf(program.outputs);
  object["signature"] = {{"inputs", ListOf(program.input_specs, SpecJson)},
                         {"outputs", ListOf(program.output_specs, SpecJson)}};
  object["range_constraints"] = ListOf(program.range_constraints, RangeJson);
  return object;
}

void PrintJson(Json object, const std::vector<ProgramListing>& programs) {
  object["exported_program"] = ListOf(programs, ProgramJson);
  std::cout << Printed(Json::array({std::move(object)}));
}

// Several ones under their names.
void PrintText(const std::vector<ProgramListing>& programs) {
  for (size_t i = 0; i < programs.size(); ++i) {
    if (programs.size() > 1) std::cout << (i == 0 ? "" : "\n") << EscapeControl(programs[i].graph) << ":\n";
    std::cout << TextOfListing(programs[i]);
  }
}

// Whether the record is that of what ran; what the object of JSON begins with: the dump or, without one, the record.
Result<Json> CheckFiles(const Request& request, const std::shared_ptr<const Source>& record) {
  if (!request.dump.empty()) {
    PTEEDIT_ASSIGN(const Profiled profiled, ReadProfile(request));
    return FileJson(request.dump, "etdump", profiled.profile.files().dump->size());
  }
  if (!request.program.empty()) {
    PTEEDIT_ASSIGN(const Container program, OpenFile(request.program));
    PTEEDIT_TRY(CheckRecordOf(program, record));
  }
  return FileJson(request.record, "etrecord", record->size());
}

}  // namespace

int ListProgramsOf(const Tool& tool, const Request& request) {
  const Result<std::shared_ptr<const Source>> record = OpenSource(request.record);
  if (!record) return tool.PrintError(record.error());
  Result<Json> object = CheckFiles(request, *record);
  if (!object) return tool.PrintError(object.error());
  const Result<std::vector<ProgramListing>> programs = ListPrograms(*record, request.graph);
  if (!programs) return tool.PrintError(Error(programs.error()).In(request.record));
  if (request.json) {
    PrintJson(*std::move(object), *programs);
  } else {
    PrintText(*programs);
  }
  return kExitDone;
}

}  // namespace pteedit::cli
