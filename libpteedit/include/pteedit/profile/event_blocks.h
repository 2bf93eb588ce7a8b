// What an ETDump measured, as the exporter's Inspector groups it: runs of one shape are a block, and each of its events
// has one sample a run.
#ifndef PTEEDIT_PROFILE_EVENT_BLOCKS_H_
#define PTEEDIT_PROFILE_EVENT_BLOCKS_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pteedit/container.h"
#include "pteedit/export.h"
#include "pteedit/rare.h"
#include "pteedit/result.h"
#include "pteedit/source.h"

namespace pteedit {

enum class TimeScale { kNs, kUs, kMs, kS, kCycles };
PTEEDIT_API const char* NameOf(TimeScale scale);
// How many of it a second has; 1 of cycles.
PTEEDIT_API double PerSecond(TimeScale scale);                                  // "ns", "us", "ms", "s", "cycles"
PTEEDIT_API std::optional<TimeScale> TimeScaleCalled(const std::string& name);  // nothing for other names

// Of samples in the target time scale; percentiles interpolate between samples.
struct PerfData {
  std::vector<double> raw;  // by run
  double p10 = 0, p50 = 0, p90 = 0, avg = 0, min = 0, max = 0;
};
// Of at least one sample; to the last digit what numpy answers.
PTEEDIT_API PerfData PerfDataOf(std::vector<double> raw);

// A tensor that was logged while running.
struct LoggedTensor {
  int8_t scalar_type = 0;
  std::vector<int64_t> sizes, strides;
  int64_t offset = -1;  // of its bytes in the debug buffer, contiguous; -1 for an empty one
};

struct LoggedValue {
  enum class Kind { kNull, kInt, kBool, kFloat, kDouble, kTensor, kTensorList };
  Kind kind = Kind::kNull;
  int64_t number = 0;                 // kInt; kBool: 0 or 1
  double real = 0;                    // kFloat, kDouble
  std::vector<LoggedTensor> tensors;  // kTensor: one
};

// One level of the modules that an operator of the model was written in: torch's key, the path from the root, the type.
struct ModuleLevel {
  std::string key, path, type;
};

// An operator of the model, as the exporter's record has it.
struct SourceOperator {
  std::string name;
  std::optional<std::string> stack_trace;
  std::optional<std::vector<ModuleLevel>> modules;  // from the outermost in
};

// The nodes of a delegate's graph, in the order of its blob, that one of its operators may be of: one, or where fusion
// leaves that open from the first to the last.
struct DelegateNodes {
  uint64_t first = 0, last = 0;
  // Of one node:
  uint64_t debug_handle = 0;      // 0 where the blob does not tell
  uint64_t blob_bytes = 0;        // of constants in the blob
  std::vector<std::string> keys;  // of constants outside of it
};

enum class EventKind {
  kRuntime,  // of the runtime itself: loading, and all of a run
  kKernel,
  kOperatorCall,  // a kernel once more, with what it takes to call it
  kDelegateCall,
  kInDelegate,  // what a delegate logged of its own, a part of its call
};

// What one run measured of an event.
struct Sample {
  double elapsed = 0;           // in the target scale
  uint64_t start = 0, end = 0;  // as measured
};

struct ProfiledEvent {
  struct Details {
    std::vector<std::string> delegate_debug_metadata;  // by run; empty where no run has any
    std::vector<LoggedValue> debug_data;               // of the first run
    // Of the others, in order.
    std::vector<std::vector<LoggedValue>> later_debug_data;

    // With a record.
    std::optional<std::vector<uint64_t>> debug_handles;
    bool has_handle_list = false;  // which the record has as a list, also where it is of one
    uint64_t num_outputs = 1;
    std::vector<std::string> op_types;      // of all nodes with these handles, repeats kept
    std::vector<SourceOperator> operators;  // by name, in order

    std::optional<DelegateNodes> nodes;          // with a program, of what XNNPACK logged
    std::vector<SourceOperator> node_operators;  // with a record too: those that the one node was made of
  };

  std::string name;  // of a row of a delegate its identifier
  int64_t instruction = -1;
  int64_t chain = -1;  // -1 for what belongs to no instruction
  // At most one of these is shown: the number where there is one.
  std::optional<int64_t> delegate_debug_number;
  std::string delegate_debug_text;
  std::vector<Sample> samples;        // by run; none where only values were logged
  std::string delegate_backend_name;  // with a record or a program; empty where it is not known
  Rare<Details> more;

