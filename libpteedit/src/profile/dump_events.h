// The runs of an ETDump with their events, in the order in which the runtime logged them.
#ifndef PTEEDIT_SRC_PROFILE_DUMP_EVENTS_H_
#define PTEEDIT_SRC_PROFILE_DUMP_EVENTS_H_

#include <cstdint>
#include <string_view>
#include <variant>
#include <vector>

#include "profile/etdump.h"
#include "pteedit/profile/event_blocks.h"
#include "pteedit/result.h"

namespace pteedit {

// Which part of a program an event is about, as logged: -1 and "" where there is none.
struct EventPlace {
  int64_t chain = 0;
  int32_t instruction = -1;
  int32_t delegate_number = -1;
  std::string_view delegate_text;

  auto operator<=>(const EventPlace&) const = default;
};

// Texts view the dump.
struct TimedEvent {
  std::string_view name, metadata;
  uint64_t start = 0, end = 0;
};
struct LoggedEvent {
  std::string_view name;
  LoggedValue value;
  bool is_output = false;  // of the method, not of an instruction
};
struct AllocationEvent {
  int32_t allocator = 0;  // counted from 1
  uint64_t bytes = 0;
};
struct DumpEvent {
  EventPlace place;
  std::variant<TimedEvent, LoggedEvent, AllocationEvent> what;
};

struct DumpRun {
  std::string_view name;
  int32_t bundled_input_index = -1;
  std::vector<std::string_view> allocators;
  std::vector<DumpEvent> events;
};

// `dump` must outlive the result. kMalformed where its tables are damaged, or an event is of no kind.
Result<std::vector<DumpRun>> ReadRuns(const Etdump& dump);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_PROFILE_DUMP_EVENTS_H_
