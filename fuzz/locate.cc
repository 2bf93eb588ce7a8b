// pteinspect --at: what the bytes of a file belong to, its first and last and others between.
#include "pteedit/locate.h"

#include "fuzz_input.h"
#include "pteedit/text.h"

using namespace pteedit;

namespace {

constexpr size_t kPlaces = 16;

void CheckPlace(const Container& file, uint64_t offset, size_t size) {
  const Result<BytePlace> place = LocateByte(file, offset);
  if (!place && fuzz::IsLimit(place.error())) return;
  fuzz::PromiseResult(place, "each byte has a place:");
  const Extent& extent = place->extent;
  fuzz::Promise(extent.size <= size && extent.offset <= size - extent.size, "places lie in the file");
  fuzz::Promise(extent.offset <= offset && offset - extent.offset < extent.size,
                "a place has the byte:", EscapeControl(place->field));
  fuzz::Promise(!place->components.empty(), "each byte is in a component");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const Result<Container> file = fuzz::Open({data, size}, "input");
  if (!file) return 0;
  for (size_t i = 0; i <= kPlaces; ++i) CheckPlace(*file, (size - 1) * i / kPlaces, size);
  const Result<BytePlace> behind = LocateByte(*file, size);
  fuzz::Promise(!behind && behind.error().code == ErrorCode::kInvalidArgument, "a file ends at its end");
  return 0;
}
