// Programs and data files put together in a few lines. They are sound unless a test edits `tables`, and nothing of the
// planner is used: segments follow each other at multiples of `alignment`.
#ifndef PTEEDIT_TESTS_SUPPORT_PROGRAM_BUILDER_H_
#define PTEEDIT_TESTS_SUPPORT_PROGRAM_BUILDER_H_

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "pteedit/container.h"
#include "small_files.h"
#include "test_files.h"

namespace pteedit::test {

// `size` bytes that differ from those of any other seed, as far as a byte can.
inline std::vector<uint8_t> Pattern(size_t size, uint32_t seed) {
  std::vector<uint8_t> bytes(size);
  uint32_t state = seed * 2654435761U + 12345;
  for (uint8_t& byte : bytes) {
    state = state * 1664525U + 1013904223U;
    byte = static_cast<uint8_t>(state >> 24);
  }
  return bytes;
}

inline std::vector<uint8_t> TextBytes(std::string_view text) { return {text.begin(), text.end()}; }

inline TensorLayout LayoutWith(int8_t scalar_type, std::vector<int32_t> sizes) {
  std::vector<uint8_t> dim_order(sizes.size());
  std::iota(dim_order.begin(), dim_order.end(), uint8_t{0});
  return {scalar_type, std::move(sizes), std::move(dim_order)};
}

inline TensorLayout Floats(std::vector<int32_t> sizes) { return LayoutWith(6, std::move(sizes)); }

// Segments one behind the other.
struct BuiltSegments {
  std::vector<std::vector<uint8_t>> contents;
  uint64_t alignment = 16;

  uint32_t Add(std::vector<uint8_t> bytes) {
    contents.push_back(std::move(bytes));
    return static_cast<uint32_t>(contents.size() - 1);
  }
  void LayOut(tables::Children<tables::DataSegment>& table, std::vector<uint8_t>& bytes) const {
    table.present = true;
    for (const std::vector<uint8_t>& content : contents) {
      bytes.resize((bytes.size() + alignment - 1) / alignment * alignment);
      table.items.push_back({bytes.size(), content.size()});
      bytes.insert(bytes.end(), content.begin(), content.end());
    }
  }
};

class ProgramBuilder {
 public:
  tables::Program tables;
  BuiltSegments segments;  // 0 holds the constants

  ProgramBuilder() {
    segments.Add({});
    tables.constant_segment = tables::SubsegmentOffsets{0, Offsets({0})};
    tables.execution_plan.present = true;
  }

  // What is added from now on belongs to this method.
  ProgramBuilder& Method(const std::string& name) {
    tables::ExecutionPlan plan;
    plan.name = tables::OwnText(name);
    plan.values.present = plan.chains.present = true;
    plan.non_const_buffer_sizes = tables::Vector<int64_t>::Own({0, 64});
    tables.execution_plan.items.push_back(std::move(plan));
    return *this;
  }

  // A buffer of the constant segment, at the next multiple of 16. Returns its index.
  uint32_t AddBuffer(const std::vector<uint8_t>& bytes) { return AddBufferTo(*tables.constant_segment, bytes); }

  // A tensor value that reads buffer `buffer`.
  ProgramBuilder& Tensor(uint32_t buffer, const TensorLayout& layout) {
    AddValue(TensorOf(buffer, layout));
    return *this;
  }
  // A tensor value with a buffer of its own.
  ProgramBuilder& Constant(const TensorLayout& layout, const std::vector<uint8_t>& bytes) {
    return Tensor(AddBuffer(bytes), layout);
  }
  ProgramBuilder& State(const TensorLayout& layout, const std::vector<uint8_t>& bytes) {
    if (tables.mutable_data_segments.items.empty()) {
      tables.mutable_data_segments = {true, {{segments.Add({}), Offsets({0})}}};
    }
    tables::Tensor tensor = TensorOf(AddBufferTo(tables.mutable_data_segments.items[0], bytes), layout);
    tensor.allocation_info.emplace().memory_id = 1;
    AddValue(std::move(tensor));
    return *this;
  }
  ProgramBuilder& External(const std::string& key, const TensorLayout& layout, bool is_state = false) {
    tables::Tensor tensor = TensorOf(0, layout);
    tensor.extra_tensor_info.emplace();
    tensor.extra_tensor_info->fully_qualified_name = tables::OwnText(key);
    tensor.extra_tensor_info->location = 1;
    if (is_state) tensor.allocation_info.emplace().memory_id = 1;
    AddValue(std::move(tensor));
    return *this;
  }
  // With the blob in a segment of its own.
  ProgramBuilder& Delegate(const std::string& id, std::vector<uint8_t> blob) {
    tables::Children<tables::BackendDelegate>& delegates = LastPlan().delegates;
    delegates.present = true;
    const tables::BackendDelegateDataReference place{1, segments.Add(std::move(blob))};
    delegates.items.push_back({tables::OwnText(id), place, {true, {}}});
    return *this;
  }
  // Whose kernel runs where it is called.
  ProgramBuilder& Operator(const std::string& name, const std::string& overload, bool is_called = true) {
    tables::ExecutionPlan& plan = LastPlan();
    plan.operators.present = true;
    plan.operators.items.push_back({tables::OwnText(name), tables::OwnText(overload)});
    if (!is_called) return *this;
    plan.chains.items.resize(1);
    plan.chains.items[0].instructions.present = true;
    plan.chains.items[0].instructions.items.push_back(
        {tables::KernelCall{static_cast<int32_t>(plan.operators.items.size() - 1), {}}});
    return *this;
  }
  ProgramBuilder& NamedData(const std::string& key, std::vector<uint8_t> bytes) {
    tables.named_data.present = true;
    tables.named_data.items.push_back({tables::OwnText(key), segments.Add(std::move(bytes))});
    return *this;
  }

