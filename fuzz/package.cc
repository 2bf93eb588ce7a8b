// A package of the native backend (.ptn) with the members of the input, in an archive that is sound, or the input as it
// is: whatever the members say, what opens can be described, measured, verified and merged.
#include "file_promises.h"
#include "fuzz_input.h"
#include "pteedit/describe.h"
#include "pteedit/merge_packages.h"
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

// Merged with itself it has each method twice, and whatever it is verified to be.
void CheckMerge(const Container& package) {
  const Result<MergedPackage> merged = MergePackages({{package, "a"}, {package, "b"}}, "out.ptn");
  if (!merged) return fuzz::Promise(!merged.error().message.empty(), "an error says what is wrong");
  const Result<Container> opened = Container::OpenToLook(merged->package.AsSource("out.ptn"));
  fuzz::PromiseResult(opened, "what was merged opens:");
  fuzz::Promise(Describe(*opened).methods.size() == 2 * Describe(package).methods.size(), "all methods are there");
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
  CheckMerge(*package);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Look({data, data + size});
  Look(PackageOf(fuzz::ParseInput({data, size})));
  return 0;
}
