// The smallest files that hold one of everything, to be changed by a test and put together byte by byte, so that a test
// can make what no writer of ours would. Needs the library's private parts.
#ifndef PTEEDIT_TESTS_SUPPORT_SMALL_FILES_H_
#define PTEEDIT_TESTS_SUPPORT_SMALL_FILES_H_

#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "edit/pack.h"
#include "edit/tables.h"
#include "program/extended_header.h"

namespace pteedit::test {

inline constexpr uint64_t kSmallSegmentBytes = 16;
// Indices of the small program's values.
enum SmallValue : size_t { kInput, kConstant, kNumber, kOutput, kState, kList, kOptionalList };

inline tables::Vector<int32_t> Ints(std::vector<int32_t> values) {
  return tables::Vector<int32_t>::Own(std::move(values));
}
inline tables::Vector<uint8_t> Bytes(std::vector<uint8_t> values) {
  return tables::Vector<uint8_t>::Own(std::move(values));
}
inline tables::Vector<uint64_t> Offsets(std::vector<uint64_t> values) {
  return tables::Vector<uint64_t>::Own(std::move(values));
}

// float32 [4]: as long as a segment of the small program.
inline tables::Tensor SmallTensor() {
  tables::Tensor tensor;
  tensor.scalar_type = 6;
  tensor.sizes = Ints({4});
  tensor.dim_order = Bytes({0});
  return tensor;
}

template <class Table>
tables::EValue ValueOf(Table table) {
  return {std::move(table)};
}

// One method 'forward' with a constant in segment 0, an initial state in segment 1, a delegate in segment 2 and a key
// 'k' in segment 3, each of 16 bytes and at 16 times its index.
inline tables::Program SmallProgram() {
  tables::Tensor constant = SmallTensor(), state = SmallTensor();
  constant.data_buffer_idx = 1;
  state.data_buffer_idx = 1;
  state.allocation_info.emplace().memory_id = 1;

  tables::ExecutionPlan plan;
  plan.name = tables::OwnText("forward");
  tables::TensorList list;
  list.value = Ints({kInput, kConstant});
  tables::OptionalTensorList optional_list;
  optional_list.value = Ints({kInput, -1});
  plan.values = {true,
                 {ValueOf(SmallTensor()), ValueOf(constant), ValueOf(tables::Int{}), ValueOf(SmallTensor()),
                  ValueOf(state), ValueOf(list), ValueOf(optional_list)}};
  plan.inputs = Ints({kInput});
  plan.outputs = Ints({kOutput});
  plan.operators = {true, {{tables::OwnText("aten::add"), tables::OwnText("out")}}};
  plan.delegates = {true, {{tables::OwnText("Backend"), tables::BackendDelegateDataReference{1, 2}, {}}}};
  tables::Chain chain;
  chain.instructions = {true,
                        {{tables::KernelCall{0, Ints({kInput, kConstant, kNumber, kOutput})}},
                         {tables::DelegateCall{0, Ints({kInput, kOutput})}},
                         {tables::MoveCall{kInput, kOutput}},
                         {tables::JumpFalseCall{kNumber, 4}}}};
  plan.chains = {true, {std::move(chain)}};
  plan.non_const_buffer_sizes = tables::Vector<int64_t>::Own({0, 64});

  tables::Program program;
  program.execution_plan = {true, {std::move(plan)}};
  for (uint64_t i = 0; i < 4; ++i) program.segments.items.push_back({i * kSmallSegmentBytes, kSmallSegmentBytes});
  program.segments.present = true;
  program.constant_segment = tables::SubsegmentOffsets{0, Offsets({0, 0})};
  program.mutable_data_segments = {true, {{1, Offsets({0, 0})}}};
  program.named_data = {true, {{tables::OwnText("k"), 3}}};
  return program;
}

inline tables::ExecutionPlan& PlanOf(tables::Program& program) { return program.execution_plan.items[0]; }
inline tables::Tensor& TensorOf(tables::Program& program, SmallValue value) {
  return std::get<tables::Tensor>(PlanOf(program).values.items[value].val);
}
template <class Call>
Call& CallOf(tables::Program& program, size_t instruction) {
  return std::get<Call>(PlanOf(program).chains.items[0].instructions.items[instruction].instr_args);
}

// Two keys 'a' and 'b' in segments of 16 bytes; 'a' has a layout.
inline tables::FlatTensor SmallData() {
  tables::FlatTensor data;
  data.segments = {true, {{0, kSmallSegmentBytes}, {kSmallSegmentBytes, kSmallSegmentBytes}}};
  data.named_data = {
      true, {{tables::OwnText("a"), 0, tables::Layout{6, Ints({4}), Bytes({0})}}, {tables::OwnText("b"), 1, {}}}};
  return data;
}

template <class T>
void PutAt(std::vector<uint8_t>& bytes, size_t offset, T value) {
  std::memcpy(bytes.data() + offset, &value, sizeof(value));
}

// Segment bytes with a different value in each segment of 16.
inline std::vector<uint8_t> SegmentBytes(uint64_t size) {
  std::vector<uint8_t> bytes(size);
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<uint8_t>(1 + i / kSmallSegmentBytes);
  return bytes;
}

inline std::vector<uint8_t> BytesOf(const PackedTables& packed) {
  return {packed.bytes.get(), packed.bytes.get() + packed.size};
}

// A file with header, the tables, which have room for it, and `segment_bytes` at the next multiple of `alignment`.
// Numbers in the header are right; change them with PutAt afterwards.
template <size_t N>
std::vector<uint8_t> WithHeader(const PackedTables& packed, const std::vector<uint8_t>& segment_bytes,
                                uint64_t tables_offset, std::array<uint8_t, N> (*header_bytes)(const ExtendedHeader&),
                                uint64_t alignment = 16) {
  std::vector<uint8_t> file = BytesOf(packed);
  ExtendedHeader header;
  header.length = N;
  header.tables_offset = tables_offset;
  header.tables_size = file.size() - tables_offset;
  header.segment_base_offset = (file.size() + alignment - 1) / alignment * alignment;
  header.segment_data_size = segment_bytes.size();
  const auto bytes = header_bytes(header);
  std::copy(bytes.begin(), bytes.end(), file.begin() + kExtendedHeaderOffset);
  file.resize(header.segment_base_offset);
  file.insert(file.end(), segment_bytes.begin(), segment_bytes.end());
  return file;
}

inline std::vector<uint8_t> ProgramBytes(const tables::Program& program,
                                         uint64_t segment_bytes = 4 * kSmallSegmentBytes) {
  return WithHeader(*PackProgram(program, kProgramHeaderLength), SegmentBytes(segment_bytes), 0, ProgramHeaderBytes);
}

inline std::vector<uint8_t> ProgramBytesWithoutHeader(const tables::Program& program) {
  return BytesOf(*PackProgram(program));
}

inline std::vector<uint8_t> DataBytes(const tables::FlatTensor& data, uint64_t segment_bytes = 2 * kSmallSegmentBytes) {
  return WithHeader(*PackFlatTensor(data, kDataHeaderLength), SegmentBytes(segment_bytes),
                    kExtendedHeaderOffset + kDataHeaderLength, DataHeaderBytes);
}

// A bundle without test cases around `program`.
inline std::vector<uint8_t> BundleBytes(const std::vector<uint8_t>& program) {
  tables::BundledProgram bundle;
  bundle.version = 2;
  bundle.program = {Bytes({}), 32};
  std::vector<uint8_t> bytes = BytesOf(*PackBundledProgram(bundle));
  PutAt(bytes, bytes.size() - 4, static_cast<uint32_t>(program.size()));
  bytes.insert(bytes.end(), program.begin(), program.end());
  return bytes;
}

// Where numbers of the extended headers stand.
inline constexpr size_t kLengthPlace = 12;
inline constexpr size_t kProgramSizePlace = 16, kProgramBasePlace = 24, kProgramDataSizePlace = 32;
inline constexpr size_t kDataTablesSizePlace = 24, kDataBasePlace = 32, kDataDataSizePlace = 40;

template <class T>
T NumberAt(const std::vector<uint8_t>& bytes, size_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof(value));
  return value;
}

}  // namespace pteedit::test

#endif  // PTEEDIT_TESTS_SUPPORT_SMALL_FILES_H_
