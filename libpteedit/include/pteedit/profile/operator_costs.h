// Time and stored bytes side by side: where the time of a profile went, and which bytes of the program it went to.
#ifndef PTEEDIT_PROFILE_OPERATOR_COSTS_H_
#define PTEEDIT_PROFILE_OPERATOR_COSTS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "pteedit/export.h"
#include "pteedit/operator_work.h"
#include "pteedit/profile/event_blocks.h"
#include "pteedit/rare.h"
#include "pteedit/stored_reads.h"

namespace pteedit {

// Of the times of all runs, beside their median; in the target scale.
struct TimeSpread {
  double mean = 0, p10 = 0, p90 = 0, p99 = 0;
  uint64_t runs = 0;
};

// What one instruction cost, or one operator inside a delegate. Times are medians over runs, of which the first may be
// cold; so they do not quite add up.
struct OperatorCost {
  struct Details {
    // With a record:
    std::vector<std::string> op_types;
    std::string module;                  // the path of the one that all of it is in; empty where there is none
    std::string source;                  // "model.py:12", the innermost line outside torch, where all is from one
    std::optional<DelegateNodes> nodes;  // of what is inside a delegate, where its blob tells
  };

  std::string name;     // "add.out" of a kernel, "DELEGATE_CALL", or what a delegate calls its own operator
  std::string type;     // what those of one kind have in common; see OperatorTypeCost
  std::string backend;  // where it is known; empty for a kernel
  int64_t chain = 0, instruction = 0;
  bool is_in_delegate = false;  // a part of the DELEGATE_CALL of the same instruction
  uint64_t calls = 0;           // in all runs
  TimeSpread spread;
  double time = 0;   // of a run, in the target scale
  double share = 0;  // of BlockCosts::time, from 0 to 1; 0 where that is 0
  // That it reads, with a program: inside a delegate of its one node, which are a part of those of the call.
  std::optional<uint64_t> stored_bytes;
  // In each call, with a program: of a delegate's call all of its operators, inside it those of its one node.
  std::optional<OperatorWork> work;
  Rare<Details> more;
};

// All operators of one type: kernels of a name; inside delegates, operators of a name without its number, or without a
// name of the types that the record has of them; "DELEGATE_CALL", what calls of delegates took beyond the operators
// that they logged.
struct OperatorTypeCost {
  std::string type;
  std::string backend;
  uint64_t operators = 0;
  uint64_t calls = 0;         // in all runs
  std::vector<double> times;  // by run
  TimeSpread spread;          // of these
  double time = 0;            // of a run
  double share = 0;
  std::optional<uint64_t> stored_bytes;  // each once, however many operators read them
};

struct BlockCosts {
  std::string name;
  int64_t bundled_input_index = -1;
  std::vector<std::string> methods;  // that it may be a run of
  uint64_t runs = 0;
  uint64_t cold_runs = 0;  // at the start, that took more than twice the median of all; of fewer than 3 runs none
  TimeSpread spread;
  double time = 0;  // of a run: Method::execute where that was measured, else the sum of `operators` and `overhead`
  std::vector<OperatorCost> operators;    // the most time first; what is inside a delegate behind its call
  std::vector<OperatorTypeCost> types;    // the most time first
  std::vector<OperatorTypeCost> modules;  // with a record: by Details::module, which is their type
  double overhead = 0;                    // of a run: OPERATOR_CALL beyond the kernels that were called
  double rest = 0;                        // of a run: what Method::execute took beyond all of the above
  std::optional<uint64_t> stored_bytes;   // of all operators, each once
  BlockChecks checks;
  std::vector<std::string> missing_keys;  // whose bytes are in no file that was given
};

// Of the blocks in which instructions ran. `reads` and `work`, of the program that they were joined with, give blocks
// of one method stored bytes, MACs and bytes that move.
PTEEDIT_API std::vector<BlockCosts> CostsOf(const std::vector<EventBlock>& blocks, const StoredReads* reads = nullptr,
                                            const std::vector<InstructionWork>& work = {});

}  // namespace pteedit

#endif  // PTEEDIT_PROFILE_OPERATOR_COSTS_H_
