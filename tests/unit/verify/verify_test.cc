// Verification: each kind of finding on a small file made to have it, and none on the file before.
#include "pteedit/verify.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "program_builder.h"
#include "small_files.h"

namespace pteedit::verify_test {
namespace {

using tables::Program;
using test::DataFileBuilder;
using test::Floats;
using test::Ints;
using test::LayoutWith;
using test::Pattern;
using test::PlanOf;
using test::ProgramBuilder;
using test::PutAt;
using test::SmallProgram;
using test::TensorOf;

using Ids = std::vector<std::string>;

// "id" of an error, "~id" of a warning.
Ids IdsOf(const std::vector<Finding>& findings) {
  Ids ids;
  for (const Finding& finding : findings) {
    ids.push_back((finding.severity == Severity::kWarning ? "~" : "") + finding.id);
  }
  return ids;
}

std::shared_ptr<const Source> SourceOf(std::vector<uint8_t> bytes, const std::string& name = "m.pte") {
  return MakeMemorySource(name, std::move(bytes));
}

Ids Found(std::vector<uint8_t> bytes, const std::string& name = "m.pte") {
  const auto all = Verify(SourceOf(std::move(bytes), name), {});
  EXPECT_TRUE(all) << (all ? "" : all.error().message);
  return all ? IdsOf(all->front().findings) : Ids{"failed"};
}

// Of the program and its data files, all in one list.
Ids Together(const ProgramBuilder& program, const std::vector<DataFileBuilder>& data, bool hash_keys = true) {
  std::vector<std::shared_ptr<const Source>> sources;
  for (const DataFileBuilder& file : data) {
    sources.push_back(SourceOf(file.Bytes(), "d" + std::to_string(sources.size()) + ".ptd"));
  }
  const auto all = Verify(SourceOf(program.Bytes()), sources, {hash_keys, 2});
  EXPECT_TRUE(all) << (all ? "" : all.error().message);
  Ids ids;
  for (const FileFindings& file : *all) {
    for (const std::string& id : IdsOf(file.findings)) ids.push_back(file.file + " " + id);
  }
  return ids;
}

// The small program as the runtime wants it: with all lists, a jump by a bool.
Program Sound() {
  Program program = SmallProgram();
  for (tables::BackendDelegate& delegate : PlanOf(program).delegates.items) delegate.compile_specs.present = true;
  PlanOf(program).values.items.push_back(test::ValueOf(tables::Bool{}));
  auto& instructions = PlanOf(program).chains.items[0].instructions.items;
  const auto last = static_cast<int32_t>(PlanOf(program).values.items.size()) - 1;
  std::get<tables::JumpFalseCall>(instructions.back().instr_args).cond_value_index = last;
  return program;
}

struct Case {
  const char* name;
  Ids expected;
  std::function<void(Program&)> edit;
};
void PrintTo(const Case& one, std::ostream* out) { *out << one.name; }

class VerifyProgram : public testing::TestWithParam<Case> {};

TEST_P(VerifyProgram, Finds) {
  Program program = Sound();
  GetParam().edit(program);
  EXPECT_EQ(Found(test::ProgramBytes(program)), GetParam().expected);
}

tables::Instruction& LastInstruction(Program& program) {
  return PlanOf(program).chains.items[0].instructions.items.back();
}

INSTANTIATE_TEST_SUITE_P(
    All, VerifyProgram,
    testing::Values(
        Case{"Nothing", {}, [](Program&) {}},
        Case{"NoMethodList", {"field-missing"}, [](Program& p) { p.execution_plan = {}; }},
        Case{"NoInputs", {"field-missing"}, [](Program& p) { PlanOf(p).inputs = {}; }},
        Case{"NoOutputs", {"field-missing"}, [](Program& p) { PlanOf(p).outputs = {}; }},
        Case{"NoChains", {"field-missing"}, [](Program& p) { PlanOf(p).chains = {}; }},
        Case{"EmptyChains", {"field-missing"}, [](Program& p) { PlanOf(p).chains.items.clear(); }},
        Case{"NoInstructions", {"field-missing"}, [](Program& p) { PlanOf(p).chains.items[0].instructions = {}; }},
        Case{"NoArenaSizes", {"field-missing"}, [](Program& p) { PlanOf(p).non_const_buffer_sizes = {}; }},
        Case{"NoCompileSpecs", {}, [](Program& p) { PlanOf(p).delegates.items[0].compile_specs = {}; }},
        Case{"NoMethods", {"no-methods"}, [](Program& p) { p.execution_plan.items.clear(); }},
        Case{"PlaceholdersWithoutSegments",
             {},
             [](Program& p) {
               TensorOf(p, test::kConstant).data_buffer_idx = TensorOf(p, test::kState).data_buffer_idx = 0;
               TensorOf(p, test::kConstant).allocation_info.emplace() = {1, 16, 0};
               p.constant_segment = tables::SubsegmentOffsets{9, test::Offsets({0})};
               p.mutable_data_segments.items[0] = {7, test::Offsets({0})};
             }},
        Case{"CompileSpecWithoutValue",
             {"field-missing"},
             [](Program& p) {
               PlanOf(p).delegates.items[0].compile_specs.items.push_back({tables::OwnText("k"), {}});
             }},
        Case{"NoSizes",
             {"field-missing"},
             [](Program& p) {
               TensorOf(p, test::kOutput).sizes = {};
               TensorOf(p, test::kOutput).dim_order = {};
             }},
        Case{"NoDimOrder", {"field-missing"}, [](Program& p) { TensorOf(p, test::kOutput).dim_order = {}; }},
        Case{"NoListItems",
             {"field-missing"},
             [](Program& p) { std::get<tables::TensorList>(PlanOf(p).values.items[test::kList].val).value = {}; }},
        Case{"NoArguments",
             {"field-missing"},
             [](Program& p) {
               LastInstruction(p).instr_args = tables::KernelCall{0, {}};
             }},
        Case{"ListBeforeItsItem",
             {"list-item"},
             [](Program& p) {
               std::get<tables::TensorList>(PlanOf(p).values.items[test::kList].val).value = Ints({test::kList});
             }},
        Case{"ListOfANumber",
             {"list-item"},
             [](Program& p) {
               std::get<tables::TensorList>(PlanOf(p).values.items[test::kList].val).value = Ints({test::kNumber});
             }},
        Case{"IntListOfATensor",
             {"list-item"},
             [](Program& p) {
               tables::IntList list;
               list.value = tables::Vector<int64_t>::Own({test::kInput});
               PlanOf(p).values.items.push_back(test::ValueOf(list));
             }},
        Case{"SeventeenDimensions",
             {"tensor-layout"},
             [](Program& p) {
               TensorOf(p, test::kOutput).sizes = Ints(std::vector<int32_t>(17, 1));
               TensorOf(p, test::kOutput).dim_order =
                   test::Bytes({0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16});
             }},
        Case{"UnknownElementType", {"scalar-type"}, [](Program& p) { TensorOf(p, test::kOutput).scalar_type = 99; }},
        Case{"StorageOffset", {"storage-offset"}, [](Program& p) { TensorOf(p, test::kOutput).storage_offset = 4; }},
        Case{"UnboundShape", {"shape-dynamism"}, [](Program& p) { TensorOf(p, test::kOutput).shape_dynamism = 2; }},
        Case{"ArenaZero", {"arena"}, [](Program& p) { TensorOf(p, test::kState).allocation_info->memory_id = 0; }},
        Case{"NoSuchArena", {"arena"}, [](Program& p) { TensorOf(p, test::kState).allocation_info->memory_id = 2; }},
        Case{"PastArena",
             {"arena"},
             [](Program& p) { TensorOf(p, test::kState).allocation_info->memory_offset_low = 49; }},
        Case{"FarPastArena",
             {"arena"},
             [](Program& p) { TensorOf(p, test::kState).allocation_info->memory_offset_high = 0xFFFFFFFF; }},
        Case{"NegativeArena",
             {"arena"},
             [](Program& p) {
               PlanOf(p).non_const_buffer_sizes = tables::Vector<int64_t>::Own({0, 64, -1});
             }},
        Case{"ArenaThatNoProcessCanHave",
             {"arena"},
             [](Program& p) {
               PlanOf(p).non_const_buffer_sizes = tables::Vector<int64_t>::Own({0, int64_t{1} << 50});
             }},
        Case{"ArenaFarLongerThanItsTensors",
             {"arena"},
             [](Program& p) {
               PlanOf(p).non_const_buffer_sizes = tables::Vector<int64_t>::Own({0, int64_t{5} << 30});
             }},
        Case{"DeviceOfNoArena",
             {"arena"},
             [](Program& p) {
               PlanOf(p).non_const_buffer_device = {true, {{2, 0, 0}}};
             }},
        Case{"OperatorName",
             {"operator-name"},
             [](Program& p) { PlanOf(p).operators.items[0].name = tables::OwnText(std::string(96, 'n')); }},
        Case{"EmptyInstruction",
             {"instruction-empty"},
             [](Program& p) { LastInstruction(p).instr_args = std::monostate(); }},
        Case{"JumpByANumber",
             {"argument-type"},
             [](Program& p) {
               LastInstruction(p).instr_args = tables::JumpFalseCall{test::kNumber, 0};
             }},
        Case{"FreeOfANumber",
             {"argument-type"},
             [](Program& p) {
               tables::FreeCall release;
               release.value = test::kNumber;
               LastInstruction(p).instr_args = release;
             }},
        Case{"MoveOfANumberToATensor",
             {"argument-type"},
             [](Program& p) {
               LastInstruction(p).instr_args = tables::MoveCall{test::kNumber, test::kOutput};
             }},
        Case{"JumpToItself",
             {"jump-endless"},
             [](Program& p) {
               std::get<tables::JumpFalseCall>(LastInstruction(p).instr_args).destination_instruction = 3;
             }},
        Case{"MoreArgumentsThanAnOperatorOfTheRuntimeTakes",
             {"operator-arguments"},
             [](Program& p) {
               PlanOf(p).operators.items[0] = {tables::OwnText("executorch_prim::add"), tables::OwnText("Scalar")};
             }},
        Case{"CopyOfATensorThatIsNoItemOfTheOther",
             {"operator-arguments"},
             [](Program& p) {
               PlanOf(p).operators.items[0] = {tables::OwnText("executorch_prim::et_copy_index"),
                                               tables::OwnText("tensor")};
               auto& call = std::get<tables::KernelCall>(PlanOf(p).chains.items[0].instructions.items[0].instr_args);
               call.args = Ints({test::kOutput, test::kInput, test::kNumber});
             }},
        Case{"ZeroInName",
             {"zero-in-name"},
             [](Program& p) { PlanOf(p).name = tables::OwnText(std::string_view("a\0b", 3)); }},
        Case{"MethodTwice", {"~method-twice"}, [](Program& p) { p.execution_plan.items.push_back(PlanOf(p)); }},
        Case{"MisalignedConstant",
             {"data-misaligned"},
             [](Program& p) {
               TensorOf(p, test::kConstant).sizes = Ints({3});
               p.constant_segment->offsets = test::Offsets({0, 2});
             }},
        Case{"PlannedNumbersBetweenMultiplesOfTheirSize",
             {"data-misaligned"},
             [](Program& p) { TensorOf(p, test::kState).allocation_info->memory_offset_low = 2; }},
        Case{"TensorWithoutMemory",
             {"memory-missing"},
             [](Program& p) {
               PlanOf(p).outputs = Ints({});
               PlanOf(p).chains.items[0].instructions.items[2] = {tables::KernelCall{0, Ints({test::kOutput})}};
             }},
        Case{"ConstantOfBufferZero",
             {"memory-missing"},
             [](Program& p) { TensorOf(p, test::kConstant).data_buffer_idx = 0; }},
        Case{"InputThatIsAConstant",
             {"input-constant"},
             [](Program& p) {
               PlanOf(p).inputs = Ints({test::kInput, test::kConstant});
             }},
        Case{"ConstantLongerThanItsBuffer",
             {"buffer-too-short"},
             [](Program& p) {
               p.constant_segment->offsets = test::Offsets({0, 0, 12});
             }},
        Case{"InitialStateLongerThanItsBuffer",
             {"buffer-too-short"},
             [](Program& p) {
               p.mutable_data_segments.items[0].offsets = test::Offsets({0, 0, 12});
             }},
        Case{"BuffersOnOnePlace",
             {},
             [](Program& p) {
               p.constant_segment->offsets = test::Offsets({0, 0, 16, 0});
             }},
        Case{"BuffersExchanged",
             {"~buffer-order"},
             [](Program& p) {
               TensorOf(p, test::kConstant).sizes = Ints({2});
               p.constant_segment->offsets = test::Offsets({0, 8, 0});
             }},
        Case{"SegmentsThatOverlapInPart", {"segment-overlap"}, [](Program& p) { p.segments.items[3].offset = 44; }},
        Case{"SegmentsThatOverlapInsideAnother",
             {"segment-overlap"},
             [](Program& p) {
               p.segments.items[2] = {2, 6};
               p.segments.items[3] = {4, 8};
             }},
        Case{"SegmentInsideAnother",
             {},
             [](Program& p) {
               p.segments.items[3] = {4, 8};
             }},
        Case{"SegmentsOnOnePlace", {}, [](Program& p) { p.segments.items[3].offset = 0; }},
        Case{"SegmentsExchanged",
             {"~segment-order"},
             [](Program& p) { std::swap(p.segments.items[2], p.segments.items[3]); }},
        Case{"ValueOutOfRange", {"value-index"}, [](Program& p) { PlanOf(p).outputs = Ints({99}); }},
        Case{"SeveralAtOnce",
             {"value-index", "operator-index", "jump-target"},
             [](Program& p) {
               PlanOf(p).outputs = Ints({99});
               auto& instructions = PlanOf(p).chains.items[0].instructions.items;
               std::get<tables::KernelCall>(instructions[0].instr_args).op_index = 7;
               std::get<tables::JumpFalseCall>(instructions[3].instr_args).destination_instruction = 5;
             }}),
    [](const testing::TestParamInfo<Case>& one) { return std::string(one.param.name); });

TEST(Verify, ReportsAllThatIsWrongInAFileWithItsPlace) {
  Program program = Sound();
  PlanOf(program).outputs = Ints({99});
  const auto all = Verify(SourceOf(test::ProgramBytes(program)), {});
  ASSERT_TRUE(all);
  const Finding& finding = all->front().findings.at(0);
  EXPECT_EQ(finding.where, "output list 0 of method 0 'forward'");
  EXPECT_EQ(finding.message, "uses value 99, which does not exist: there are 8");
}

TEST(Verify, TellsDamageFromForeignFilesByTheName) {
  EXPECT_EQ(Found(Pattern(100, 1), "m.pte"), Ids{"identifier"});
  EXPECT_EQ(Found({}, "m.ptd"), Ids{"identifier"});
  const auto foreign = Verify(SourceOf(Pattern(100, 1), "m.bin"), {});
  ASSERT_FALSE(foreign);
  EXPECT_EQ(foreign.error().code, ErrorCode::kUnsupported);
}

TEST(Verify, FindsWhatIsWrongWithTheShell) {
  std::vector<uint8_t> bytes = test::ProgramBytes(Sound());
  EXPECT_EQ(Found(bytes), Ids{});
  std::vector<uint8_t> longer = bytes;
  longer.resize(bytes.size() + 10);
  EXPECT_EQ(Found(longer), Ids{"~trailing-bytes"});
  std::vector<uint8_t> cut(bytes.begin(), bytes.end() - 1);
  EXPECT_EQ(Found(cut), (Ids{"file-cut"}));
  std::vector<uint8_t> less = bytes;
  PutAt<uint64_t>(less, 32, 1);
  EXPECT_EQ(Found(less), Ids{"~header-field"});
  std::vector<uint8_t> without = bytes;
  without[8] = 'x';
  const Ids found = Found(without);
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found[0], "header-missing");
}

TEST(Verify, RefusesDataFilesThatAreNone) {
  const auto program = SourceOf(ProgramBuilder().Bytes());
  EXPECT_FALSE(Verify(program, {program}));
  const auto data = SourceOf(DataFileBuilder().Key("a", {1}).Bytes(), "d.ptd");
  EXPECT_FALSE(Verify(data, {data}));
  EXPECT_TRUE(Verify(data, {}));
}

TEST(Verify, FindsWhatIsWrongWithADataFile) {
  const auto found = [](const DataFileBuilder& file) { return Found(file.Bytes(), "d.ptd"); };
  EXPECT_EQ(found(DataFileBuilder().Key("a", Pattern(16, 1), Floats({4}))), Ids{});
  EXPECT_EQ(found(DataFileBuilder()), (Ids{"field-missing", "no-keys"}));
  tables::FlatTensor overlapping = test::SmallData();
  overlapping.segments.items[1].offset = 12;
  EXPECT_EQ(Found(test::DataBytes(overlapping), "d.ptd"), Ids{"segment-overlap"});
  overlapping.segments.items[1] = {4, 8};
  EXPECT_EQ(Found(test::DataBytes(overlapping), "d.ptd"), Ids{});
  EXPECT_EQ(found(DataFileBuilder().Key("a", Pattern(15, 1), Floats({4}))), Ids{"segment-too-short"});
  EXPECT_EQ(found(DataFileBuilder().Key("a", Pattern(16, 1), LayoutWith(99, {4}))), Ids{"scalar-type"});
  EXPECT_EQ(found(DataFileBuilder().Key(std::string("a\0", 2), {1})), Ids{"zero-in-name"});
  EXPECT_EQ(found(DataFileBuilder().Key("a", {1}).Key("a", {1})), Ids{"key-twice"});
}

// Programs of this builder have no methods' lists, so tests of sets look only at what concerns keys.
Ids OnlyKeys(const Ids& ids) {
  Ids kept;
  for (const std::string& id : ids) {
    if (id.find("field-missing") == std::string::npos && id.find(" arena") == std::string::npos) kept.push_back(id);
  }
  return kept;
}

TEST(VerifySet, FindsMissingKeysWithAndWithoutData) {
  const ProgramBuilder program = ProgramBuilder().Method("m").External("w", Floats({4}));
  EXPECT_EQ(OnlyKeys(Together(program, {})), Ids{"m.pte key-missing"});
  EXPECT_EQ(OnlyKeys(Together(program, {DataFileBuilder().Key("w", Pattern(16, 1), Floats({4}))})), Ids{});
}

TEST(VerifySet, ChecksTheLayoutOfEveryValueThatSharesAKey) {
  const ProgramBuilder program = ProgramBuilder().Method("m").External("w", Floats({4})).External("w", Floats({2, 2}));
  EXPECT_EQ(OnlyKeys(Together(program, {DataFileBuilder().Key("w", Pattern(16, 1), Floats({4}))})),
            Ids{"d0.ptd layout-differs"});
}

TEST(VerifySet, FindsKeysThatHideEachOther) {
  const ProgramBuilder program = ProgramBuilder().Method("m").NamedData("k", Pattern(16, 1));
  const DataFileBuilder same = DataFileBuilder().Key("k", Pattern(16, 1)), other = DataFileBuilder().Key("k", {1});
  EXPECT_EQ(OnlyKeys(Together(program, {other})), (Ids{"d0.ptd key-shadowed", "d0.ptd ~keys-unused"}));
  EXPECT_EQ(OnlyKeys(Together(program, {same})), (Ids{"d0.ptd ~key-in-both", "d0.ptd ~keys-unused"}));
  EXPECT_EQ(OnlyKeys(Together(ProgramBuilder().Method("m"), {same, same})),
            (Ids{"d0.ptd ~keys-unused", "d1.ptd key-twice"}));
  const ProgramBuilder twice = ProgramBuilder().Method("m").NamedData("k", {1}).NamedData("k", {2});
  EXPECT_EQ(OnlyKeys(Together(twice, {})), Ids{"m.pte key-twice"});
  const ProgramBuilder again = ProgramBuilder().Method("m").NamedData("k", {1}).NamedData("k", {1});
  EXPECT_EQ(OnlyKeys(Together(again, {})), Ids{"m.pte ~key-twice"});
}

TEST(VerifySet, FindsWhatTensorsCannotRead) {
  const ProgramBuilder program = ProgramBuilder().Method("m").External("w", Floats({4}));
  EXPECT_EQ(OnlyKeys(Together(program, {DataFileBuilder().Key("w", Pattern(16, 1))})), Ids{"d0.ptd layout-missing"});
  EXPECT_EQ(OnlyKeys(Together(program, {DataFileBuilder().Key("w", Pattern(15, 1), Floats({4}))})),
            Ids{"d0.ptd segment-too-short"});
}

TEST(VerifySet, ComparesOurKeysWithTheirContents) {
  const std::string key = "0000000000000000000000000000000000000000.00000000";
  const ProgramBuilder program = ProgramBuilder().Method("m").External(key, Floats({4}));
  const std::vector<DataFileBuilder> data{DataFileBuilder().Key(key, Pattern(16, 1), Floats({4}))};
  EXPECT_EQ(OnlyKeys(Together(program, data)), Ids{"d0.ptd key-hash"});
  EXPECT_EQ(OnlyKeys(Together(program, data, false)), Ids{});
}

TEST(VerifySet, TakesADataFileWithoutKeysBesideOneWithKeys) {
  const ProgramBuilder program = ProgramBuilder().Method("m").External("w", Floats({4}));
  const DataFileBuilder data = DataFileBuilder().Key("w", Pattern(16, 1), Floats({4}));
  DataFileBuilder empty;
  empty.tables.named_data.present = empty.tables.segments.present = true;
  EXPECT_EQ(OnlyKeys(Together(program, {data, empty})), Ids{});
  EXPECT_EQ(OnlyKeys(Together(program, {empty, data})), Ids{});
  EXPECT_EQ(OnlyKeys(Together(ProgramBuilder().Method("m"), {empty, empty})),
            (Ids{"d0.ptd no-keys", "d1.ptd no-keys"}));
}

TEST(VerifySet, DoesNotGuessWhatOpaqueDelegatesUse) {
  const ProgramBuilder program = ProgramBuilder().Method("m").Delegate("Opaque", {1, 2, 3});
  EXPECT_EQ(OnlyKeys(Together(program, {DataFileBuilder().Key("k", {1})})), Ids{});
}

}  // namespace
}  // namespace pteedit::verify_test
