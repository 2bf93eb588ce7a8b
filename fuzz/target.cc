// What somebody says runs programs: a listing, a library or a JSON of one's own.
#include "pteedit/target.h"

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>

#include "fuzz_input.h"

using namespace pteedit;

namespace {

Requirements SomeNeeds() {
  Requirements needs;
  needs.operators = {{"aten::add.out", 1, {{std::make_shared<TensorArgument>(TensorArgument{6, {0, 1}})}}}};
  needs.backends = {{"XnnpackBackend", {}, {}, {{"soc_model", "SM8650"}, {"specification_version", "8"}}}};
  needs.runtime = {{"0.6", "named data"}};
  needs.memory_bytes = needs.data_files = 1;
  return needs;
}

Result<Target> Read(const std::string& text) {
  return ReadTarget({MakeMemorySource("text", {text.begin(), text.end()})});
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view offer(reinterpret_cast<const char*>(data), size);
  fuzz::Promise(!FindTarget(offer) || NamesRelease(offer), "what is found is called as a release");
  const Result<Target> target = ReadTarget({MakeViewSource("input", {data, size})});
  if (!target) return 0;
  fuzz::Promise(!target->kernels || std::ranges::is_sorted(*target->kernels, {}, &TargetKernel::name),
                "kernels have an order");
  const Result<Target> again = Read(TargetText(*target));
  fuzz::Promise(again.has_value(), "what is written can be read");
  const std::string written = TargetText(*again);  // without what JSON cannot hold
  fuzz::Promise(TargetText(*Read(written)) == written, "and says the same");
  fuzz::Promise(CompareWith(*target, SomeNeeds()).size() <= 8, "each need is missing once");
  const Status device = CheckDevice(target->device);
  fuzz::Promise(device || device.error().code == ErrorCode::kInvalidArgument, "a device has known parts or is refused");
  return 0;
}
