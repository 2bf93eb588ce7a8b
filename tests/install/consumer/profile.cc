// What a user of the second library might write: how long a run took. profile_consumer DUMP
#include <cstdio>

#include "pteedit/container.h"
#include "pteedit/profile/event_blocks.h"

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const auto dump = pteedit::OpenFileSource(argv[1]);
  if (!dump) return 4;
  const auto blocks = pteedit::ReadEventBlocks(*dump, {});
  if (!blocks || blocks->empty()) {
    std::puts("a dump has no blocks of events");
    return 1;
  }
  std::printf("%zu blocks, the first with %zu events\n", blocks->size(), blocks->front().events.size());
  return 0;
}
