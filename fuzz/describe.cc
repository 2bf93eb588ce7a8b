// Everything that pteinspect asks of a file.
#include "pteedit/describe.h"

#include "file_promises.h"
#include "fuzz_input.h"
#include "pteedit/delegates.h"
#include "pteedit/profile/delegation.h"
#include "pteedit/profile/graph.h"
#include "pteedit/requirements.h"
#include "pteedit/text.h"

using namespace pteedit;

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
  fuzz::CheckLeaks(*file);
  fuzz::CheckGroups(*file);
  NearMatches(*sizes, "forward.constant_0", 3);
  return 0;
}
