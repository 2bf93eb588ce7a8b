#include "profile/dump_events.h"

#include "base/damage.h"
#include "base/text.h"
#include "program/layout.h"
#include "pteedit/try.h"

namespace pteedit {
namespace {

using namespace etdump;
using Table = FlatTables::Table;
using Vector = FlatTables::Vector;

// Far more than a runtime repeats, which writes each text anew.
constexpr uint64_t kMaxTextRepeats = 16, kFewTextBytes = uint64_t{1} << 20;
constexpr size_t kMaxNameBytes = 256;  // of an allocator, which each of its events repeats

constexpr FlatTables::Field kFirst = 4;  // and only one, of a number's table

enum ValueType : int8_t { kNull, kInt, kBool, kFloat, kDouble, kTensor, kTensorList };

class RunReader {
 public:
  explicit RunReader(const Etdump& dump)
      : letters_(dump.bytes.get() + dump.buffer.offset),
        tables_(dump.Tables()),
        text_left_(kMaxTextRepeats * dump.buffer.size + kFewTextBytes) {}

  Result<std::vector<DumpRun>> ReadAll() {
    std::vector<DumpRun> runs;
    for (const Table table : tables_.GetTables(tables_.Root(), dump::kRuns)) {
      PTEEDIT_ASSIGN(DumpRun run, ReadRun(table));
      runs.push_back(std::move(run));
    }
    PTEEDIT_TRY(tables_.status());
    if (error_) return *error_;
    return runs;
  }

 private:
  Result<DumpRun> ReadRun(Table table) {
    DumpRun result;
    result.name = TextOf(table, run::kName);
    result.bundled_input_index = tables_.Get<int32_t>(table, run::kBundledInputIndex, -1);
    for (const Table allocator : tables_.GetTables(table, run::kAllocators))
      result.allocators.push_back(TextOf(allocator, allocator::kName).substr(0, kMaxNameBytes));
    const auto listed_events = tables_.GetTables(table, run::kEvents);
    result.events.reserve(listed_events.size());
    for (const Table listed : listed_events) {
      std::optional<DumpEvent> event = ReadEvent(listed);
      if (!tables_.status() || error_) break;
      if (!event) {
        return Damaged("tables-damaged",
                       Text("event ", result.events.size(), " of run ", Quoted(result.name), " measures nothing"));
      }
      result.events.push_back(*std::move(event));
    }
    PTEEDIT_TRY(tables_.status());
    return result;
  }

  std::optional<DumpEvent> ReadEvent(Table table) {
    if (const Table timed = tables_.GetTable(table, event::kProfile)) return ReadTimed(timed);
    if (const Table logged = tables_.GetTable(table, event::kDebug)) return ReadLogged(logged);
    if (const Table allocation = tables_.GetTable(table, event::kAllocation)) {
      return DumpEvent{{},
                       AllocationEvent{tables_.Get<int32_t>(allocation, allocation_event::kAllocator, 0),
                                       tables_.Get<uint64_t>(allocation, allocation_event::kBytes, 0)}};
    }
    return std::nullopt;
  }

  DumpEvent ReadTimed(Table table) {
    DumpEvent read;
    read.place = {tables_.Get<int32_t>(table, profile_event::kChain, 0),
                  tables_.Get<int32_t>(table, profile_event::kInstruction, -1),
                  tables_.Get<int32_t>(table, profile_event::kDelegateDebugNumber, -1),
                  TextOf(table, profile_event::kDelegateDebugText)};
    TimedEvent timed;
    timed.name = TextOf(table, profile_event::kName);
    timed.metadata = TextOf(table, profile_event::kDelegateDebugMetadata);
    timed.start = tables_.Get<uint64_t>(table, profile_event::kStart, 0);
    timed.end = tables_.Get<uint64_t>(table, profile_event::kEnd, 0);
    read.what = timed;
    return read;
  }

