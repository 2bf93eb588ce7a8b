// ptestrip, and stripping again what it wrote; what pteinspect advises to strip.
#include "pteedit/strip.h"

#include "fuzz_input.h"
#include "pteedit/advise.h"

using namespace pteedit;

namespace {

StripOptions OptionsFrom(const std::array<uint8_t, 4>& bytes) {
  StripOptions options;
  options.debug = (bytes[0] & 1) == 0;
  options.unreferenced = (bytes[0] & 2) == 0;
  options.padding = (bytes[0] & 4) != 0;
  options.dedupe = (bytes[0] & 8) != 0;
  options.unwrap = (bytes[0] & 16) != 0;
  options.overlap = (bytes[0] & 32) != 0;
  options.min_alignment = uint64_t{16} << (bytes[1] % 9);
  return options;
}

// Each command that saves something is one that was planned, so it comes with what it saves.
void CheckAdvice(const Container& file) {
  const Result<std::vector<DelegateDescription>> delegates = DescribeDelegates(file);
  if (!delegates) return;  // over a limit, see describe.cc
  const Result<std::vector<Advice>> advice = Advise(file, *delegates);
  fuzz::Promise(advice.has_value(), "an opened file can be advised on");
  for (const Advice& one : *advice)
    fuzz::Promise(one.takes != 0 && one.saves.has_value() == !one.command.empty(), "advice is about bytes:", one.id);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  const fuzz::FuzzInput input = fuzz::ParseInput({bytes, size});
  if (input.files.empty()) return 0;
  const Result<Container> file = fuzz::Open(input.files[0], "in");
  if (!file) return 0;
  if ((input.options[2] & 1) == 0) CheckAdvice(*file);
  StripOptions options = OptionsFrom(input.options);
  const Result<StripResult> stripped = Strip(*file, options);
  if (!stripped) return 0;
  const bool may_grow = options.min_alignment > StripOptions().min_alignment;
  fuzz::Promise(may_grow || stripped->file.size() <= file->source()->size(), "what was stripped is no larger");
  fuzz::Promise(stripped->changed || stripped->file.size() == file->source()->size(), "what is the same has its size");
  const Container without = fuzz::Reopen(stripped->file, "stripped");
  options.unwrap = false;
  const Result<StripResult> again = Strip(without, options);
  fuzz::Promise(again.has_value(), "what was stripped can be stripped:", again ? "" : again.error().message);
  fuzz::Promise(again->report.items.empty() && !again->changed,
                "nothing is left to strip:", again->report.items.empty() ? "" : again->report.items[0].what);
  return 0;
}
