// What `unreferenced` removes and what it keeps.
#include <gtest/gtest.h>

#include "program/file_set.h"
#include "program_builder.h"
#include "strip_files.h"

namespace pteedit::strip_unreferenced_test {
namespace {

using namespace pteedit::test;

StrippedFile Unreferenced(const ProgramBuilder& program) {
  return Stripped(program.Open(), StripOnly(&StripOptions::unreferenced));
}

// Values of 'forward': 0 input, 1 constant, 2 constant*, 3 constant of list 6, 4 output, 5 list* of 2, 6 list of 3, 7
// number of list 8, 8 list of numbers, 9 list of 3 or none, 10 null*. Those with a star, operator 0 and delegate 0 are
// not used.
ProgramBuilder WithUnused() {
  ProgramBuilder program;
  program.Tensor(0, Floats({4})).Constant(Floats({4}), Pattern(16, 1)).Constant(Floats({8}), Pattern(32, 2));
  program.Constant(Floats({4}), Pattern(16, 3)).Tensor(0, Floats({4}));
  tables::ExecutionPlan& plan = program.LastPlan();
  tables::TensorList unused, used;
  unused.value = Ints({2, 1});
  used.value = Ints({3, 0});
  tables::IntList numbers;
  numbers.value = tables::Vector<int64_t>::Own({7});
  tables::OptionalTensorList optional;
  optional.value = Ints({-1, 3});
  for (tables::EValue value : {ValueOf(unused), ValueOf(used), ValueOf(tables::Int{}), ValueOf(numbers),
                               ValueOf(optional), ValueOf(tables::Null{})}) {
    plan.values.items.push_back(std::move(value));
  }
  plan.inputs = Ints({0});
  plan.outputs = Ints({4});
  for (const char* name : {"aten::unused", "aten::add", "aten::mul"})
    plan.operators.items.push_back({tables::OwnText(name), tables::OwnText("out")});
  plan.operators.present = true;
  program.Delegate("Unused", Pattern(40, 4)).Delegate("Used", Pattern(40, 5));
  tables::Chain chain;
  chain.inputs = Ints({0});
  chain.instructions = {true,
                        {{tables::KernelCall{1, Ints({0, 1, 6, 4})}},
                         {tables::DelegateCall{1, Ints({8, 4})}},
                         {tables::MoveCall{9, 4}},
                         {tables::JumpFalseCall{9, 4}},
                         {tables::KernelCall{2, Ints({9, 9})}},
                         {tables::FreeCall{{9}}}}};
  plan.chains = {true, {std::move(chain)}};
  return program;
}

TEST(StripUnreferenced, RemovesWhatNothingNames) {
  ProgramBuilder program = WithUnused();
  const StrippedFile stripped = Unreferenced(program);
  EXPECT_EQ(stripped.removed(),
            (Names{"values forward", "operators forward", "delegate Unused_0", "constant forward.constant_1"}));
  const tables::Program tables = stripped.tables();
  const tables::ExecutionPlan& plan = tables.execution_plan.items[0];
  ASSERT_EQ(plan.values.items.size(), 8U);
  EXPECT_TRUE(std::holds_alternative<tables::TensorList>(plan.values.items[4].val));
  const auto ints = [](const tables::Vector<int32_t>& list) { return std::vector<int32_t>(list.begin(), list.end()); };
  using List = std::vector<int32_t>;
  EXPECT_EQ(ints(std::get<tables::TensorList>(plan.values.items[4].val).value), (List{2, 0}));
  EXPECT_EQ(std::get<tables::IntList>(plan.values.items[6].val).value[0], 5);
  EXPECT_EQ(ints(plan.outputs), List{3});
  ASSERT_EQ(plan.operators.items.size(), 2U);
  EXPECT_EQ(tables::ViewOf(plan.operators.items[0].name), "aten::add");
  ASSERT_EQ(plan.delegates.items.size(), 1U);
  const auto& instructions = plan.chains.items[0].instructions.items;
  const auto& kernel = std::get<tables::KernelCall>(instructions[0].instr_args);
  EXPECT_EQ(kernel.op_index, 0);
  EXPECT_EQ(ints(kernel.args), (List{0, 1, 4, 3}));
  const auto& call = std::get<tables::DelegateCall>(instructions[1].instr_args);
  EXPECT_EQ(call.delegate_index, 0);
  EXPECT_EQ(ints(call.args), (List{6, 3}));
  EXPECT_EQ(std::get<tables::MoveCall>(instructions[2].instr_args).move_from, 7);
  EXPECT_EQ(std::get<tables::JumpFalseCall>(instructions[3].instr_args).cond_value_index, 7);
  EXPECT_EQ(std::get<tables::KernelCall>(instructions[4].instr_args).op_index, 1);
  EXPECT_EQ(std::get<tables::FreeCall>(instructions[5].instr_args).value, 7);
  EXPECT_EQ(BlobsOf(stripped.file), std::vector<std::vector<uint8_t>>{Pattern(40, 5)});
  const auto tensors = StoredTensors(stripped.file);
  EXPECT_EQ(tensors.at("forward/1").bytes, Pattern(16, 1));
  EXPECT_EQ(tensors.at("forward/2").bytes, Pattern(16, 3));
  EXPECT_EQ(tensors.size(), 2U);
  EXPECT_EQ(stripped.file.segments()[0].size, 32U);
}

TEST(StripUnreferenced, FollowsListsInCircles) {
  ProgramBuilder program;
  program.Tensor(0, Floats({4}));
  for (const int64_t other : {2, 1}) {
    tables::IntList list;
    list.value = tables::Vector<int64_t>::Own({other});
    program.LastPlan().values.items.push_back(ValueOf(list));
  }
  EXPECT_EQ(Unreferenced(program).removed(), Names{"values forward"});
  program.LastPlan().outputs = Ints({1});
  EXPECT_EQ(Unreferenced(program).tables().execution_plan.items[0].values.items.size(), 2U);
}

TEST(StripUnreferenced, KeepsTheValueThatBindsToABase) {
  ProgramBuilder program;
  program.External("pteedit.base/1234", Floats({0})).External("unused", Floats({4}));
  const StrippedFile stripped = Unreferenced(program);
  EXPECT_EQ(stripped.removed(), Names{"values forward"});
  const tables::Program tables = stripped.tables();
  ASSERT_EQ(tables.execution_plan.items[0].values.items.size(), 1U);
  const auto& tensor = std::get<tables::Tensor>(tables.execution_plan.items[0].values.items[0].val);
  EXPECT_EQ(tables::ViewOf(tensor.extra_tensor_info->fully_qualified_name), "pteedit.base/1234");
}

TEST(StripUnreferenced, KeepsStateThatTheAppOrAnotherMethodMayReach) {
  ProgramBuilder program;
  program.Method("a").State(Floats({4}), Pattern(16, 1));
  EXPECT_EQ(Unreferenced(program).removed(), (Names{"values a", "mutable a.mutable_0"}));
  ProgramBuilder named = program;
  named.TensorAt(0).extra_tensor_info.emplace().fully_qualified_name = tables::OwnText("cache");
  EXPECT_TRUE(Unreferenced(named).removed().empty());
  program.Method("b").State(Floats({4}), Pattern(16, 2));  // at the same place of planned memory
  EXPECT_TRUE(Unreferenced(program).removed().empty());
  program.TensorAt(0).allocation_info->memory_offset_low = 64;
  EXPECT_EQ(Unreferenced(program).removed().size(), 4U);
}

TEST(StripUnreferenced, DropsMutableDataWithItsLastState) {
  ProgramBuilder program;
  program.State(Floats({4}), Pattern(16, 1)).NamedData("k", Pattern(16, 2));
  const StrippedFile stripped = Unreferenced(program);
  EXPECT_FALSE(stripped.tables().mutable_data_segments.present);
  EXPECT_EQ(stripped.file.segments().size(), 2U);
  EXPECT_EQ(NamedBytes(stripped.file), NamedBytes(program.Open()));
}

TEST(StripUnreferenced, KeepsThePlaceholderAndAnEmptyConstantSegment) {
  ProgramBuilder program;
  program.Constant(Floats({4}), Pattern(16, 1));
  const StrippedFile stripped = Unreferenced(program);
  const tables::Program tables = stripped.tables();
  ASSERT_TRUE(tables.constant_segment);
  EXPECT_EQ(tables.constant_segment->offsets.size(), 1U);
  ASSERT_EQ(stripped.file.segments().size(), 1U);
  EXPECT_EQ(stripped.file.segments()[0].size, 0U);
}

TEST(StripUnreferenced, SaysNothingOfTheSegmentThatAPlaceholderIsGiven) {
  ProgramBuilder program;
  program.segments = {};
  program.Tensor(0, Floats({4}));
  program.tables.constant_segment = tables::SubsegmentOffsets{7, tables::Vector<uint64_t>::Own({0})};
  program.segments.Add(Pattern(1000, 3));
  EXPECT_EQ(Unreferenced(program).removed(), (Names{"values forward", "segment 0"}));
}

TEST(StripUnreferenced, RemovesSegmentsAndBuffersOfNobody) {
  ProgramBuilder program;
  program.AddBuffer(Pattern(64, 1));
  program.Tensor(program.AddBuffer(Pattern(16, 2)), Floats({4}));
  program.LastPlan().outputs = Ints({0});
  program.segments.Add(Pattern(100, 3));
  program.NamedData("k", Pattern(16, 4));
  const StrippedFile stripped = Unreferenced(program);
  EXPECT_EQ(stripped.removed(), (Names{"segment 1", "constant buffer 1"}));
  EXPECT_EQ(stripped.report.items[0].bytes, 100U);
  EXPECT_EQ(StoredTensors(stripped.file), StoredTensors(program.Open()));
  EXPECT_EQ(NamedBytes(stripped.file), NamedBytes(program.Open()));
}

TEST(StripUnreferenced, KeepsBuffersInASegmentThatOthersRead) {
  ProgramBuilder program;
  program.AddBuffer(Pattern(64, 1));
  program.Tensor(program.AddBuffer(Pattern(16, 2)), Floats({4}));
  program.LastPlan().outputs = Ints({0});
  program.tables.named_data = {true, {{tables::OwnText("same segment"), 0}}};
  EXPECT_TRUE(Unreferenced(program).removed().empty());
}

TEST(StripUnreferenced, RemovesBytesInsideTheTables) {
  tables::Program program = SmallProgram();
  program.constant_segment.reset();
  program.constant_buffer.present = program.backend_delegate_data.present = true;
  const auto bytes = [](uint32_t seed) {
    tables::InlineBytes found;
    found.value = {Bytes(Pattern(16, seed)), 16};
    return found;
  };
  program.constant_buffer.items = {tables::InlineBytes(), bytes(1), bytes(2), bytes(3)};
  program.backend_delegate_data.items = {bytes(4), bytes(5), bytes(6)};
  tables::ExecutionPlan& plan = PlanOf(program);
  plan.delegates.items.insert(plan.delegates.items.begin(),
                              {tables::OwnText("Inline"), tables::BackendDelegateDataReference{0, 1}, {}});
  plan.delegates.items.push_back({tables::OwnText("Inline"), tables::BackendDelegateDataReference{0, 2}, {}});
  CallOf<tables::DelegateCall>(program, 1).delegate_index = 2;
  TensorOf(program, kConstant).data_buffer_idx = 3;
  const auto before = Container::Open(MakeMemorySource("inline.pte", ProgramBytes(program)));
  ASSERT_TRUE(before) << Words(before);
  const StrippedFile stripped = Stripped(*before, StripOnly(&StripOptions::unreferenced));
  // The state, the two lists, segment 0, the blob in segment 2 and the state's segment go with what used them.
  EXPECT_EQ(stripped.removed(),
            (Names{"values forward", "delegate Inline_0", "delegate Backend_0", "inline-blob 0", "segment 0",
                   "mutable forward.mutable_0", "constant buffer 1", "constant buffer 2"}));
  const tables::Program tables = stripped.tables();
  EXPECT_EQ(tables.constant_buffer.items.size(), 2U);
  EXPECT_EQ(tables.backend_delegate_data.items.size(), 1U);
  EXPECT_EQ(StoredTensors(stripped.file).at("forward/1").bytes, Pattern(16, 3));
  EXPECT_EQ(BlobsOf(stripped.file), std::vector<std::vector<uint8_t>>{Pattern(16, 6)});
}

const std::string kSha256 = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";

// One key of each look, and one that an external tensor names.
ProgramBuilder WithKeys() {
  ProgramBuilder program;
  program.External("a.weight", Floats({4}));
  program.LastPlan().inputs = Ints({0});
  for (const std::string& key : {std::string("a.weight"), std::string("app.tokenizer"), kSha256, "scale_" + kSha256,
                                 kSha256.substr(0, 40) + ".00112233", "SCALE_" + kSha256, kSha256 + "0"}) {
    program.NamedData(key, Pattern(16, static_cast<uint32_t>(key.size())));
  }
  return program;
}

TEST(StripUnreferenced, RemovesKeysThatSurelyNobodyReads) {
  const StrippedFile stripped = Unreferenced(WithKeys());
  EXPECT_EQ(stripped.removed(), (Names{"named-data " + kSha256, "named-data scale_" + kSha256,
                                       "named-data " + kSha256.substr(0, 40) + ".00112233"}));
  EXPECT_EQ(stripped.report.items[0].key, kSha256);
  const std::string reason = ": nobody mentions it, but the app may read it by its name";
  EXPECT_EQ(ReasonsOf(stripped.report),
            (Names{"app.tokenizer" + reason, "SCALE_" + kSha256 + reason, kSha256 + "0" + reason}));
  EXPECT_EQ(stripped.file.segments().size(), 1U + 4U);
}

TEST(StripUnreferenced, KeepsNamedDataEmptyRatherThanAbsent) {
  ProgramBuilder program;
  program.NamedData(kSha256, Pattern(16, 1));
  const tables::Program tables = Unreferenced(program).tables();
  EXPECT_TRUE(tables.named_data.present);
  EXPECT_TRUE(tables.named_data.items.empty());
}

ProgramBuilder WithDelegate(const std::string& blob, bool is_called) {
  ProgramBuilder program = WithKeys();
  program.Delegate("Unknown", TextBytes(blob));
  tables::Chain chain;
  if (is_called) chain.instructions = {true, {{tables::DelegateCall{0, Ints({0})}}}};
  program.LastPlan().chains = {true, {std::move(chain)}};
  return program;
}

TEST(StripUnreferenced, KeepsAllKeysBesideADelegateThatNobodyCanDecode) {
  const StrippedFile stripped = Unreferenced(WithDelegate("reads " + kSha256 + " here", true));
  EXPECT_TRUE(stripped.removed().empty());
  const Names reasons = ReasonsOf(stripped.report);
  ASSERT_EQ(reasons.size(), 5U);  // not those that the tensor names and the blob mentions
  EXPECT_EQ(reasons[0], "app.tokenizer: nobody mentions it, but delegate 'Unknown_0' may read keys unseen");
}

TEST(StripUnreferenced, DoesNotAskDelegatesThatNobodyCalls) {
  const StrippedFile stripped = Unreferenced(WithDelegate("reads " + kSha256 + " here", false));
  EXPECT_EQ(stripped.removed()[0], "delegate Unknown_0");
  EXPECT_EQ(stripped.removed().size(), 4U);
}

}  // namespace
}  // namespace pteedit::strip_unreferenced_test