  tables::ExecutionPlan& LastPlan() { return tables.execution_plan.items.back(); }
  // Value `value` of the last method, which must be a tensor.
  tables::Tensor& TensorAt(size_t value) { return std::get<tables::Tensor>(LastPlan().values.items[value].val); }

  std::vector<uint8_t> Bytes() const {
    tables::Program laid_out = tables;
    std::vector<uint8_t> bytes;
    segments.LayOut(laid_out.segments, bytes);
    if (bytes.empty()) return ProgramBytesWithoutHeader(laid_out);
    return WithHeader(*PackProgram(laid_out, kProgramHeaderLength), bytes, 0, ProgramHeaderBytes, segments.alignment);
  }
  Container Open(const std::string& name = "built.pte") const {
    auto opened = Container::Open(MakeMemorySource(name, Bytes()));
    EXPECT_TRUE(opened) << (opened ? "" : opened.error().message);
    return *opened;
  }

 private:
  static tables::Tensor TensorOf(uint32_t buffer, const TensorLayout& layout) {
    tables::Tensor tensor;
    tensor.scalar_type = layout.scalar_type;
    tensor.sizes = Ints(layout.sizes);
    tensor.dim_order = test::Bytes(layout.dim_order);
    tensor.data_buffer_idx = buffer;
    return tensor;
  }
  void AddValue(tables::Tensor tensor) {
    if (tables.execution_plan.items.empty()) Method("forward");
    LastPlan().values.items.push_back(ValueOf(std::move(tensor)));
  }
  uint32_t AddBufferTo(tables::SubsegmentOffsets& part, const std::vector<uint8_t>& bytes) {
    std::vector<uint8_t>& segment = segments.contents[part.segment_index];
    segment.resize((segment.size() + 15) / 16 * 16);
    std::vector<uint64_t> offsets(part.offsets.begin(), part.offsets.end());
    offsets.push_back(segment.size());
    part.offsets = Offsets(std::move(offsets));
    segment.insert(segment.end(), bytes.begin(), bytes.end());
    return static_cast<uint32_t>(part.offsets.size() - 1);
  }
};

// A .ptd with a segment for each key.
class DataFileBuilder {
 public:
  tables::FlatTensor tables;
  BuiltSegments segments;

  DataFileBuilder& Key(const std::string& key, std::vector<uint8_t> bytes, std::optional<TensorLayout> layout = {}) {
    tables::DataEntry entry{tables::OwnText(key), segments.Add(std::move(bytes)), {}};
    if (layout) {
      entry.tensor_layout = tables::Layout{layout->scalar_type, Ints(layout->sizes), test::Bytes(layout->dim_order)};
    }
    tables.named_data.present = true;
    tables.named_data.items.push_back(std::move(entry));
    return *this;
  }
  std::vector<uint8_t> Bytes() const {
    tables::FlatTensor laid_out = tables;
    std::vector<uint8_t> bytes;
    segments.LayOut(laid_out.segments, bytes);
    return WithHeader(*PackFlatTensor(laid_out, kDataHeaderLength), bytes, kExtendedHeaderOffset + kDataHeaderLength,
                      DataHeaderBytes, segments.alignment);
  }
  Container Open(const std::string& name = "built.ptd") const {
    auto opened = Container::Open(MakeMemorySource(name, Bytes()));
    EXPECT_TRUE(opened) << (opened ? "" : opened.error().message);
    return *opened;
  }
};

}  // namespace pteedit::test

#endif  // PTEEDIT_TESTS_SUPPORT_PROGRAM_BUILDER_H_
