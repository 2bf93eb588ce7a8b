// What is promised of every dump and record that can be read.
#ifndef PTEEDIT_FUZZ_PROFILE_PROMISES_H_
#define PTEEDIT_FUZZ_PROFILE_PROMISES_H_

#include <memory>
#include <vector>

#include "pteedit/profile/debug_values.h"
#include "pteedit/profile/event_blocks.h"
#include "pteedit/source.h"

namespace pteedit::fuzz {

// Each run has a sample of each event.
void CheckBlocks(const std::vector<EventBlock>& blocks);

// Each event has values, in the shape of its block; compared with themselves they are the same.
void CheckValues(const std::vector<EventBlock>& blocks, const std::vector<BlockValues>& values);

// As if the source were a dump and its own debug buffer.
void UseDump(const std::shared_ptr<const Source>& source);

// As if it were the record of a program with the instructions that it knows, all kernels called as its first node, and
// of a run of few events.
void UseRecord(const std::shared_ptr<const Source>& source);

}  // namespace pteedit::fuzz

#endif  // PTEEDIT_FUZZ_PROFILE_PROMISES_H_
