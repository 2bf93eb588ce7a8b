// pteprof: a dump with the record, the debug buffer and the program that come behind it; without those that are empty.
#include "fuzz_input.h"
#include "profile_promises.h"
#include "pteedit/profile/profile.h"

using namespace pteedit;

namespace {

std::shared_ptr<const Source> SourceAt(const fuzz::FuzzInput& input, size_t index, const char* name) {
  const bool is_there = index < input.files.size() && input.files[index].size != 0;
  return is_there ? MakeViewSource(name, input.files[index]) : nullptr;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  const fuzz::FuzzInput input = fuzz::ParseInput({bytes, size});
  const auto dump = SourceAt(input, 0, "dump"), program = SourceAt(input, 3, "program.pte");
  if (dump == nullptr) return 0;
  ProfileFiles files{dump, {}, SourceAt(input, 1, "record"), SourceAt(input, 2, "buffer")};
  if (program != nullptr) {
    if (const Result<Container> opened = Container::Open(program)) files.set.emplace(*opened);
  }
  const bool in_cycles = (input.options[0] & 1) != 0;
  RunSelection runs;
  if ((input.options[0] & 2) != 0) runs = {input.options[1], input.options[2], {}};
  const Result<Profile> profile =
      Profile::Read(files, in_cycles ? EventScales{TimeScale::kCycles, TimeScale::kCycles} : EventScales(), runs);
  if (!profile) {
    fuzz::Promise(!profile.error().message.empty() && !profile.error().file.empty(), "errors say what and where");
    return 0;
  }
  fuzz::CheckBlocks(profile->blocks());
  fuzz::Promise(profile->references().has_value() == (files.record != nullptr), "a record has references");
  fuzz::Promise(profile->values().has_value() == (files.debug_buffer != nullptr), "a buffer has values");
  if (profile->values()) fuzz::CheckValues(profile->blocks(), *profile->values());
  fuzz::PromiseResult(profile->Costs(), "costs of what was read can be told:");
  for (const BlockChange& change : profile->ChangesSince(*profile))
    fuzz::Promise(change.before_runs == change.after_runs, "nothing changed since itself:", change.name);
  const auto gap = profile->GapTo(*profile);
  fuzz::Promise(gap || gap.error().code != ErrorCode::kIo, "values in memory can be compared");
  return 0;
}
