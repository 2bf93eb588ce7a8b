// pteinspect --assembly: the text of a file, whatever is wrong with it.
#include "pteedit/assembly.h"

#include <string_view>

#include "fuzz_input.h"

using namespace pteedit;

namespace {

constexpr uint64_t kMostTextPerByte = 1000;  // a label for each few bytes
constexpr uint64_t kFreeText = 4096;

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  uint64_t written = 0;
  char last = '\n';
  const auto write = [&](std::string_view text) {
    written += text.size();
    if (!text.empty()) last = text.back();
  };
  const Status status = WriteAssembly(MakeViewSource("input", {data, size}), write);
  fuzz::Promise(status || status.error().code == ErrorCode::kUnsupported, "what is one of our files has a text");
  fuzz::Promise(!status || last == '\n', "a text ends with a line");
  fuzz::Promise(written <= kFreeText + size * kMostTextPerByte, "a text is not much longer than its file");
  return 0;
}
