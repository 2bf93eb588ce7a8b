// Two profiles side by side: of one model on two builds of a runtime, or of two builds of a model.
#ifndef PTEEDIT_PROFILE_PROFILE_CHANGES_H_
#define PTEEDIT_PROFILE_PROFILE_CHANGES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "pteedit/export.h"
#include "pteedit/profile/event_blocks.h"

namespace pteedit {

// Slower and faster are those whose ranks differ by more than chance: one-sided Mann-Whitney tests, each wrong in one
// of 200 cases at equal code. That takes 5 runs on both sides, or 4 and 6, or 3 and 9.
enum class ChangeVerdict { kNew, kGone, kTooFewRuns, kWithinSpread, kSlower, kFaster };
PTEEDIT_API const char* NameOf(ChangeVerdict verdict);  // "new", "gone", "too few runs", "within spread", …

struct EventChange {
  std::string name;
  std::string backend;                    // where it is known
  int64_t chain = -1, instruction = -1;   // of the new profile, where it has the event
  std::optional<PerfData> before, after;  // nothing where only the other profile has the event

  // Of the medians, 0.1 where the new one is a tenth slower; nothing where one of them is missing or the old one is 0.
  PTEEDIT_API std::optional<double> slowdown() const;
  PTEEDIT_API ChangeVerdict verdict() const;
};

struct BlockChange {
  std::string name;
  std::vector<std::string> methods;          // of the new profile
  bool runs_instructions = false;            // in one of the profiles; false for loading
  uint64_t before_runs = 0, after_runs = 0;  // 0 where only the other profile has the block
  // Of a run: what the runtime measured around all of it, Method::execute or Program::load_method, where both profiles
  // have that, else the sum of kernels and calls of delegates, with an empty name.
  EventChange whole;
  std::vector<EventChange> events;  // all others but OPERATOR_CALL; the largest change of medians first
};

// The same with the operators of a type in the place of events, by OperatorTypeCost::type, and only of blocks in which
// instructions ran.
PTEEDIT_API std::vector<BlockChange> CompareTypes(const std::vector<EventBlock>& before,
                                                  const std::vector<EventBlock>& after);

// Blocks belong together when they have a name and an input in common, and of several those with the most events in
// common; events when they are of one instruction, or else the n-th of their name. Blocks of the new profile come
// first, in their order, then those that only the old one has. Both in the same time scale.
PTEEDIT_API std::vector<BlockChange> CompareProfiles(const std::vector<EventBlock>& before,
                                                     const std::vector<EventBlock>& after);

}  // namespace pteedit

#endif  // PTEEDIT_PROFILE_PROFILE_CHANGES_H_
