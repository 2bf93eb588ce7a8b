// What the runtime answers wrongly or crashes on without a word, each made of a real file: verification must name it.
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "edit/model.h"
#include "edit/plan.h"
#include "file_contents.h"
#include "program/container_state.h"
#include "program_builder.h"
#include "pteedit/verify.h"

namespace pteedit::verify_silent_test {
namespace {

using test::DataPath;
using test::Ints;
using test::OpenFile;
using test::PutAt;

constexpr char kProgram[] = "f13/cond_ext.pte";
constexpr char kData[] = "f13/cond__default_external_constant.ptd";

std::vector<uint8_t> BytesOf(const PlannedFile& plan) {
  std::vector<uint8_t> bytes(plan.size());
  EXPECT_TRUE(plan.AsSource("plan")->Read(0, {bytes.data(), bytes.size()}));
  return bytes;
}

std::vector<uint8_t> FileBytes(const std::string& name) {
  const Container file = OpenFile(DataPath(name));
  std::vector<uint8_t> bytes(file.source()->size());
  EXPECT_TRUE(file.source()->Read(0, {bytes.data(), bytes.size()}));
  return bytes;
}

// The program after an edit of its tables.
std::vector<uint8_t> Edited(const std::string& name, const std::function<void(ProgramModel&)>& edit) {
  ProgramModel model = *ReadProgramModel(OpenFile(DataPath(name)));
  edit(model);
  model.changed = true;
  const auto plan = PlanFile(model);
  EXPECT_TRUE(plan) << (plan ? "" : plan.error().message);
  return BytesOf(*plan);
}

std::vector<uint8_t> EditedData(const std::string& name, const std::function<void(DataModel&)>& edit) {
  const Container file = OpenFile(DataPath(name));  // the model looks into it
  DataModel model = *ReadDataModel(file);
  edit(model);
  model.changed = true;
  const auto plan = PlanFile(model);
  EXPECT_TRUE(plan) << (plan ? "" : plan.error().message);
  return BytesOf(*plan);
}

// Whether `id` is among the findings; "~id" for a warning.
void ExpectFound(const std::string& id, const std::vector<uint8_t>& program,
                 const std::vector<std::vector<uint8_t>>& data = {}) {
  std::vector<std::shared_ptr<const Source>> sources;
  for (const auto& file : data)
    sources.push_back(MakeMemorySource("d" + std::to_string(sources.size()) + ".ptd", file));
  const auto all = Verify(MakeMemorySource("m.pte", program), sources);
  ASSERT_TRUE(all) << all.error().message;
  std::string found;
  for (const FileFindings& file : *all) {
    for (const Finding& finding : file.findings) {
      found += (finding.severity == Severity::kWarning ? " ~" : " ") + finding.id;
    }
  }
  EXPECT_NE((found + " ").find(" " + id + " "), std::string::npos) << "found:" << found;
}

tables::ExecutionPlan& FirstPlan(ProgramModel& model) { return model.tables.execution_plan.items[0]; }

template <class Call>
Call& FirstCall(ProgramModel& model) {
  for (tables::Instruction& instruction : FirstPlan(model).chains.items[0].instructions.items) {
    if (auto* call = std::get_if<Call>(&instruction.instr_args)) return *call;
  }
  ADD_FAILURE() << "no such call";
  static Call none;
  return none;
}

TEST(SilentKinds, AnExternalSegmentShorterThanItsTensor) {
  ExpectFound("segment-too-short", FileBytes(kProgram), {EditedData(kData, [](DataModel& data) {
                Segment& segment = data.segments[0];
                const Container file = OpenFile(DataPath(kData));
                segment.bytes = {};
                segment.bytes.Append(file.source(), {file.segments()[0].offset, file.segments()[0].size - 4});
              })});
}

TEST(SilentKinds, AnEmptySegmentForATensorWithBytes) {
  ExpectFound("segment-too-short", FileBytes(kProgram),
              {EditedData(kData, [](DataModel& data) { data.segments[0].bytes = {}; })});
}

TEST(SilentKinds, AnExternalKeyWithoutLayout) {
  ExpectFound("layout-missing", FileBytes(kProgram),
              {EditedData(kData, [](DataModel& data) { data.tables.named_data.items[0].tensor_layout.reset(); })});
}

TEST(SilentKinds, ADataFileThatSaysOtherSizesThanOneOfTheValues) {
  ExpectFound("layout-differs", FileBytes(kProgram), {EditedData(kData, [](DataModel& data) {
                tables::Layout& layout = *data.tables.named_data.items[0].tensor_layout;
                std::vector<int32_t> sizes(layout.sizes.begin(), layout.sizes.end());
                sizes[0] += 1;
                layout.sizes = Ints(sizes);
              })});
}

TEST(SilentKinds, AKeyThatADataFileHidesWithOtherBytes) {
  const Container program = OpenFile(DataPath("f03_mlp_xnn.pte"));
  ASSERT_FALSE(program.named_data().empty());
  const std::string key(program.named_data()[0].key);
  ExpectFound("key-shadowed", FileBytes("f03_mlp_xnn.pte"), {test::DataFileBuilder().Key(key, {0, 0, 0, 0}).Bytes()});
}

TEST(SilentKinds, KeysOfADelegateThatNoFileHas) {
  const auto remove = [](ProgramModel& model) { model.tables.named_data.items.clear(); };
  ExpectFound("key-missing", Edited("f03_mlp_xnn.pte", remove));
  ExpectFound("key-missing", Edited("f03_mlp_xnn.pte", [](ProgramModel& model) { model.tables.named_data = {}; }));
}

TEST(SilentKinds, ADelegatesDataShorterThanItsGraphNeeds) {
  ExpectFound("segment-too-short", Edited("f03_mlp_xnn.pte", [](ProgramModel& model) {
                const uint32_t index = model.tables.named_data.items[0].segment_index;
                const PlannedPiece piece = model.segments[index].bytes.pieces()[0];
                model.segments[index].bytes = {};
                model.segments[index].bytes.Append(piece.source, {piece.extent.offset, piece.extent.size - 4});
              }));
}

TEST(SilentKinds, AKeyThatTellsTheHashOfOtherBytes) {
  ExpectFound("key-hash", Edited("f03_mlp_xnn.pte", [](ProgramModel& model) {
                const uint32_t index = model.tables.named_data.items[0].segment_index;
                const uint64_t size = model.segments[index].bytes.size();
                model.segments[index].bytes = {};
                model.segments[index].bytes.AppendZeros(size);
              }));
}

TEST(SilentKinds, ADelegateCallWithAnArgumentTooFew) {
  ExpectFound("delegate-arguments", Edited("f03_mlp_xnn.pte", [](ProgramModel& model) {
                auto& args = FirstCall<tables::DelegateCall>(model).args;
                args = Ints({args.begin(), args.end() - 1});
              }));
}

TEST(SilentKinds, ADelegateCallWithATensorOfAnotherTypeOrRank) {
  const auto input = [](ProgramModel& model) -> tables::Tensor& {
    const auto value = static_cast<size_t>(FirstCall<tables::DelegateCall>(model).args[0]);
    return std::get<tables::Tensor>(FirstPlan(model).values.items[value].val);
  };
  ExpectFound("delegate-arguments", Edited("f03_mlp_xnn.pte", [&](ProgramModel& model) {
                input(model).scalar_type = 3;  // numbers of the same size
              }));
  ExpectFound("delegate-arguments", Edited("f03_mlp_xnn.pte", [&](ProgramModel& model) {
                auto& tensor = input(model);
                std::vector<int32_t> sizes(tensor.sizes.begin(), tensor.sizes.end());
                sizes.push_back(1);
                tensor.sizes = Ints({sizes.begin(), sizes.end()});
                tensor.dim_order = test::Bytes({0, 1, 2});
              }));
}

TEST(SilentKinds, OperatorsOutputsAndJumpsOutOfRange) {
  ExpectFound("operator-index", Edited("f02_linear.pte", [](ProgramModel& model) {
                FirstCall<tables::KernelCall>(model).op_index = 99;
              }));
  ExpectFound("value-index",
              Edited("f02_linear.pte", [](ProgramModel& model) { FirstPlan(model).outputs = Ints({-1}); }));
  ExpectFound("jump-target", Edited("f13/cond_portable.pte", [](ProgramModel& model) {
                FirstCall<tables::JumpFalseCall>(model).destination_instruction = -1;
              }));
}

TEST(SilentKinds, AConstantOffsetThatWraps) {
  ExpectFound("buffer-outside-segment", Edited("f02_linear.pte", [](ProgramModel& model) {
                tables::SubsegmentOffsets& part = *model.tables.constant_segment;
                std::vector<uint64_t> offsets(part.offsets.begin(), part.offsets.end());
                offsets.back() = ~uint64_t{0} - 15;
                part.offsets = test::Offsets(offsets);
              }));
}

// Edits the offsets of the constants.
std::vector<uint8_t> WithOffsets(const std::string& name, const std::function<void(std::vector<uint64_t>&)>& edit) {
  return Edited(name, [&](ProgramModel& model) {
    tables::SubsegmentOffsets& part = *model.tables.constant_segment;
    std::vector<uint64_t> offsets(part.offsets.begin(), part.offsets.end());
    edit(offsets);
    part.offsets = test::Offsets(offsets);
  });
}

TEST(SilentKinds, ConstantsThatOverlapInPart) {
  ExpectFound("buffer-too-short", WithOffsets("f02_linear.pte", [](auto& offsets) { offsets[2] -= 16; }));
}

TEST(SilentKinds, OffsetsOfConstantsExchanged) {
  const auto exchange = [](auto& offsets) { std::swap(offsets[4], offsets[5]); };
  ExpectFound("buffer-too-short", WithOffsets("f07/gpt_basic.pte", exchange));
  ExpectFound("~buffer-order", WithOffsets("f07/gpt_basic.pte", exchange));
}

TEST(SilentKinds, ASegmentThatBeginsInsideTheOneBefore) {
  std::vector<uint8_t> bytes = FileBytes("f03_mlp_xnn.pte");
  const Container file = OpenFile(DataPath("f03_mlp_xnn.pte"));
  const auto* segment = file.state().program_root().segments()->Get(3);
  const uint8_t* offset =
      reinterpret_cast<const flatbuffers::Table*>(segment)->GetAddressOf(schema::DataSegment::VT_OFFSET);
  PutAt<uint64_t>(bytes, static_cast<size_t>(offset - file.tables().data), segment->offset() - 16);
  ExpectFound("segment-overlap", bytes);
}

// Puts planned tensors where `place` says, given their number among them and where they are.
std::vector<uint8_t> Replanned(const std::string& name, const std::function<void(size_t, uint32_t&)>& place) {
  return Edited(name, [&](ProgramModel& model) {
    size_t number = 0;
    for (tables::EValue& value : FirstPlan(model).values.items) {
      auto* tensor = std::get_if<tables::Tensor>(&value.val);
      if (tensor != nullptr && tensor->allocation_info) place(number++, tensor->allocation_info->memory_offset_low);
    }
    FirstPlan(model).non_const_buffer_sizes = tables::Vector<int64_t>::Own({0, 1 << 20});
  });
}

TEST(SilentKinds, PlannedTensorsOnOnePlace) {
  for (const char* name : {"f02_linear.pte", "f06/mixed.pte", "f07/gpt_basic.pte", "f13/cond_portable.pte"})
    ExpectFound("planned-overlap", Replanned(name, [](size_t, uint32_t& offset) { offset = 0; }));
}

TEST(SilentKinds, APlannedTensorAtAnOddPlace) {
  ExpectFound("data-misaligned", Replanned("f02_linear.pte", [](size_t i, uint32_t& offset) {
                if (i == 0) offset += 2;
              }));
}

TEST(SilentKinds, TensorsWithoutMemoryOrData) {
  const auto without = [](const char* name, bool constants) {
    return Edited(name, [&](ProgramModel& model) {
      for (tables::EValue& value : FirstPlan(model).values.items) {
        auto* tensor = std::get_if<tables::Tensor>(&value.val);
        if (tensor == nullptr || tensor->allocation_info.has_value() == constants) continue;
        tensor->data_buffer_idx = 0;
        tensor->allocation_info.reset();
      }
    });
  };
  ExpectFound("memory-missing", without("f02_linear.pte", true));
  ExpectFound("memory-missing", without("f07/gpt_basic.pte", false));
  ExpectFound("memory-missing", without("f06/mixed.pte", false));
}

TEST(SilentKinds, AnInputThatIsAConstant) {
  ExpectFound("input-constant",
              Edited("f02_linear.pte", [](ProgramModel& model) { FirstPlan(model).inputs = Ints({0}); }));
}

TEST(SilentKinds, MutableDataThatTheRuntimeDoesNotRead) {
  ExpectFound("mutable-data-index", Edited("f09/kv_init.pte", [](ProgramModel& model) {
                auto& parts = model.tables.mutable_data_segments.items;
                parts.push_back(parts[0]);
                for (tables::EValue& value : FirstPlan(model).values.items) {
                  auto* tensor = std::get_if<tables::Tensor>(&value.val);
                  if (tensor == nullptr || !tensor->allocation_info || tensor->data_buffer_idx == 0) continue;
                  if (!tensor->extra_tensor_info) tensor->extra_tensor_info.emplace();
                  tensor->extra_tensor_info->mutable_data_segments_idx = 1;
                }
              }));
}

TEST(SilentKinds, HeadersOfProgramsThatAreGoneOrLie) {
  const auto with = [](size_t offset, uint64_t value) {
    std::vector<uint8_t> bytes = FileBytes("f02_linear.pte");
    PutAt(bytes, offset, value);
    return bytes;
  };
  std::vector<uint8_t> without = FileBytes("f02_linear.pte");
  without[8] ^= 1;
  ExpectFound("header-missing", without);
  ExpectFound("header-damaged", with(24, 0));    // segment base
  ExpectFound("header-damaged", with(24, 64));   // inside the tables
  ExpectFound("tables-damaged", with(16, 400));  // program size
}

TEST(SilentKinds, HeadersOfDataFilesThatLie) {
  const auto with = [](size_t offset, uint64_t value) {
    std::vector<uint8_t> bytes = FileBytes(kData);
    PutAt(bytes, offset, value);
    return bytes;
  };
  ExpectFound("header-damaged", FileBytes(kProgram),
              {with(32, 0)});                                       // segment base, while the size says there are some
  ExpectFound("header-field", FileBytes(kProgram), {with(40, 4)});  // segment data size
}

}  // namespace
}  // namespace pteedit::verify_silent_test
