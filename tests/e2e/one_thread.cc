// Linked into the runner where an emulator runs it: under qemu the runtime's pool of threads is never done with being
// made. The runtime calls these in the place of its own, since symbols of a program come before those of libraries.
#include <executorch/extension/threadpool/threadpool_guard.h>
#include <executorch/runtime/core/function_ref.h>

#include <cstdint>

#define PTERUN_SYMBOL __attribute__((visibility("default")))

namespace executorch::extension {

PTERUN_SYMBOL bool parallel_for(int64_t begin, int64_t end, int64_t grain_size,
                                runtime::FunctionRef<void(int64_t, int64_t)> work);
PTERUN_SYMBOL int64_t get_thread_count();
PTERUN_SYMBOL int64_t get_thread_num();

bool parallel_for(int64_t begin, int64_t end, int64_t /*grain_size*/,
                  runtime::FunctionRef<void(int64_t, int64_t)> work) {
  work(begin, end);
  return true;
}

int64_t get_thread_count() { return 1; }
int64_t get_thread_num() { return 0; }

namespace {

const bool kBackendsToo = (threadpool::NoThreadPoolGuard::set_enabled(true), true);

}  // namespace
}  // namespace executorch::extension
