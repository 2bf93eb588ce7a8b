// What a file makes every operation cost: processor time and memory per byte of input. Fails where one takes more than
// 10 s, or more memory than 64 MiB and 6 times the file; prints each new worst.
#include <ctime>
#include <functional>
#include <new>

#include "fuzz_input.h"
#include "pteedit/advise.h"
#include "pteedit/describe.h"
#include "pteedit/duplicates.h"
#include "pteedit/hashes.h"
#include "pteedit/merge.h"
#include "pteedit/profile/delegation.h"
#include "pteedit/profile/event_blocks.h"
#include "pteedit/profile/graph.h"
#include "pteedit/profile/profile_kind.h"
#include "pteedit/profile/slim_record.h"
#include "pteedit/requirements.h"
#include "pteedit/same.h"
#include "pteedit/sizes.h"
#include "pteedit/split.h"
#include "pteedit/strip.h"
#include "pteedit/verify.h"

using namespace pteedit;

namespace {

// Of what operator new gave and delete has not taken back. One thread: operations here get one.
struct Heap {
  uint64_t now = 0, most = 0;
} heap;

// In front of each block, so that delete knows its size; as large as new has to align.
union BlockHead {
  size_t size;
  std::max_align_t alignment;
};

void* Allocate(size_t size) {
  auto* head = static_cast<BlockHead*>(std::malloc(sizeof(BlockHead) + size));
  if (head == nullptr) return nullptr;
  head->size = size;
  heap.now += size;
  heap.most = std::max(heap.most, heap.now);
  return head + 1;
}

void Free(void* block) noexcept {
  if (block == nullptr) return;
  BlockHead* head = static_cast<BlockHead*>(block) - 1;
  heap.now -= head->size;
  std::free(head);
}

double ProcessorSeconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

constexpr double kMaxSeconds = 10;
constexpr uint64_t kMaxBytes = uint64_t{64} << 20;
constexpr uint64_t kMaxOfInput = 6;
constexpr size_t kMaxInflation = 1032;  // of deflate: a record is as large as what its archive holds
// Of less, what any file costs is most.
constexpr size_t kMinInput = 1000;

struct Worst {
  double seconds = 0, bytes = 0;  // for each byte of input
} worst;

void Measure(const char* operation, size_t input, const std::function<void()>& run) {
  const uint64_t before = heap.now;
  heap.most = before;
  const double start = ProcessorSeconds();
  run();
  const double seconds = ProcessorSeconds() - start;
  const uint64_t bytes = heap.most - before;
  const std::string words = std::string(operation) + " of " + std::to_string(input) + " bytes took " +
                            std::to_string(seconds) + " s and " + std::to_string(bytes) + " bytes of memory";
  fuzz::Promise(seconds <= kMaxSeconds, "no operation takes over 10 s:", words);
  fuzz::Promise(bytes <= kMaxBytes + kMaxOfInput * input, "no operation takes so much memory:", words);
  if (input < kMinInput) return;
  const auto size = static_cast<double>(input);
  const bool is_worst = seconds / size > worst.seconds || static_cast<double>(bytes) / size > worst.bytes;
  if (!is_worst) return;
  worst = {std::max(worst.seconds, seconds / size), std::max(worst.bytes, static_cast<double>(bytes) / size)};
  std::fprintf(stderr, "%s: %.3f us and %.1f bytes for each byte\n", words.c_str(), seconds / size * 1e6,
               static_cast<double>(bytes) / size);
}

void Look(const Container& file, size_t size) {
  Measure("describing", size, [&] { Describe(file); });
  Measure("delegation", size, [&] { (void)DescribeDelegation(file); });
  Measure("listing graphs", size, [&] { (void)DescribeGraphs(file); });
  Measure("measuring", size, [&] { (void)MeasureSizes(file, {true, {}}); });
  Measure("hashing", size, [&] { (void)HashContents(file, HashKind::kXxh3); });
  Measure("finding duplicates", size, [&] { (void)FindDuplicates({file, file}); });
  Measure("comparing", size, [&] { (void)FindDifference(file, file); });
  Result<std::vector<DelegateDescription>> delegates = std::vector<DelegateDescription>();
  Measure("looking into delegates", size, [&] { delegates = DescribeDelegates(file); });
  if (!delegates) return;
  Measure("requirements", size, [&] { DescribeRequirements(file, *delegates); });
  Measure("advice", size, [&] { (void)Advise(file, *delegates); });
}

void Rewrite(const Container& file, size_t size) {
  StripOptions strip;
  strip.padding = strip.dedupe = strip.overlap = true;
  Measure("stripping", size, [&] { (void)Strip(file, strip); });
  if (file.kind() == FileKind::kData) return;
  SplitOptions split;
  split.selection.mutables = true;
  Measure("splitting", size, [&] { (void)SplitProgram(file, split); });
  Measure("merging", size, [&] { (void)MergePrograms({{file, {}, "a", "a"}, {file, {}, "b", "b"}}, {}); });
}

}  // namespace

void* operator new(size_t size) {
  void* block = Allocate(size);
  if (block == nullptr) std::abort();
  return block;
}
void* operator new(size_t size, const std::nothrow_t&) noexcept { return Allocate(size); }
void* operator new[](size_t size) { return operator new(size); }
void* operator new[](size_t size, const std::nothrow_t&) noexcept { return Allocate(size); }
void operator delete(void* block) noexcept { Free(block); }
void operator delete(void* block, size_t) noexcept { Free(block); }
void operator delete[](void* block) noexcept { Free(block); }
void operator delete[](void* block, size_t) noexcept { Free(block); }

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::shared_ptr<const Source> source = MakeViewSource("input.pte", {data, size});
  std::optional<ProfileKind> profile;
  Measure("telling the kind", size, [&] { profile = FindProfileKind(source).value(); });
  if (profile) {
    if (*profile == ProfileKind::kEtrecord) size *= kMaxInflation;
    Measure("measuring", size, [&] { (void)MeasureProfile(source, *profile); });
    Measure("verifying", size, [&] { (void)VerifyProfile(source, *profile); });
    if (*profile == ProfileKind::kEtdump) Measure("reading events", size, [&] { (void)ReadEventBlocks(source, {}); });
    if (*profile == ProfileKind::kEtrecord) Measure("slimming", size, [&] { (void)SlimRecord(source); });
    return 0;
  }
  Measure("verifying", size, [&] { (void)Verify(source, {}); });
  std::optional<Container> file;
  Measure("opening", size, [&] {
    Result<Container> opened = Container::Open(source);
    if (opened) file = *std::move(opened);
  });
  if (!file) return 0;
  Look(*file, size);
  Rewrite(*file, size);
  return 0;
}
