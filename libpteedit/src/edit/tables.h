// The tables of our formats, unpacked for editing. Small things (numbers, structure) are copied, leaves (strings,
// number vectors, blobs) are views into the verified file until somebody replaces them, so that unpacking costs little
// and parts that the file shares stay shared when packed again. A field that is absent stays absent: null and empty
// differ in these formats.
//
// Each struct lists its fields once, by field number, in Fields(); unpacking, packing and comparing are written against
// that. Two numbers belong to a union: Fields() names the second, the value's.
#ifndef PTEEDIT_SRC_EDIT_TABLES_H_
#define PTEEDIT_SRC_EDIT_TABLES_H_

#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>
#include <vector>

#include "edit/table_vector.h"
#include "pteedit/rare.h"

namespace pteedit::tables {

// BackendDelegate.processed: in the tables, not in a segment. ExtraTensorInfo: in the program, or in a data file.
inline constexpr int8_t kInlineLocation = 0;
inline constexpr int8_t kInsideLocation = 0;
inline constexpr int8_t kExternalLocation = 1;

using Text = Vector<char>;
inline Text OwnText(std::string_view text) { return Text::Own(std::vector<char>(text.begin(), text.end())); }
// Of what stays as long as this is used.
inline Text ViewText(std::string_view text) { return Text::View(text.data(), text.size()); }
inline std::string_view ViewOf(const Text& text) { return {text.data(), text.size()}; }

// Bytes inside the tables that want an alignment of their own: inline constants and inline processed blobs.
struct Blob {
  Vector<uint8_t> bytes;
  uint32_t alignment = 16;
};

// A vector of tables; absent and empty differ.
template <class T>
struct Children {
  bool present = false;
  std::vector<T> items;
};

// A table that may be absent: Boxed where most are.
template <class T>
concept Optional = requires(const T& child) {
  child.has_value();
  *child;
};

#define PTEEDIT_FIELDS           \
  template <class Self, class V> \
  static void Fields([[maybe_unused]] Self& t, [[maybe_unused]] V&& visit)

struct ContainerMetadata {
  Text encoded_inp_str, encoded_out_str;
  PTEEDIT_FIELDS { visit(0, t.encoded_inp_str), visit(1, t.encoded_out_str); }
};

struct Null {
  PTEEDIT_FIELDS {}
};

struct AllocationDetails {
  uint32_t memory_id = 0, memory_offset_low = 0, memory_offset_high = 0;
  PTEEDIT_FIELDS { visit(0, t.memory_id), visit(1, t.memory_offset_low), visit(2, t.memory_offset_high); }
};

struct ExtraTensorInfo {
  uint64_t mutable_data_segments_idx = 0;
  Text fully_qualified_name;
  int8_t location = 0, device_type = 0, device_index = 0;
  PTEEDIT_FIELDS {
    visit(0, t.mutable_data_segments_idx), visit(1, t.fully_qualified_name), visit(2, t.location);
    visit(3, t.device_type), visit(4, t.device_index);
  }
};

struct Tensor {
  Vector<int32_t> sizes;
  Vector<uint8_t> dim_order;
  Boxed<ExtraTensorInfo> extra_tensor_info;
  std::optional<AllocationDetails> allocation_info;
  int32_t storage_offset = 0;
  uint32_t data_buffer_idx = 0;
  int8_t scalar_type = 0, layout = 0, shape_dynamism = 0;
  uint8_t requires_grad = 0;
  PTEEDIT_FIELDS {
    visit(0, t.scalar_type), visit(1, t.storage_offset), visit(2, t.sizes), visit(3, t.dim_order);
    visit(4, t.requires_grad), visit(5, t.data_buffer_idx), visit(6, t.allocation_info), visit(7, t.layout);
    visit(8, t.shape_dynamism), visit(9, t.extra_tensor_info);
  }
};

// A value or list of values: one field, number 0.
template <class T>
struct Single {
  T value{};
  PTEEDIT_FIELDS { visit(0, t.value); }
};
struct Int : Single<int64_t> {};
struct Bool : Single<uint8_t> {};
struct Double : Single<double> {};
struct String : Single<Text> {};
struct IntList : Single<Vector<int64_t>> {};
struct DoubleList : Single<Vector<double>> {};
struct BoolList : Single<Vector<uint8_t>> {};
struct TensorList : Single<Vector<int32_t>> {};
struct OptionalTensorList : Single<Vector<int32_t>> {};

struct EValue {
  std::variant<std::monostate, Null, Int, Bool, Double, Tensor, String, IntList, DoubleList, BoolList, TensorList,
               OptionalTensorList>
      val;
  PTEEDIT_FIELDS { visit(1, t.val); }
};

struct Operator {
  Text name, overload;
  PTEEDIT_FIELDS { visit(0, t.name), visit(1, t.overload); }
};

struct KernelCall {
  int32_t op_index = 0;
  Vector<int32_t> args;
  PTEEDIT_FIELDS { visit(0, t.op_index), visit(1, t.args); }
};

struct DelegateCall {
  int32_t delegate_index = 0;
  Vector<int32_t> args;
  PTEEDIT_FIELDS { visit(0, t.delegate_index), visit(1, t.args); }
};

struct MoveCall {
  int32_t move_from = 0, move_to = 0;
  PTEEDIT_FIELDS { visit(0, t.move_from), visit(1, t.move_to); }
};

struct JumpFalseCall {
  int32_t cond_value_index = 0, destination_instruction = 0;
  PTEEDIT_FIELDS { visit(0, t.cond_value_index), visit(1, t.destination_instruction); }
};

struct FreeCall : Single<int32_t> {};

struct Instruction {
  std::variant<std::monostate, KernelCall, DelegateCall, MoveCall, JumpFalseCall, FreeCall> instr_args;
  PTEEDIT_FIELDS { visit(1, t.instr_args); }
};

struct Frame {
  Text filename;
  int32_t lineno = 0;
  Text name, context;
  PTEEDIT_FIELDS { visit(0, t.filename), visit(1, t.lineno), visit(2, t.name), visit(3, t.context); }
};

struct FrameList : Single<Children<Frame>> {};

struct BackendDelegateDataReference {
  int8_t location = 0;
  uint32_t index = 0;
  PTEEDIT_FIELDS { visit(0, t.location), visit(1, t.index); }
};

struct CompileSpec {
  Text key;
  Vector<uint8_t> value;
  PTEEDIT_FIELDS { visit(0, t.key), visit(1, t.value); }
};

struct BackendDelegate {
  Text id;
  std::optional<BackendDelegateDataReference> processed;
  Children<CompileSpec> compile_specs;
  PTEEDIT_FIELDS { visit(0, t.id), visit(1, t.processed), visit(2, t.compile_specs); }
};

struct Chain {
  Vector<int32_t> inputs, outputs;
  Children<Instruction> instructions;
  Children<FrameList> stacktrace;
  PTEEDIT_FIELDS { visit(0, t.inputs), visit(1, t.outputs), visit(2, t.instructions), visit(3, t.stacktrace); }
};

struct NonConstBufferDevice {
  int32_t buffer_idx = 0;
  int8_t device_type = 0, device_index = 0;
  PTEEDIT_FIELDS { visit(0, t.buffer_idx), visit(1, t.device_type), visit(2, t.device_index); }
};

struct ExecutionPlan {
  Text name;
  std::optional<ContainerMetadata> container_meta_type;
  Children<EValue> values;
  Vector<int32_t> inputs, outputs;
  Children<Chain> chains;
  Children<Operator> operators;
  Children<BackendDelegate> delegates;
  Vector<int64_t> non_const_buffer_sizes;
  Children<NonConstBufferDevice> non_const_buffer_device;
  PTEEDIT_FIELDS {
    visit(0, t.name), visit(1, t.container_meta_type), visit(2, t.values), visit(3, t.inputs), visit(4, t.outputs);
    visit(5, t.chains), visit(6, t.operators), visit(7, t.delegates), visit(8, t.non_const_buffer_sizes);
    visit(9, t.non_const_buffer_device);
  }
};

struct InlineBytes : Single<Blob> {};  // both Buffer and BackendDelegateInlineData

struct DataSegment {
  uint64_t offset = 0, size = 0;
  PTEEDIT_FIELDS { visit(0, t.offset), visit(1, t.size); }
};

struct SubsegmentOffsets {
  uint32_t segment_index = 0;
  Vector<uint64_t> offsets;
  PTEEDIT_FIELDS { visit(0, t.segment_index), visit(1, t.offsets); }
};

struct NamedData {
  Text key;
  uint32_t segment_index = 0;
  PTEEDIT_FIELDS { visit(0, t.key), visit(1, t.segment_index); }
};

struct Program {
  uint32_t version = 0;
  Children<ExecutionPlan> execution_plan;
  Children<InlineBytes> constant_buffer, backend_delegate_data;
  Children<DataSegment> segments;
  std::optional<SubsegmentOffsets> constant_segment;
  Children<SubsegmentOffsets> mutable_data_segments;
  Children<NamedData> named_data;
  bool shares_tables = false;  // no field: equal tables are one, as in the file that this comes from
  PTEEDIT_FIELDS {
    visit(0, t.version), visit(1, t.execution_plan), visit(2, t.constant_buffer), visit(3, t.backend_delegate_data);
    visit(4, t.segments), visit(5, t.constant_segment), visit(6, t.mutable_data_segments), visit(7, t.named_data);
  }
};

// A .ptd of today's layout.
struct Layout {
  int8_t scalar_type = 0;
  Vector<int32_t> sizes;
  Vector<uint8_t> dim_order;
  PTEEDIT_FIELDS { visit(0, t.scalar_type), visit(1, t.sizes), visit(2, t.dim_order); }
};

struct DataEntry {
  Text key;
  uint32_t segment_index = 0;
  Boxed<Layout> tensor_layout;
  PTEEDIT_FIELDS { visit(0, t.key), visit(1, t.segment_index), visit(2, t.tensor_layout); }
};

struct FlatTensor {
  uint32_t version = 0;
  Children<DataSegment> segments;
  Children<DataEntry> named_data;
  PTEEDIT_FIELDS { visit(0, t.version), visit(1, t.segments), visit(2, t.named_data); }
};

// A bundled program.
struct BundledTensor {
  int8_t scalar_type = 0;
  Vector<int32_t> sizes;
  Blob data;
  Vector<uint8_t> dim_order;
  PTEEDIT_FIELDS { visit(0, t.scalar_type), visit(1, t.sizes), visit(2, t.data), visit(3, t.dim_order); }
};

struct BundledValue {
  std::variant<std::monostate, BundledTensor, Int, Bool, Double> val;
  PTEEDIT_FIELDS { visit(1, t.val); }
};

struct BundledTestCase {
  Children<BundledValue> inputs, expected_outputs;
  PTEEDIT_FIELDS { visit(0, t.inputs), visit(1, t.expected_outputs); }
};

struct BundledTestSuite {
  Text method_name;
  Children<BundledTestCase> test_cases;
  PTEEDIT_FIELDS { visit(0, t.method_name), visit(1, t.test_cases); }
};

struct BundledProgram {
  uint32_t version = 0;
  Children<BundledTestSuite> method_test_suites;
  Blob program;
  // `program` first: a flatbuffer is packed from its end, and the planner lets the program's bytes follow the tables.
  PTEEDIT_FIELDS { visit(2, t.program), visit(0, t.version), visit(1, t.method_test_suites); }
};

#undef PTEEDIT_FIELDS

}  // namespace pteedit::tables

#endif  // PTEEDIT_SRC_EDIT_TABLES_H_
