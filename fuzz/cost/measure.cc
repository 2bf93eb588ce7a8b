#include "measure.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <new>
#include <string>

#include "fuzz_input.h"

namespace pteedit::fuzz {
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
// Of less, what any file costs is most.
constexpr size_t kMinInput = 1000;

struct Worst {
  double seconds = 0, bytes = 0;  // for each byte of input
} worst;

}  // namespace

void Measure(const char* operation, size_t input, const std::function<void()>& run) {
  const uint64_t before = heap.now;
  heap.most = before;
  const double start = ProcessorSeconds();
  run();
  const double seconds = ProcessorSeconds() - start;
  const uint64_t bytes = heap.most - before;
  const std::string words = std::string(operation) + " of " + std::to_string(input) + " bytes took " +
                            std::to_string(seconds) + " s and " + std::to_string(bytes) + " bytes of memory";
  Promise(seconds <= kMaxSeconds, "no operation takes over 10 s:", words);
  Promise(bytes <= kMaxBytes + kMaxOfInput * input, "no operation takes so much memory:", words);
  if (input < kMinInput) return;
  const auto size = static_cast<double>(input);
  const bool is_worst = seconds / size > worst.seconds || static_cast<double>(bytes) / size > worst.bytes;
  if (!is_worst) return;
  worst = {std::max(worst.seconds, seconds / size), std::max(worst.bytes, static_cast<double>(bytes) / size)};
  std::fprintf(stderr, "%s: %.3f us and %.1f bytes for each byte\n", words.c_str(), seconds / size * 1e6,
               static_cast<double>(bytes) / size);
}

}  // namespace pteedit::fuzz

using pteedit::fuzz::Allocate;
using pteedit::fuzz::Free;

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
