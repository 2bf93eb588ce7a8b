// A package of the native backend (.ptn) with the members of the input, in an archive that is sound, or the input as it
// is: whatever the members say, what opens can be described, measured and verified.
#include "file_promises.h"
#include "fuzz_input.h"
#include "pteedit/describe.h"
#include "pteedit/packed_cache.h"
#include "pteedit/verify.h"
#include "zip_builder.h"

using namespace pteedit;

namespace {

std::vector<uint8_t> PackageOf(const fuzz::FuzzInput& input) {
  constexpr std::array kNames = {"program.ptg", "program.safetensors", "aliases.json", "other"};
  std::vector<test::ZipTestEntry> members;
  for (const ByteSpan& member : input.files)
    members.push_back({kNames[members.size()], {reinterpret_cast<const char*>(member.data), member.size}});
  return test::ZipBuilder().Build(members);
}

void Look(std::vector<uint8_t> bytes) {
  const auto source = MakeMemorySource("m.ptn", std::move(bytes));
  if (const Result<SizeNode> cache = MeasurePackedCache(source)) fuzz::CheckSums(*cache);
  const Result<Container> package = Container::OpenToLook(source);
  if (!package) return fuzz::Promise(!package.error().message.empty(), "an error says what is wrong");
  const Result<SizeNode> sizes = MeasureSizes(*package);
  fuzz::PromiseResult(sizes, "what opens can be measured:");
  fuzz::CheckSums(*sizes);
  Describe(*package);
  fuzz::PromiseResult(VerifyOpened(*package), "what opens can be verified:");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Look({data, data + size});
  Look(PackageOf(fuzz::ParseInput({data, size})));
  return 0;
}
