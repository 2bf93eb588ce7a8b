// Everything that pteinspect asks of a file.
#include "pteedit/describe.h"

#include <algorithm>

#include "file_promises.h"
#include "fuzz_input.h"
#include "pteedit/binding.h"
#include "pteedit/delegates.h"
#include "pteedit/duplicates.h"
#include "pteedit/execution.h"
#include "pteedit/hashes.h"
#include "pteedit/key_uses.h"
#include "pteedit/metadata.h"
#include "pteedit/near_matches.h"
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
  for (const HashKind kind : {HashKind::kSha256, HashKind::kXxh3}) {
    const auto one = HashContents(file, kind), several = HashContents(file, kind, 3);
    fuzz::Promise(one && !one->empty(), "contents of an opened file can be hashed");
    const auto is_equal = [](const ContentHash& a, const ContentHash& b) { return a.digest == b.digest; };
    fuzz::Promise(several && std::ranges::equal(*one, *several, is_equal), "by several threads as by one");
  }
  fuzz::Promise(ReadMetadata(file).has_value(), "metadata of an opened file can be read");
  const auto duplicates = FindDuplicates({file, file});
  fuzz::Promise(duplicates || duplicates.error().code != ErrorCode::kIo, "contents can be compared");
}

// Told again by what --emit-metadata wrote of them, delegates are what they are.
void CheckDelegates(const Container& file, const std::vector<DelegateDescription>& delegates) {
  const auto known = CollectMetadata(file, delegates);
  fuzz::PromiseResult(known, "what is known of delegates can be collected:");
  const auto again = DescribeDelegates(file, {RememberAnswers(MakeMetadataDecoder(*known))});
  fuzz::PromiseResult(again, "and told of them:");
  for (size_t i = 0; i < delegates.size(); ++i) {
    const DelegateDescription &one = delegates[i], &other = (*again)[i];
    fuzz::Promise(one.decoded == other.decoded && one.contents->operators == other.contents->operators &&
                      one.contents->constants.size() == other.contents->constants.size() &&
                      PartsOf(one).size() == PartsOf(other).size(),
                  "which says the same of", one.name);
    ScratchBytes(one);
  }
}

// Each node of the tree is found by its name, and so is one that is called nearly so.
void CheckNames(const SizeNode& sizes) {
  for (const SizeNode& component : sizes.components) {
    fuzz::Promise(FindComponent(sizes, component.name) != nullptr,
                  "components are found:", EscapeControl(component.name));
    FindComponent(sizes, component.name + "/x");
    for (const SizeNode& row : component.components) FindComponent(sizes, FoldCase(row.name));
  }
  NearMatches(sizes, "forward.constant_0", 3);
}

void CheckKeys(const Container& file, const std::vector<DelegateDescription>& delegates) {
  KeyUses uses;
  const Status added = AddKeyUses(file, delegates, uses);
  fuzz::Promise(added || fuzz::IsLimit(added.error()), "who reads keys can be told");
  const auto sizes = MeasureSizes(file, {.look_inside = true, .key_uses = &uses});
  fuzz::Promise(sizes && sizes->size == file.source()->size(), "and takes no bytes away");
  if (file.kind() == FileKind::kData) fuzz::PromiseResult(BindingKeyOf(file, 1), "a data file can be bound to:");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const Result<Container> file = fuzz::Open({data, size}, "input");
  if (!file) return 0;
  const Description description = Describe(*file);
  for (const TensorDescription& tensor : description.tensors) ReplaceControl(tensor.name);
  const Result<std::vector<DelegateDescription>> delegates = DescribeDelegates(*file);
  fuzz::Promise(delegates || fuzz::IsLimit(delegates.error()), "delegates of an opened file can be described");
  if (!delegates) return 0;
  fuzz::Promise(DescribeDelegation(*file, *delegates).has_value(), "delegation of an opened file can be described");
  const auto graphs = DescribeGraphs(*file, *delegates);
  fuzz::Promise(graphs || fuzz::IsLimit(graphs.error()), "an opened file can be listed");
  const Requirements needs = DescribeRequirements(*file, *delegates);
  fuzz::Promise(needs.operators.size() == description.operators.size(), "requirements have all operators");
  for (const OperatorRequirement& op : needs.operators) {
    for (const KernelSignature& signature : op.signatures) KernelKey(signature);
  }
  const Result<SizeNode> sizes = MeasureSizes(*file, {.look_inside = true});
  fuzz::Promise(sizes.has_value() && sizes->size == size, "all bytes of an opened file are counted");
  fuzz::CheckSums(*sizes);
  fuzz::PromiseResult(AddCompressedSizes(*file->source(), *sizes, {1, true, 1}), "components can be compressed:");
  fuzz::CheckLeaks(*file);
  fuzz::CheckGroups(*file);
  CheckRuns(*file);
  CheckContents(*file);
  CheckDelegates(*file, *delegates);
  CheckNames(*sizes);
  CheckKeys(*file, *delegates);
  return 0;
}
