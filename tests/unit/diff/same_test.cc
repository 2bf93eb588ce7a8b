#include "pteedit/same.h"

#include <gtest/gtest.h>

#include "program/schema.h"
#include "program_builder.h"

namespace pteedit::same_test {
namespace {

using test::DataFileBuilder;
using test::Floats;
using test::Pattern;
using test::ProgramBuilder;
using test::SmallProgram;
using test::TextBytes;

std::string Words(const Result<std::optional<Difference>>& found) {
  if (!found) return "error: " + found.error().message;
  if (!*found) return "same";
  return (*found)->where.empty() ? (*found)->message : (*found)->where + ": " + (*found)->message;
}

Container OpenTables(const tables::Program& tables) {
  const auto opened = test::OpenBytes(
      test::WithHeader(*PackProgram(tables, kProgramHeaderLength), test::SegmentBytes(64), 0, ProgramHeaderBytes));
  EXPECT_TRUE(opened) << (opened ? "" : opened.error().message);
  return *opened;
}

// What is said of the small program and itself after `edit`.
template <class Edit>
std::string After(Edit edit, const SameOptions& options = {}) {
  tables::Program changed = SmallProgram();
  edit(changed);
  return Words(FindDifference(OpenTables(SmallProgram()), OpenTables(changed), options));
}

TEST(Same, SaysSame) {
  EXPECT_EQ(After([](tables::Program&) {}), "same");
}

TEST(Same, NamesPlaceAndWhat) {
  using test::PlanOf;
  using test::TensorOf;
  EXPECT_EQ(After([](tables::Program& program) { program.execution_plan.items[0].name = tables::OwnText("backward"); }),
            "method 'forward': has 'name' 'forward', the other 'backward'");
  EXPECT_EQ(
      After([](tables::Program& program) { PlanOf(program).operators.items[0].name = tables::OwnText("aten::sub"); }),
      "method 'forward', instruction 0: calls operator 'aten::add.out', the other 'aten::sub.out'");
  EXPECT_EQ(After([](tables::Program& program) { TensorOf(program, test::kInput).sizes = test::Ints({3}); }),
            "method 'forward', value 0: has 4 at place 0 of 'sizes', the other 3");
  EXPECT_EQ(After([](tables::Program& program) {
              TensorOf(program, test::kInput).sizes = test::Ints({2, 2}),
                                TensorOf(program, test::kInput).dim_order = test::Bytes({0, 1});
            }),
            "method 'forward', value 0: has 1 elements in 'sizes', the other 2");
  EXPECT_EQ(After([](tables::Program& program) { TensorOf(program, test::kInput).scalar_type = 3; }),
            "method 'forward', value 0: has 'scalar_type' 6, the other 3");
  EXPECT_EQ(After([](tables::Program& program) { PlanOf(program).values.items[test::kNumber] = {tables::Bool{}}; }),
            "method 'forward', value 2: is of type 'Int', the other of type 'Bool'");
  EXPECT_EQ(After([](tables::Program& program) { PlanOf(program).chains.items[0].instructions.items.pop_back(); }),
            "method 'forward': has 4 elements in 'instructions', the other 3");
  EXPECT_EQ(After([](tables::Program& program) { TensorOf(program, test::kConstant).data_buffer_idx = 0; }),
            "method 'forward', value 1: has stored bytes, the other has none");
  EXPECT_EQ(After([](tables::Program& program) {
              TensorOf(program, test::kConstant).extra_tensor_info.emplace().device_type = 1;
            }),
            "method 'forward', value 1: is on device 0:0, the other on 1:0");
  EXPECT_EQ(After([](tables::Program& program) { PlanOf(program).delegates.items[0].processed->index = 3; }),
            "method 'forward', delegate 0: processed blob has other bytes");
  EXPECT_EQ(After([](tables::Program& program) { PlanOf(program).inputs = {}; }),
            "method 'forward': has 'inputs', the other has none");
  EXPECT_EQ(After([](tables::Program& program) { program.named_data.items[0].key = tables::OwnText("l"); }),
            "key 'k': the other does not have it");
  EXPECT_EQ(After([](tables::Program& program) { program.named_data.items[0].segment_index = 0; }),
            "key 'k': it has other bytes");
}

TEST(Same, StackTracesCountUnlessToldOtherwise) {
  const auto edit = [](tables::Program& program) {
    test::PlanOf(program).chains.items[0].stacktrace = {true, {tables::FrameList{{{true, {}}}}}};
  };
  EXPECT_EQ(After(edit), "method 'forward': has no 'stacktrace', the other has");
  EXPECT_EQ(After(edit, {false}), "same");
}

TEST(Same, StoreOfAConstantDoesNotCount) {
  const std::vector<uint8_t> weight = Pattern(32, 1);
  const Container inside = ProgramBuilder().Constant(Floats({2, 4}), weight).Open();
  const Container outside = ProgramBuilder().External("w", Floats({2, 4})).Open();
  const Container data = DataFileBuilder().Key("w", weight, Floats({2, 4})).Open();
  const Container wrong = DataFileBuilder().Key("w", Pattern(32, 2), Floats({2, 4})).Open("wrong.ptd");
  EXPECT_EQ(Words(FindDifference(inside, {outside, {data}})), "same");
  EXPECT_EQ(Words(FindDifference({outside, {data}}, {inside, {data}})), "same");
  EXPECT_EQ(Words(FindDifference(inside, {outside, {wrong}})), "method 'forward', value 0: tensor has other bytes");
  EXPECT_EQ(Words(FindDifference(inside, outside)), "error: key 'w' is in no data file, a tensor needs it");
  EXPECT_EQ(Words(FindDifference(inside, {outside, {data, wrong}})),
            "error: key 'w' also exists in built.ptd with different contents");
}

TEST(Same, KeysOfDelegatesCountWhereverTheyAre) {
  const auto program = [] {
    return ProgramBuilder().Method("forward").Delegate("Backend", TextBytes("blob wants key-1"));
  };
  const Container inside = program().NamedData("key-1", TextBytes("bytes")).Open();
  const Container outside = program().Open();
  const Container data = DataFileBuilder().Key("key-1", TextBytes("bytes")).Key("other", TextBytes("x")).Open();
  const Container wrong = DataFileBuilder().Key("key-1", TextBytes("bytez")).Open("wrong.ptd");
  EXPECT_EQ(Words(FindDifference(inside, {outside, {data}})), "same");
  EXPECT_EQ(Words(FindDifference(inside, outside)), "key 'key-1': the other does not have it");
  EXPECT_EQ(Words(FindDifference(outside, {outside, {data}})), "key 'key-1': only the other has it");
  EXPECT_EQ(Words(FindDifference(inside, {outside, {wrong}})), "key 'key-1': it has other bytes");
}

TEST(Same, ComparesDataFiles) {
  const auto key = [](const std::string& name, uint32_t seed, std::vector<int32_t> sizes) {
    return DataFileBuilder().Key(name, Pattern(32, seed), Floats(std::move(sizes))).Open();
  };
  const Container file = key("a", 1, {8});
  const Container twice = DataFileBuilder().Key("b", Pattern(8, 1)).Key("a", Pattern(32, 1), Floats({8})).Open();
  const Container ordered = DataFileBuilder().Key("a", Pattern(32, 1), Floats({8})).Key("b", Pattern(8, 1)).Open();
  EXPECT_EQ(Words(FindDifference(file, file)), "same");
  EXPECT_EQ(Words(FindDifference(twice, ordered)), "same");
  EXPECT_EQ(Words(FindDifference(file, twice)), "key 'b': only the other has it");
  EXPECT_EQ(Words(FindDifference(twice, file)), "key 'b': the other does not have it");
  EXPECT_EQ(Words(FindDifference(file, key("a", 2, {8}))), "key 'a': has other bytes");
  EXPECT_EQ(Words(FindDifference(file, key("a", 1, {4, 2}))), "key 'a': has another layout");
}

TEST(Same, ComparesBundles) {
  const Container bundle = test::OpenFile(test::DataPath("f11_bundled_portable.bpte"));
  const Container xnnpack = test::OpenFile(test::DataPath("f11_bundled_xnn.bpte"));
  EXPECT_EQ(Words(FindDifference(bundle, bundle)), "same");
  EXPECT_NE(Words(FindDifference(bundle, xnnpack)), "same");
  EXPECT_EQ(Words(FindDifference(bundle, *bundle.program())), "is a .bpte, the other a .pte");
}

TEST(Same, RefusesUnknownFields) {
  flatbuffers::FlatBufferBuilder builder;
  const auto start = builder.StartTable();
  builder.AddElement<uint32_t>(flatbuffers::FieldIndexToOffset(8), 1, 0);
  builder.Finish(flatbuffers::Offset<flatbuffers::Table>(builder.EndTable(start)), "ET12");
  const auto file = test::OpenBytes({builder.GetBufferPointer(), builder.GetBufferPointer() + builder.GetSize()});
  ASSERT_TRUE(file);
  const auto found = FindDifference(*file, *file);
  EXPECT_EQ(Words(found), "error: table 'program' has field 8, which this version does not know and so cannot compare");
  EXPECT_EQ(found.error().code, ErrorCode::kUnsupported);
}

}  // namespace
}  // namespace pteedit::same_test
