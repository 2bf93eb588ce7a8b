// ptesplit, and joining back what it wrote.
#include "pteedit/split.h"

#include <string>

#include "fuzz_input.h"
#include "options.h"

using namespace pteedit;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  const fuzz::FuzzInput input = fuzz::ParseInput({bytes, size});
  if (input.files.empty()) return 0;
  const Result<Container> program = fuzz::Open(input.files[0], "program.pte");
  if (!program) return 0;
  std::vector<Container> data = fuzz::OpenDataFiles(input);
  const SplitOptions options = fuzz::SplitOptionsFrom(input.options);
  const Result<SplitResult> split = SplitProgram({*program, data}, options);
  if (!split) return 0;
  const Container without = fuzz::Reopen(split->program, "split.pte");
  SplitOptions against = options;
  for (const PlannedFile& file : split->data) against.bases.push_back(fuzz::Reopen(file, "data"));
  const Result<SplitResult> other = SplitProgram({*program, data}, against);
  fuzz::Promise(other || other.error().code != ErrorCode::kIo, "a program is split against what it gave");
  data.insert(data.end(), against.bases.begin(), against.bases.end());
  const Result<JoinResult> joined = JoinProgram({without, data}, {});
  const bool is_refused = !joined && joined.error().code == ErrorCode::kUnsupported;
  const bool was_wrong = !joined && joined.error().finding == std::string("key-hash");  // only a join hashes keys
  fuzz::Promise(joined || is_refused || was_wrong,
                "what was split can be joined:", joined ? "" : joined.error().message);
  return 0;
}
