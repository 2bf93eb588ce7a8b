// ptesplit, and joining back what it wrote.
#include "pteedit/split.h"

#include "fuzz_input.h"

using namespace pteedit;

namespace {

SplitOptions OptionsFrom(const std::array<uint8_t, 4>& bytes) {
  SplitOptions options;
  options.selection.constants = (bytes[0] & 1) == 0;
  options.selection.named_data = (bytes[0] & 2) == 0;
  options.selection.mutables = (bytes[0] & 4) != 0;
  if ((bytes[0] & 8) != 0) options.selection.methods = {"forward"};
  options.selection.min_bytes = bytes[1];
  options.max_external_tensors = bytes[2] == 0 ? 1000 : bytes[2];
  options.min_alignment = uint64_t{16} << (bytes[3] % 9);
  return options;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  const fuzz::FuzzInput input = fuzz::ParseInput({bytes, size});
  if (input.files.empty()) return 0;
  const Result<Container> program = fuzz::Open(input.files[0], "program.pte");
  if (!program) return 0;
  std::vector<Container> data = fuzz::OpenDataFiles(input);
  const Result<SplitResult> split = SplitProgram({*program, data}, OptionsFrom(input.options));
  if (!split) return 0;
  const Container without = fuzz::Reopen(split->program, "split.pte");
  if (split->data) data.push_back(fuzz::Reopen(*split->data, "data"));
  const Result<JoinResult> joined = JoinProgram({without, data}, {});
  fuzz::Promise(joined.has_value() || joined.error().code == ErrorCode::kUnsupported,
                "what was split can be joined:", joined ? "" : joined.error().message);
  return 0;
}
