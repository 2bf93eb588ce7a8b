// pteprof: a dump with the record, the debug buffer and the program that come behind it; without those that are empty.
#include "fuzz_input.h"
#include "profile_promises.h"
#include "pteedit/debug_file.h"
#include "pteedit/profile/delegation.h"
#include "pteedit/profile/etrecord.h"
#include "pteedit/profile/graph.h"
#include "pteedit/profile/profile.h"
#include "pteedit/strip.h"

using namespace pteedit;

namespace {

// Bits of the first option byte.
constexpr unsigned kInCycles = 1, kSomeRuns = 2, kOneMethod = 4, kOtherGraph = 8, kDebugFile = 16;

std::shared_ptr<const Source> SourceAt(const fuzz::FuzzInput& input, size_t index, const char* name) {
  const bool is_there = index < input.files.size() && input.files[index].size != 0;
  return is_there ? MakeViewSource(name, input.files[index]) : nullptr;
}

// The program as it is, or stripped, with what was stripped beside it.
void AddProgram(const Container& program, bool is_stripped, ProfileFiles& files) {
  files.set.emplace(program);
  if (!is_stripped) return;
  StripOptions options;
  options.keep_debug = true;
  const Result<StripResult> stripped = Strip(program, options);
  if (!stripped || !stripped->debug) return;
  files.set.emplace(fuzz::Reopen(stripped->file, "stripped"));
  files.debug_file = fuzz::Reopen(*stripped->debug, "debug");
}

// pteinspect --etrecord, and whether the record is of the program at all.
void CheckRecord(const Container& program, const std::shared_ptr<const Source>& record) {
  (void)CheckRecordOf(program, record);
  const auto delegates = DescribeDelegates(program);
  if (!delegates) return;
  if (const auto delegation = DescribeDelegation(program, *delegates, record)) {
    for (const MethodDelegation& method : *delegation) {
      uint64_t delegated = 0;
      for (const OperatorDelegation& one : method.operators) delegated += one.delegated;
      fuzz::Promise(delegated == method.delegated, "counts of operators add up in", method.method);
    }
  }
  const auto graphs = DescribeGraphs(program, *delegates, record);
  if (!graphs) return;
  for (const MethodGraph& method : *graphs) {
    for (const GraphNode& node : method.nodes) NodesTaken(node);
  }
}

void CheckChanges(const std::vector<BlockChange>& changes) {
  for (const BlockChange& block : changes) {
    fuzz::Promise(block.before_runs == block.after_runs, "nothing changed since itself:", block.name);
    for (const EventChange& event : block.events) {
      fuzz::Promise(event.slowdown().value_or(0) == 0, "nothing is slower than itself:", event.name);
      fuzz::Promise(event.verdict() != ChangeVerdict::kSlower, "nor said to be", NameOf(event.verdict()));
    }
  }
}

// What was logged against what the record expects.
void CheckOutputs(const Profile& profile) {
  if (!profile.values() || !profile.references()) return;
  for (size_t i = 0; i < profile.blocks().size(); ++i) {
    const auto& expected = (*profile.references())[i];
    if (!expected) continue;
    const auto gaps = CompareOutputs(profile.blocks()[i], (*profile.values())[i].run_output, *expected);
    fuzz::PromiseResult(gaps, "values in memory can be compared:");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  const fuzz::FuzzInput input = fuzz::ParseInput({bytes, size});
  const auto dump = SourceAt(input, 0, "dump"), program = SourceAt(input, 3, "program.pte");
  if (dump == nullptr) return 0;
  const unsigned bits = input.options[0];
  ProfileFiles files{dump, {}, SourceAt(input, 1, "record"), SourceAt(input, 2, "buffer")};
  if (program != nullptr) {
    if (const Result<Container> opened = Container::Open(program)) {
      if (files.record != nullptr) CheckRecord(*opened, files.record);
      AddProgram(*opened, (bits & kDebugFile) != 0, files);
    }
  }
  RunSelection runs;
  if ((bits & kSomeRuns) != 0) runs = {input.options[1], input.options[2], {}};
  if ((bits & kOneMethod) != 0) runs.method = "forward";
  if ((bits & kOtherGraph) != 0) files.graph = "edge_after_transform/forward";
  const EventScales scales =
      (bits & kInCycles) != 0 ? EventScales{TimeScale::kCycles, TimeScale::kCycles} : EventScales();
  const Result<Profile> profile = Profile::Read(files, scales, runs);
  if (!profile) {
    fuzz::Promise(!profile.error().message.empty() && !profile.error().file.empty(), "errors say what and where");
    return 0;
  }
  fuzz::CheckBlocks(profile->blocks());
  fuzz::Promise(profile->references().has_value() == (files.record != nullptr), "a record has references");
  fuzz::Promise(profile->values().has_value() == (files.debug_buffer != nullptr), "a buffer has values");
  if (profile->values()) fuzz::CheckValues(profile->blocks(), *profile->values());
  CheckOutputs(*profile);
  fuzz::PromiseResult(profile->Costs(), "costs of what was read can be told:");
  CheckChanges(profile->ChangesSince(*profile));
  CheckChanges(CompareTypes(profile->blocks(), profile->blocks()));
  TotalForModulePath(profile->blocks(), "fc1");
  const auto gap = profile->GapTo(*profile);
  fuzz::Promise(gap || gap.error().code != ErrorCode::kIo, "values in memory can be compared");
  return 0;
}