  DumpEvent ReadLogged(Table table) {
    DumpEvent read;
    // All ones is what "no chain" becomes, as -1 does in the other kind.
    read.place = {static_cast<int64_t>(tables_.Get<uint64_t>(table, debug_event::kChain, 0)),
                  tables_.Get<int32_t>(table, debug_event::kInstruction, -1),
                  tables_.Get<int32_t>(table, debug_event::kDelegateDebugNumber, -1),
                  TextOf(table, debug_event::kDelegateDebugText)};
    const Table value = tables_.GetTable(table, debug_event::kValue);
    LoggedEvent logged;
    logged.name = TextOf(table, debug_event::kName);
    logged.value = ReadValue(value);
    logged.is_output = tables_.Get<uint8_t>(tables_.GetTable(value, value::kOutput), kFirst, 0) != 0;
    read.what = std::move(logged);
    return read;
  }

  LoggedValue ReadValue(Table table) {
    using Kind = LoggedValue::Kind;
    LoggedValue value;
    const auto inner = [&](FlatTables::Field field) { return tables_.GetTable(table, field); };
    switch (tables_.Get<int8_t>(table, value::kType, kNull)) {
      case kInt:
        return {Kind::kInt, tables_.Get<int64_t>(inner(value::kInt), kFirst, 0), 0, {}};
      case kBool:
        return {Kind::kBool, tables_.Get<uint8_t>(inner(value::kBool), kFirst, 0) != 0, 0, {}};
      case kFloat:
        return {Kind::kFloat, 0, tables_.Get<float>(inner(value::kFloat), kFirst, 0), {}};
      case kDouble:
        return {Kind::kDouble, 0, tables_.Get<double>(inner(value::kDouble), kFirst, 0), {}};
      case kTensor:
        return {Kind::kTensor, 0, 0, {ReadTensor(inner(value::kTensor))}};
      case kTensorList:
        value.kind = Kind::kTensorList;
        break;
      default:
        return value;
    }
    for (const Table tensor : tables_.GetTables(inner(value::kTensorList), tensor_list::kTensors))
      value.tensors.push_back(ReadTensor(tensor));
    return value;
  }

  LoggedTensor ReadTensor(Table table) {
    LoggedTensor read;
    read.scalar_type = tables_.Get<int8_t>(table, tensor::kScalarType, 0);
    read.sizes = ReadNumbers(table, tensor::kSizes);
    read.strides = ReadNumbers(table, tensor::kStrides);
    read.offset = tables_.Get<int64_t>(table, tensor::kOffset, 0);
    return read;
  }

  // Many events may share one text, which is kept for each.
  std::string_view TextOf(Table table, FlatTables::Field field) {
    const Vector text = tables_.GetVector(table, field, 1);
    if (text.count > text_left_) {
      error_ = Unsupported(Text("ETDump repeats its texts more than ", kMaxTextRepeats, " times"));
      return {};
    }
    text_left_ -= text.count;
    return {reinterpret_cast<const char*>(letters_ + text.at), text.count};
  }

  std::vector<int64_t> ReadNumbers(Table table, FlatTables::Field field) {
    std::vector<int64_t> numbers;
    const Vector vector = tables_.GetVector(table, field, sizeof(int64_t));
    if (vector.count > kMaxDimensions) {
      error_ = Damaged("tables-damaged", Text("tensor has ", vector.count, " dimensions, at most ", kMaxDimensions));
      return numbers;
    }
    for (uint32_t i = 0; i < vector.count; ++i) numbers.push_back(tables_.NumberAt<int64_t>(vector, i));
    return numbers;
  }

  const uint8_t* letters_;  // of the flatbuffer
  FlatTables tables_;
  uint64_t text_left_;          // bytes
  std::optional<Error> error_;  // the last that was found beyond the tables
};

}  // namespace

Result<std::vector<DumpRun>> ReadRuns(const Etdump& dump) { return RunReader(dump).ReadAll(); }

}  // namespace pteedit
