// Opening a file, and reading every byte that an opened file says is there.
#include "fuzz_input.h"
#include "pteedit/program_set.h"

using namespace pteedit;

namespace {

void ReadAll(const Container& file, Extent extent) {
  std::vector<uint8_t> bytes(static_cast<size_t>(extent.size));
  fuzz::Promise(file.source()->Read(extent.offset, {bytes.data(), bytes.size()}).has_value(),
                "extents are in the file");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const Result<Container> opened = fuzz::Open({data, size}, "input");
  if (!opened) {
    fuzz::Promise(!opened.error().message.empty() && opened.error().file == "input", "errors say what and where");
    return 0;
  }
  const ProgramSet set(*opened);
  const Container& file = set.program();
  for (const NamedEntry& entry : file.named_data()) {
    if (entry.extent.size <= size) ReadAll(file, entry.extent);
  }
  if (file.segments().size() < size) {
    for (const Extent& segment : file.segments()) fuzz::Promise(segment.offset + segment.size <= size, "segments fit");
  }
  return 0;
}
