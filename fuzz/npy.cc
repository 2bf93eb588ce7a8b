// A .npy, read strictly: whatever it says of itself fits into the file.
#include "formats/npy.h"

#include "fuzz_input.h"

using namespace pteedit;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  const auto file = MakeViewSource("array.npy", {bytes, size});
  const Result<NpyArray> array = ReadNpyHeader(*file);
  if (!array) {
    fuzz::Promise(!array.error().message.empty(), "an error says what is wrong");
    return 0;
  }
  fuzz::Promise(array->place.offset + array->place.size == size, "elements reach to the end of the file");
  uint64_t elements = 1;
  for (const uint64_t one : array->sizes) elements *= one;
  fuzz::Promise(elements * array->element_bytes == array->place.size, "sizes say how many elements there are");
  return 0;
}
