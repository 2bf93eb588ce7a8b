// ptesplit, and joining back what it wrote. The last data file may be one that devices have (--against), or that holds
// what is to move (--match) or to stay.
#include "pteedit/split.h"

#include <string>
#include <utility>
#include <vector>

#include "fuzz_input.h"
#include "options.h"

using namespace pteedit;

namespace {

constexpr uint64_t kShardBytes = 4096;

// Takes the last data file where option bits 16 and 32 want it.
SplitOptions OptionsFrom(const fuzz::OptionBytes& bytes, std::vector<Container>& data) {
  SplitOptions options = fuzz::SplitOptionsFrom(bytes);
  if ((bytes[0] & 64) != 0) options.selection.backends = {"XnnpackBackend"};
  if ((bytes[0] & 128) != 0) options.bind = Bind::kAlways;
  if ((bytes[3] & 64) != 0) options.name_keys = true;
  if ((bytes[3] & 128) != 0) options.max_shard_bytes = kShardBytes;
  const unsigned role = bytes[0] >> 4 & 3;
  if (role == 0 || data.empty()) return options;
  std::vector<Container>& files = role == 1   ? options.bases
                                  : role == 2 ? options.selection.match.files
                                              : options.selection.not_match.files;
  files.push_back(std::move(data.back()));
  data.pop_back();
  options.new_data = role != 1 || (bytes[3] & 32) == 0;
  return options;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  const fuzz::FuzzInput input = fuzz::ParseInput({bytes, size});
  if (input.files.empty()) return 0;
  const Result<Container> program = fuzz::Open(input.files[0], "program.pte");
  if (!program) return 0;
  std::vector<Container> data = fuzz::OpenDataFiles(input);
  const SplitOptions options = OptionsFrom(input.options, data);
  const Result<SplitResult> split = SplitProgram({*program, data}, options);
  if (!split) return 0;
  const Container without = fuzz::Reopen(split->program, "split.pte");
  SplitOptions against = options;
  against.new_data = true;
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
