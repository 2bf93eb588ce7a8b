// What the targets share: how one input carries several files and options, and how a target says that a promise is
// broken. verify, split, join, merge, strip, copy, round_trip, diff, read_profile and names take
//   4 option bytes | u32 length, file | u32 length, file | ...
// with little-endian lengths; one that is too long reaches to the end of the input. The first file is the program, the
// others data files, unless the target says otherwise. make_input.py writes such inputs. All other targets take the
// bytes of one file, blob or text as they are.
#ifndef PTEEDIT_FUZZ_FUZZ_INPUT_H_
#define PTEEDIT_FUZZ_FUZZ_INPUT_H_

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "pteedit/container.h"
#include "pteedit/planned_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace pteedit::fuzz {

inline constexpr size_t kMaxFiles = 4;

struct FuzzInput {
  std::array<uint8_t, 4> options{};
  std::vector<ByteSpan> files;  // views of the input; the first is the program
};

inline FuzzInput ParseInput(ByteSpan bytes) {
  FuzzInput input;
  size_t at = std::min(bytes.size, input.options.size());
  std::copy_n(bytes.data, at, input.options.begin());
  while (input.files.size() < kMaxFiles && bytes.size - at >= sizeof(uint32_t)) {
    uint32_t length = 0;
    std::memcpy(&length, bytes.data + at, sizeof(length));
    at += sizeof(length);
    input.files.push_back({bytes.data + at, std::min<size_t>(length, bytes.size - at)});
    at += input.files.back().size;
  }
  return input;
}

// Ends the run, with a message, where something that we promise does not hold.
inline void Promise(bool kept, const char* what, const std::string& details = "") {
  if (kept) return;
  std::fprintf(stderr, "broken promise: %s %s\n", what, details.c_str());
  std::abort();
}

// The same of a result, whose error is told.
template <class T>
void PromiseResult(const T& result, const char* what) {
  Promise(result.has_value(), what, result ? "" : result.error().message);
}

// What is well formed may still be more than a reader takes.
inline bool IsLimit(const Error& error) { return error.message.find("(ParseLimits::") != std::string::npos; }

inline Result<Container> Open(ByteSpan file, const char* name) { return Container::Open(MakeViewSource(name, file)); }

// Opens all files but the first; only those that are data files count.
inline std::vector<Container> OpenDataFiles(const FuzzInput& input) {
  std::vector<Container> data;
  for (size_t i = 1; i < input.files.size(); ++i) {
    Result<Container> file = Open(input.files[i], i == 1 ? "one.ptd" : i == 2 ? "two.ptd" : "three.ptd");
    if (file && file->kind() == FileKind::kData) data.push_back(*std::move(file));
  }
  return data;
}

// The bytes of a plan can all be had, and are a file.
inline Container Reopen(const PlannedFile& plan, const char* name) {
  std::vector<uint8_t> bytes(static_cast<size_t>(plan.size()));
  const Status read = plan.AsSource(name)->Read(0, {bytes.data(), bytes.size()});
  PromiseResult(read, "a planned file can be read:");
  Result<Container> file = Container::Open(MakeMemorySource(name, std::move(bytes)));
  PromiseResult(file, "a planned file opens:");
  return *std::move(file);
}

}  // namespace pteedit::fuzz

#endif  // PTEEDIT_FUZZ_FUZZ_INPUT_H_
