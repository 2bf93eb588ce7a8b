#include "profile_promises.h"

#include <optional>
#include <string>
#include <utility>

#include "fuzz_input.h"
#include "profile/record_joins.h"
#include "pteedit/profile/numeric_gap.h"
#include "pteedit/profile/program_listing.h"
#include "pteedit/profile/record_leaks.h"
#include "record/delegation_count.h"
#include "record/etrecord.h"
#include "record/graph_parts.h"
#include "record/record_check.h"

namespace pteedit::fuzz {
namespace {

std::vector<InstructionDescription> InstructionsOf(const RecordMaps& maps, const RecordGraph& graph) {
  std::vector<InstructionDescription> instructions;
  for (const auto& [index, handles] : maps.handles) {
    InstructionDescription instruction;
    instruction.index = index;
    instruction.kind = maps.backends.count(index) != 0 ? InstructionKind::kDelegate : InstructionKind::kKernel;
    instruction.target = graph.nodes.empty() ? "" : OperatorOf(graph.nodes.front());
    instructions.push_back(std::move(instruction));
  }
  return instructions;
}

void CheckCounts(const RecordGraph& graph, const RecordMaps& maps,
                 const std::vector<InstructionDescription>& instructions) {
  uint64_t nodes = 0;
  for (const auto& [type, row] : CountUnlowered(graph, maps, instructions)) {
    if (type != "getitem") nodes += row.delegated + row.non_delegated;
  }
  Promise(nodes <= graph.nodes.size(), "each node of a graph is counted at most once");
  CountLowered(graph);
}

void CheckNodes(const Etrecord& record) {
  for (const std::string& method : record.Methods()) {
    const Result<std::optional<RecordGraph>> graph = ReadGraph(record, method);
    const Result<std::optional<RecordMaps>> maps = ReadMaps(record, method);
    if (!graph || !*graph || !maps || !*maps) continue;
    const std::vector<InstructionDescription> instructions = InstructionsOf(**maps, **graph);
    CheckCounts(**graph, **maps, instructions);
    const auto texts = std::make_shared<KeptTexts>();
    ListRecord(method, **graph, texts);
    const RecordedNames recorded(**graph, JoinNodes(**graph, **maps, instructions), (*maps)->delegate_outputs);
    for (const auto& [index, taken] : recorded.nodes.delegates) LoweredFromNodes("B", taken, recorded, *texts);
    if (!instructions.empty()) (void)CheckRecord(**maps, **graph, instructions, DelegatesByName({}));
  }
}

// One event for each of the first instructions, as operators and as rows of delegates.
EventBlock MadeBlock() {
  EventBlock block;
  for (int64_t i = 0; i < 8; ++i) {
    ProfiledEvent event;
    event.instruction = i / 2;
    if (i % 2 != 0) event.delegate_debug_text = "1";
    block.events.push_back(std::move(event));
  }
  return block;
}

}  // namespace

void CheckBlocks(const std::vector<EventBlock>& blocks) {
  for (const EventBlock& block : blocks) {
    for (const ProfiledEvent& event : block.events)
      Promise(event.samples.empty() || event.samples.size() == block.runs, "each run has a sample of", event.name);
  }
}

void CheckValues(const std::vector<EventBlock>& blocks, const std::vector<BlockValues>& values) {
  Promise(values.size() == blocks.size(), "each block has values");
  for (size_t i = 0; i < blocks.size(); ++i)
    Promise(values[i].events.size() == blocks[i].events.size(), "each event has values, in", blocks[i].name);
  const LoggedRun run{blocks, values};
  const Result<NumericGap> gap = CompareRuns(run, run);
  if (!gap) return;
  for (const ValueGap& row : gap->operators)
    Promise(!row.gap || !(row.gap->mse > 0), "what is compared with itself is the same");
}

void UseDump(const std::shared_ptr<const Source>& source) {
  const Result<std::vector<EventBlock>> blocks = ReadEventBlocks(source);
  if (!blocks) return;
  CheckBlocks(*blocks);
  TotalForModule(*blocks, "");
  const Result<std::vector<BlockValues>> values = ReadDebugValues(*blocks, source);
  if (!values) return;
  CheckValues(*blocks, *values);
  PromiseResult(ReadDebugValues(*blocks, nullptr), "what fits a buffer needs none:");
}

void UseRecord(const std::shared_ptr<const Source>& source) {
  const Result<Leaks> leaks = FindLeaksInRecord(source);
  Promise(leaks || leaks.error().code != ErrorCode::kIo, "bytes in memory can be searched");
  std::vector<EventBlock> made{MadeBlock()};
  if (const Result<Etrecord> record = Etrecord::Open(source)) {
    (void)JoinRecord(made, *record);
    (void)ReadReferenceOutputs(made, *record);
    CheckNodes(*record);
  }
  for (const char* graph : {kEdgeDialectProgram, "exported_program"}) {
    if (const auto programs = ListPrograms(source, graph)) {
      for (const ProgramListing& program : *programs) TextOfListing(program);
    }
  }
}

}  // namespace pteedit::fuzz
