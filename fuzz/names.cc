// pteinspect --names: the first file is a program, the second knows what its contents are called.
#include "fuzz_input.h"
#include "pteedit/profile/name_files.h"
#include "pteedit/sizes.h"

using namespace pteedit;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const fuzz::FuzzInput input = fuzz::ParseInput({data, size});
  if (input.files.size() < 2) return 0;
  const auto names = ReadNames(MakeViewSource("names", input.files[1]));
  if (!names) return 0;
  for (const ContentName& name : *names) {
    fuzz::Promise(name.data == nullptr || name.data->size() == name.bytes, "a content has the bytes that it has");
    fuzz::Promise(name.data != nullptr || name.sha256.size() == 64, "or a hash");
  }
  const Result<Container> program = fuzz::Open(input.files[0], "program");
  if (!program) return 0;
  const Result<Container> named = ContentNames(*names).Name(*program);
  if (!named) return fuzz::Promise(fuzz::IsLimit(named.error()), "names are found", named.error().message), 0;
  const Result<Container> without = ContentNames().Name(*program);
  fuzz::Promise(without.has_value(), "without names nothing is too much");
  const NameCount before = CountNames(*without), after = CountNames(*named);
  fuzz::Promise(before.contents == after.contents, "names change no contents");
  fuzz::Promise(before.unnamed >= after.unnamed, "and take no name away");
  fuzz::Promise(MeasureSizes(*named).has_value() == MeasureSizes(*program).has_value(), "nor sizes");
  return 0;
}
