// ptesplit --join.
#include "fuzz_input.h"
#include "options.h"
#include "pteedit/split.h"

using namespace pteedit;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  const fuzz::FuzzInput input = fuzz::ParseInput({bytes, size});
  if (input.files.empty()) return 0;
  const Result<Container> program = fuzz::Open(input.files[0], "program.pte");
  if (!program) return 0;
  const JoinOptions options = fuzz::JoinOptionsFrom(input.options);
  const Result<JoinResult> joined = JoinProgram({*program, fuzz::OpenDataFiles(input)}, options);
  if (!joined) return 0;
  const Container whole = fuzz::Reopen(joined->program, "joined.pte");
  const Result<JoinResult> again = JoinProgram(whole, options);
  fuzz::Promise(again.has_value() && again->report.items.empty(), "a joined program has nothing to join");
  return 0;
}