  // By its name, and whether a delegate logged it.
  PTEEDIT_API EventKind kind() const;
  // Computed anew by each call; nothing without samples.
  PTEEDIT_API std::optional<PerfData> perf() const;
  bool is_delegated() const { return delegate_debug_number.has_value() || !delegate_debug_text.empty(); }
  // "", or the number as text, or the text.
  PTEEDIT_API std::string delegate_debug_identifier() const;
};

// One time that an event was measured. Where a run does the same several times, as in a loop, the samples of its event
// hold the last of them alone.
struct TimedCall {
  uint64_t run = 0;             // in the dump
  uint64_t event = 0;           // in the block
  uint64_t start = 0, end = 0;  // as measured
  double elapsed = 0;           // in the target scale
};

struct Allocation {
  std::string allocator;
  uint64_t bytes = 0;
};

// How much of what a block logged was held against the files beside the dump. What contradicts is refused; of the rest
// these files do not tell.
struct BlockChecks {
  uint64_t kernels = 0, delegate_rows = 0;  // that were logged; rows are what delegates log of their own operators
  uint64_t kernels_in_program = 0;          // of its instructions
  uint64_t rows_in_blobs = 0;               // found among the operators of the delegates' graphs
  uint64_t kernels_in_record = 0;           // found among its operators
};

struct EventBlock {
  std::string name;
  int64_t bundled_input_index = -1;
  uint64_t runs = 0;
  std::vector<ProfiledEvent> events;    // in the order of the first run
  std::vector<LoggedValue> run_output;  // of the first run that has any
  // Of those after it, in order.
  std::vector<std::vector<LoggedValue>> later_run_outputs;
  std::vector<std::string>
      methods;  // with a program or a record: those that it may be a run of; joined where it is one
  std::vector<Allocation> allocations;  // of all runs, in order
  std::vector<TimedCall> calls;         // of all runs, by run and event
  BlockChecks checks;
};

struct EventScales {
  TimeScale source = TimeScale::kNs;  // what the dump counts in
  TimeScale target = TimeScale::kMs;
};

// The blocks of a dump, with its size in front or without. Fails with kInvalidArgument where one of the scales alone is
// cycles; kMalformed where the dump is damaged or an event ends before it starts, unless both fit 32 bits and wrapped;
// kUnsupported where it is no dump; kIo where it cannot be read.
PTEEDIT_API Result<std::vector<EventBlock>> ReadEventBlocks(const std::shared_ptr<const Source>& dump,
                                                            const EventScales& scales = {});

// Which runs count, of each block in which instructions ran, numbered from 1.
struct RunSelection {
  uint64_t first = 1;
  std::optional<uint64_t> last;
  std::string method = {};  // and of which method; empty for all
};

// Leaves these runs, whose events get new statistics. Fails with kInvalidArgument where none is left, or, with a
// method, where blocks are not joined or none may be a run of it. A block that may be a run of several then is one of
// it.
PTEEDIT_API Status SelectRuns(std::vector<EventBlock>& blocks, const RunSelection& selection);

// Joins blocks with the program that ran: its methods whose instructions fit what was logged, by place, kernel and
// kind, and without jumps all of them, and where that is one, the backends of its delegates. Blocks that have methods
// are runs of one of these. `others` are methods that the program lost since: a block that fits none of its own may be
// a run of one of them, or of any where there are none. Fails with kUnsupported where nothing fits, and without
// `others`.
PTEEDIT_API Status MatchProgram(std::vector<EventBlock>& blocks, const Container& program,
                                const std::optional<std::vector<std::string>>& others = {});

// Average time of all events but OPERATOR_CALL that stand for an operator of a module, each once; in the target scale.
// Of modules any of whose keys has `name` in it, as the Inspector finds them (torch may have made keys of numbers, and
// "" is in all); or of the module at just this path, "fc1", with all that is in it. Needs a record.
PTEEDIT_API double TotalForModule(const std::vector<EventBlock>& blocks, const std::string& name);
PTEEDIT_API double TotalForModulePath(const std::vector<EventBlock>& blocks, const std::string& path);

}  // namespace pteedit

#endif  // PTEEDIT_PROFILE_EVENT_BLOCKS_H_
