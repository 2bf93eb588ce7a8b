// ETDumps and ETRecords: their size trees, verification, and what counts and lists the nodes of records.
#include "pteedit/profile/profile_kind.h"

#include "fuzz_input.h"
#include "pteedit/profile/debug_values.h"
#include "pteedit/profile/event_blocks.h"
#include "pteedit/profile/numeric_gap.h"
#include "pteedit/profile/program_listing.h"
#include "pteedit/text.h"
#include "pteedit/verify.h"
#include "record/delegation_count.h"
#include "record/etrecord.h"
#include "record/graph_parts.h"
#include "record/record_check.h"

using namespace pteedit;

namespace {

void CheckSums(const SizeNode& node) {
  uint64_t sum = 0;
  for (const SizeNode& component : node.components) {
    CheckSums(component);
    sum += component.size;
  }
  fuzz::Promise(node.components.empty() || sum == node.size, "sizes add up in", EscapeControl(node.name));
}

// As if a program had the instructions that a record knows, all its kernels called as its first node.
void CountNodes(const Etrecord& record) {
  for (const std::string& method : record.Methods()) {
    const Result<std::optional<RecordGraph>> graph = ReadGraph(record, method);
    const Result<std::optional<RecordMaps>> maps = ReadMaps(record, method);
    if (!graph || !*graph || !maps || !*maps) continue;
    std::vector<InstructionDescription> instructions;
    for (const auto& [index, handles] : (*maps)->handles) {
      InstructionDescription instruction;
      instruction.index = index;
      instruction.kind = (*maps)->backends.count(index) != 0 ? "delegate" : "kernel";
      instruction.target = (*graph)->nodes.empty() ? "" : OperatorOf((*graph)->nodes.front());
      instructions.push_back(std::move(instruction));
    }
    uint64_t nodes = 0;
    for (const auto& [type, row] : CountUnlowered(**graph, **maps, instructions)) {
      if (type != "getitem") nodes += row.delegated + row.non_delegated;
    }
    fuzz::Promise(nodes <= (*graph)->nodes.size(), "each node of a graph is counted at most once");
    CountLowered(**graph);
    ListRecord(method, **graph);
    const RecordedNames recorded(**graph, JoinNodes(**graph, **maps, instructions), (*maps)->delegate_outputs);
    for (const auto& [index, taken] : recorded.nodes.delegates) LoweredFromNodes("B", taken, recorded);
    if (!instructions.empty()) (void)CheckRecord(**maps, **graph, instructions, {});
  }
}

void CheckBlocks(const std::vector<EventBlock>& blocks) {
  for (const EventBlock& block : blocks) {
    for (const ProfiledEvent& event : block.events)
      fuzz::Promise(!event.perf || event.perf->raw.size() == block.runs, "each run has a sample of", event.name);
  }
  TotalForModule(blocks, "");
}

// As if the dump were its own debug buffer.
void CheckValues(const std::vector<EventBlock>& blocks, const std::shared_ptr<const Source>& buffer) {
  const Result<std::vector<BlockValues>> values = ReadDebugValues(blocks, buffer);
  if (!values) return;
  fuzz::Promise(values->size() == blocks.size(), "each block has values");
  for (size_t i = 0; i < blocks.size(); ++i)
    fuzz::Promise((*values)[i].events.size() == blocks[i].events.size(), "each event has values, in", blocks[i].name);
  fuzz::Promise(ReadDebugValues(blocks, nullptr).has_value(), "what fits a buffer needs none");
  const LoggedRun run{blocks, *values};
  const Result<NumericGap> gap = CompareRuns(run, run);
  if (!gap) return;
  for (const ValueGap& row : gap->operators)
    fuzz::Promise(!row.gap || !(row.gap->mse > 0), "what is compared with itself is the same");
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

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto source = MakeViewSource("input", {data, size});
  const Result<std::optional<ProfileKind>> kind = FindProfileKind(source);
  fuzz::Promise(kind.has_value(), "bytes in memory have a kind or none");
  for (const ProfileKind tried : {ProfileKind::kEtdump, ProfileKind::kEtrecord}) {
    const Result<SizeNode> sizes = MeasureProfile(source, tried);
    fuzz::Promise(sizes || sizes.error().code != ErrorCode::kIo, "bytes in memory can be read");
    if (!sizes) continue;
    fuzz::Promise(sizes->size == size && kind->has_value(), "all bytes are counted, of a kind that was found");
    CheckSums(*sizes);
  }
  if (Result<std::vector<EventBlock>> blocks = ReadEventBlocks(source)) {
    CheckBlocks(*blocks);
    CheckValues(*blocks, source);
  }
  std::vector<EventBlock> made{MadeBlock()};
  (void)JoinRecord(made, source);
  (void)ReadReferenceOutputs(made, source);
  (void)ReadRepresentativeInputs(source);
  if (const Result<Etrecord> record = Etrecord::Open(source)) CountNodes(*record);
  for (const char* graph : {kEdgeDialectProgram, "exported_program"}) {
    if (const auto programs = ListPrograms(source, graph)) {
      for (const ProgramListing& program : *programs) TextOfListing(program);
    }
  }
  if (!*kind) return 0;
  const Result<FileFindings> findings = VerifyProfile(source, **kind);
  fuzz::Promise(findings.has_value(), "a file of a known kind can be verified");
  fuzz::Promise(HasErrors({*findings}) || MeasureProfile(source, **kind).has_value(), "what is clean can be measured");
  return 0;
}
