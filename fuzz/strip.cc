// ptestrip, and stripping again what it wrote; what pteinspect advises to strip. Behind a program come data files that
// it is loaded with, behind a data file programs that it is stripped for.
#include "pteedit/strip.h"

#include <utility>
#include <vector>

#include "file_promises.h"
#include "fuzz_input.h"
#include "options.h"
#include "pteedit/debug_file.h"

using namespace pteedit;

namespace {

std::vector<Container> ProgramsOf(const fuzz::FuzzInput& input) {
  std::vector<Container> programs;
  for (size_t i = 1; i < input.files.size(); ++i) {
    Result<Container> file = fuzz::Open(input.files[i], "program");
    if (file && file->kind() != FileKind::kData) programs.push_back(*std::move(file));
  }
  return programs;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  const fuzz::FuzzInput input = fuzz::ParseInput({bytes, size});
  if (input.files.empty()) return 0;
  const Result<Container> file = fuzz::Open(input.files[0], "in");
  if (!file) return 0;
  const bool is_data = file->kind() == FileKind::kData;
  if ((input.options[2] & 1) == 0)
    fuzz::CheckAdvice({*file, is_data ? std::vector<Container>() : fuzz::OpenDataFiles(input)});
  StripOptions options = fuzz::StripOptionsFrom(input.options);
  options.keep_debug = (input.options[2] & 2) != 0;
  if (is_data) options.programs = ProgramsOf(input);
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
  fuzz::Promise(again->report.items.empty() && !again->changed, "nothing is left to strip:",
                again->report.items.empty() ? "" : std::string(again->report.items[0].what));
  return 0;
}
