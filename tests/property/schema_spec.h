// The schemas once more, as data for the independent reader: fields by number. Everything defaults to zero.
#ifndef PTEEDIT_TESTS_PROPERTY_SCHEMA_SPEC_H_
#define PTEEDIT_TESTS_PROPERTY_SCHEMA_SPEC_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace pteedit::test {

enum class Is {
  kI8,
  kU8,
  kI32,
  kU32,
  kI64,
  kU64,
  kF64,
  kText,
  kI32s,
  kU8s,
  kI64s,
  kU64s,
  kF64s,
  kTable,
  kTables,
  kUnion
};

struct FieldSpec {
  uint32_t field;
  const char* name;
  Is is;
  const char* of = "";  // table or union type
};

inline const std::map<std::string, std::vector<std::string>> kUnions = {
    {"KernelTypes",
     {"", "Null", "Int", "Bool", "Double", "Tensor", "String", "IntList", "DoubleList", "BoolList", "TensorList",
      "OptionalTensorList"}},
    {"InstructionArguments", {"", "KernelCall", "DelegateCall", "MoveCall", "JumpFalseCall", "FreeCall"}},
    {"BundledValue", {"", "BundledTensor", "Int", "Bool", "Double"}},
};

// A union's field is its value's; its tag is the one before.
inline const std::map<std::string, std::vector<FieldSpec>> kTables = {
    {"Program",
     {{0, "version", Is::kU32},
      {1, "execution_plan", Is::kTables, "ExecutionPlan"},
      {2, "constant_buffer", Is::kTables, "Bytes"},
      {3, "backend_delegate_data", Is::kTables, "Bytes"},
      {4, "segments", Is::kTables, "DataSegment"},
      {5, "constant_segment", Is::kTable, "SubsegmentOffsets"},
      {6, "mutable_data_segments", Is::kTables, "SubsegmentOffsets"},
      {7, "named_data", Is::kTables, "NamedData"}}},
    {"ExecutionPlan",
     {{0, "name", Is::kText},
      {1, "container_meta_type", Is::kTable, "ContainerMetadata"},
      {2, "values", Is::kTables, "EValue"},
      {3, "inputs", Is::kI32s},
      {4, "outputs", Is::kI32s},
      {5, "chains", Is::kTables, "Chain"},
      {6, "operators", Is::kTables, "Operator"},
      {7, "delegates", Is::kTables, "BackendDelegate"},
      {8, "non_const_buffer_sizes", Is::kI64s},
      {9, "non_const_buffer_device", Is::kTables, "NonConstBufferDevice"}}},
    {"ContainerMetadata", {{0, "encoded_inp_str", Is::kText}, {1, "encoded_out_str", Is::kText}}},
    {"EValue", {{1, "val", Is::kUnion, "KernelTypes"}}},
    {"Null", {}},
    {"Int", {{0, "int_val", Is::kI64}}},
    {"Bool", {{0, "bool_val", Is::kU8}}},
    {"Double", {{0, "double_val", Is::kF64}}},
    {"String", {{0, "string_val", Is::kText}}},
    {"IntList", {{0, "items", Is::kI64s}}},
    {"DoubleList", {{0, "items", Is::kF64s}}},
    {"BoolList", {{0, "items", Is::kU8s}}},
    {"TensorList", {{0, "items", Is::kI32s}}},
    {"OptionalTensorList", {{0, "items", Is::kI32s}}},
    {"Tensor",
     {{0, "scalar_type", Is::kI8},
      {1, "storage_offset", Is::kI32},
      {2, "sizes", Is::kI32s},
      {3, "dim_order", Is::kU8s},
      {4, "requires_grad", Is::kU8},
      {5, "data_buffer_idx", Is::kU32},
      {6, "allocation_info", Is::kTable, "AllocationDetails"},
      {7, "layout", Is::kI8},
      {8, "shape_dynamism", Is::kI8},
      {9, "extra_tensor_info", Is::kTable, "ExtraTensorInfo"}}},
    {"AllocationDetails",
     {{0, "memory_id", Is::kU32}, {1, "memory_offset_low", Is::kU32}, {2, "memory_offset_high", Is::kU32}}},
    {"ExtraTensorInfo",
     {{0, "mutable_data_segments_idx", Is::kU64},
      {1, "fully_qualified_name", Is::kText},
      {2, "location", Is::kI8},
      {3, "device_type", Is::kI8},
      {4, "device_index", Is::kI8}}},
    {"Chain",
     {{0, "inputs", Is::kI32s},
      {1, "outputs", Is::kI32s},
      {2, "instructions", Is::kTables, "Instruction"},
      {3, "stacktrace", Is::kTables, "FrameList"}}},
    {"Instruction", {{1, "instr_args", Is::kUnion, "InstructionArguments"}}},
    {"KernelCall", {{0, "op_index", Is::kI32}, {1, "args", Is::kI32s}}},
    {"DelegateCall", {{0, "delegate_index", Is::kI32}, {1, "args", Is::kI32s}}},
    {"MoveCall", {{0, "move_from", Is::kI32}, {1, "move_to", Is::kI32}}},
    {"JumpFalseCall", {{0, "cond_value_index", Is::kI32}, {1, "destination_instruction", Is::kI32}}},
    {"FreeCall", {{0, "value_index", Is::kI32}}},
    {"FrameList", {{0, "items", Is::kTables, "Frame"}}},
    {"Frame", {{0, "filename", Is::kText}, {1, "lineno", Is::kI32}, {2, "name", Is::kText}, {3, "context", Is::kText}}},
    {"Operator", {{0, "name", Is::kText}, {1, "overload", Is::kText}}},
    {"BackendDelegate",
     {{0, "id", Is::kText},
      {1, "processed", Is::kTable, "BackendDelegateDataReference"},
      {2, "compile_specs", Is::kTables, "CompileSpec"}}},
    {"BackendDelegateDataReference", {{0, "location", Is::kI8}, {1, "index", Is::kU32}}},
    {"CompileSpec", {{0, "key", Is::kText}, {1, "value", Is::kU8s}}},
    {"NonConstBufferDevice", {{0, "buffer_idx", Is::kI32}, {1, "device_type", Is::kI8}, {2, "device_index", Is::kI8}}},
    {"Bytes", {{0, "bytes", Is::kU8s}}},
    {"DataSegment", {{0, "offset", Is::kU64}, {1, "size", Is::kU64}}},
    {"SubsegmentOffsets", {{0, "segment_index", Is::kU32}, {1, "offsets", Is::kU64s}}},
    {"NamedData", {{0, "key", Is::kText}, {1, "segment_index", Is::kU32}}},
    {"BundledProgram",
     {{0, "version", Is::kU32},
      {1, "method_test_suites", Is::kTables, "BundledMethodTestSuite"},
      {2, "program", Is::kU8s}}},
    {"BundledMethodTestSuite",
     {{0, "method_name", Is::kText}, {1, "test_cases", Is::kTables, "BundledMethodTestCase"}}},
    {"BundledMethodTestCase",
     {{0, "inputs", Is::kTables, "BundledEValue"}, {1, "expected_outputs", Is::kTables, "BundledEValue"}}},
    {"BundledEValue", {{1, "val", Is::kUnion, "BundledValue"}}},
    {"BundledTensor",
     {{0, "scalar_type", Is::kI8}, {1, "sizes", Is::kI32s}, {2, "data", Is::kU8s}, {3, "dim_order", Is::kU8s}}},
};

// Bytes of an element by PyTorch's number of its type; 0 for unknown ones.
inline uint64_t ElementBytes(int8_t scalar_type) {
  static const std::map<int, uint64_t> kBytes = {{0, 1},  {1, 1},  {2, 2},  {3, 4},  {4, 8},  {5, 2},  {6, 4},  {7, 8},
                                                 {11, 1}, {12, 1}, {13, 1}, {14, 4}, {15, 2}, {16, 1}, {17, 1}, {22, 2},
                                                 {23, 1}, {24, 1}, {25, 1}, {26, 1}, {27, 2}, {28, 4}, {29, 8}};
  const auto found = kBytes.find(scalar_type);
  return found == kBytes.end() ? 0 : found->second;
}

}  // namespace pteedit::test

#endif  // PTEEDIT_TESTS_PROPERTY_SCHEMA_SPEC_H_
