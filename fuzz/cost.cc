// What a file makes every operation cost: processor time and memory per byte of input.
#include "cost/measure.h"
#include "cost/operations.h"
#include "fuzz_input.h"
#include "pteedit/verify.h"

using namespace pteedit;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::shared_ptr<const Source> source = MakeViewSource("input.pte", {data, size});
  std::optional<ProfileKind> profile;
  fuzz::Measure("telling the kind", size, [&] { profile = FindProfileKind(source).value(); });
  if (profile) {
    fuzz::MeasureProfileOperations(source, *profile, size);
    return 0;
  }
  fuzz::Measure("verifying", size, [&] { (void)Verify(source, {}); });
  std::optional<Container> file;
  fuzz::Measure("opening", size, [&] {
    Result<Container> opened = Container::Open(source);
    if (opened) file = *std::move(opened);
  });
  if (!file) return 0;
  fuzz::MeasureLooking(*file, size);
  fuzz::MeasureRewriting(*file, size);
  return 0;
}
