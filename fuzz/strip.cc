// ptestrip, and stripping again what it wrote; what pteinspect advises to strip.
#include "pteedit/strip.h"

#include "file_promises.h"
#include "fuzz_input.h"
#include "options.h"
#include "pteedit/debug_file.h"

using namespace pteedit;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  const fuzz::FuzzInput input = fuzz::ParseInput({bytes, size});
  if (input.files.empty()) return 0;
  const Result<Container> file = fuzz::Open(input.files[0], "in");
  if (!file) return 0;
  if ((input.options[2] & 1) == 0) fuzz::CheckAdvice(*file);
  StripOptions options = fuzz::StripOptionsFrom(input.options);
  options.keep_debug = (input.options[2] & 2) != 0;
  const Result<StripResult> stripped = Strip(*file, options);
  if (!stripped) return 0;
  const bool may_grow = options.min_alignment > StripOptions().min_alignment;
  fuzz::Promise(may_grow || stripped->file.size() <= file->source()->size(), "what was stripped is no larger");
  fuzz::Promise(stripped->changed || stripped->file.size() == file->source()->size(), "what is the same has its size");
  const Container without = fuzz::Reopen(stripped->file, "stripped");
  if (stripped->debug)
    fuzz::PromiseResult(CheckDebugFile(fuzz::Reopen(*stripped->debug, "debug"), without), "a debug file fits:");
  options.unwrap = false;
  const Result<StripResult> again = Strip(without, options);
  fuzz::PromiseResult(again, "what was stripped can be stripped:");
  fuzz::Promise(again->report.items.empty() && !again->changed,
                "nothing is left to strip:", again->report.items.empty() ? "" : again->report.items[0].what);
  return 0;
}
