// Everything that pteinspect asks of a file.
#include "pteedit/describe.h"

#include "file_promises.h"
#include "fuzz_input.h"
#include "pteedit/delegates.h"
#include "pteedit/duplicates.h"
#include "pteedit/execution.h"
#include "pteedit/hashes.h"
#include "pteedit/metadata.h"
#include "pteedit/operator_work.h"
#include "pteedit/profile/compressed_sizes.h"
#include "pteedit/profile/delegation.h"
#include "pteedit/profile/graph.h"
#include "pteedit/requirements.h"
#include "pteedit/stored_reads.h"
#include "pteedit/test_cases.h"
#include "pteedit/text.h"

using namespace pteedit;

namespace {

// What tests of a bundle give and expect lies in it.
void CheckTests(const Container& file) {
  const uint64_t size = file.source()->size();
  for (const TestCase& test : DescribeTestCases(file)) {
    for (const std::vector<TestValue>* values : {&test.inputs, &test.expected_outputs}) {
      for (const TestValue& value : *values) {
        fuzz::Promise(value.extent.offset <= size && value.extent.size <= size - value.extent.offset,
                      "tensors of tests lie in the file");
      }
    }
  }
}

// What runs, and what that moves.
void CheckRuns(const Container& file) {
  DescribeMemory(file);
  DescribeConstantMethods(file);
  CheckTests(file);
  const auto traces = DescribeStackTraces(file);
  fuzz::Promise(traces || fuzz::IsLimit(traces.error()), "stack traces of an opened file can be listed");
  for (size_t method = 0; CountValues(file, method) != 0; ++method)
    fuzz::Promise(DescribeValue(file, method, 0).has_value(), "each value can be described");
  const auto work = MeasureWork(file);
  fuzz::PromiseResult(work, "work of an opened file can be measured:");
  fuzz::Promise(work->size() == DescribeInstructions(file).size(), "each instruction has its work");
  const auto reads = FindStoredReads(file);
  fuzz::Promise(reads || reads.error().code != ErrorCode::kIo, "what is read can be found");
}

void CheckContents(const Container& file) {
  for (const HashKind kind : {HashKind::kSha256, HashKind::kXxh3})
    fuzz::Promise(!HashContents(file, kind)->empty(), "contents of an opened file can be hashed");
  fuzz::Promise(ReadMetadata(file).has_value(), "metadata of an opened file can be read");
  const auto duplicates = FindDuplicates({file, file});
  fuzz::Promise(duplicates || duplicates.error().code != ErrorCode::kIo, "contents can be compared");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const Result<Container> file = fuzz::Open({data, size}, "input");
  if (!file) return 0;
  const Description description = Describe(*file);
  for (const TensorDescription& tensor : description.tensors) ReplaceControl(tensor.name);
  const auto delegation = DescribeDelegation(*file);
  fuzz::Promise(delegation || fuzz::IsLimit(delegation.error()), "delegation of an opened file can be described");
  const auto graphs = DescribeGraphs(*file);
  fuzz::Promise(graphs || fuzz::IsLimit(graphs.error()), "an opened file can be listed");
  const Result<std::vector<DelegateDescription>> delegates = DescribeDelegates(*file);
  fuzz::Promise(delegates || fuzz::IsLimit(delegates.error()), "delegates of an opened file can be described");
  if (!delegates) return 0;
  const Requirements needs = DescribeRequirements(*file, *delegates);
  fuzz::Promise(needs.operators.size() == description.operators.size(), "requirements have all operators");
  for (const OperatorRequirement& op : needs.operators) {
    for (const KernelSignature& signature : op.signatures) KernelKey(signature);
  }
  const Result<SizeNode> sizes = MeasureSizes(*file, {true, {}});
  fuzz::Promise(sizes.has_value() && sizes->size == size, "all bytes of an opened file are counted");
  fuzz::CheckSums(*sizes);
  fuzz::PromiseResult(AddCompressedSizes(*file->source(), *sizes, {1, true, 1}), "components can be compressed:");
  fuzz::CheckLeaks(*file);
  fuzz::CheckGroups(*file);
  CheckRuns(*file);
  CheckContents(*file);
  NearMatches(*sizes, "forward.constant_0", 3);
  return 0;
}
