// pteinspect --names: the first file is a program, the second knows what its contents are called.
#include "fuzz_input.h"
#include "pteedit/profile/name_files.h"
#include "pteedit/program_set.h"
#include "pteedit/same.h"
#include "pteedit/sizes.h"
#include "pteedit/tensors.h"

using namespace pteedit;

// A checkpoint becomes a data file, and that a checkpoint with the same tensors.
static void CheckTensors(ByteSpan file) {
  const auto read = ReadCheckpoint(MakeViewSource("checkpoint", file));
  if (!read) return;
  const auto data = PlanDataFile(*read, "data");
  fuzz::Promise(data.has_value() != read->empty(), "tensors are planned", data ? "" : data.error().message);
  if (!data) return;
  const Result<Container> opened = Container::Open(data->file.AsSource("data"));
  fuzz::Promise(opened.has_value(), "what is planned can be opened");
  const auto checkpoint = PlanCheckpoint(TensorsOf(*opened), "checkpoint");
  if (!checkpoint) return;  // a key is no name, or too much would be put into another order
  const auto again = ReadCheckpoint(checkpoint->file.AsSource("checkpoint"));
  fuzz::Promise(again.has_value(), "and read again", again ? "" : again.error().message);
  const auto back = PlanDataFile(*again, "data");
  fuzz::Promise(back.has_value(), "and come back");
  const Result<Container> same = Container::Open(back->file.AsSource("data"));
  const auto difference = FindDifference(ProgramSet(*opened), ProgramSet(*same));
  fuzz::Promise(difference && !*difference, "the same", difference && *difference ? (*difference)->message : "");
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const fuzz::FuzzInput input = fuzz::ParseInput({data, size});
  if (input.files.size() < 2) return 0;
  CheckTensors(input.files[1]);
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
  const auto hashed = HashContentNames(*names, 2);
  fuzz::Promise(hashed.has_value(), "contents in memory can be hashed", hashed ? "" : hashed.error().message);
  const Result<Container> by_hash = ContentNames(*hashed).Name(*program);
  if (!by_hash) return fuzz::Promise(fuzz::IsLimit(by_hash.error()), "names are found", by_hash.error().message), 0;
  fuzz::Promise(CountNames(*by_hash).unnamed <= before.unnamed, "hashes take no name away either");
  return 0;
}
