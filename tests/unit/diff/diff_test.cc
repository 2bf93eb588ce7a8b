#include "pteedit/diff.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "base/text.h"
#include "file_contents.h"
#include "program/value_words.h"
#include "program_builder.h"
#include "pteedit/delegates.h"
#include "pteedit/names.h"
#include "pteedit/split.h"
#include "pteedit/strip.h"
#include "split_files.h"
#include "test_files.h"

namespace pteedit::diff_test {
namespace {

using test::DataFileBuilder;
using test::DataPath;
using test::Floats;
using test::LayoutWith;
using test::OpenFile;
using test::Pattern;
using test::ProgramBuilder;
using Words = std::vector<std::string>;

FileDiff Diff(const Container& before, const Container& after) {
  Result<FileDiff> diff = DiffFiles(before, after);
  EXPECT_TRUE(diff) << (diff ? "" : diff.error().message);
  return *diff;
}

// Whatever changed, the growth of all rows is that of the file, and so is that of all components.
void ExpectAddsUp(const FileDiff& diff) {
  uint64_t growth = 0, old_bytes = 0, new_bytes = 0;  // growth wraps
  for (const SizeChange& change : diff.sizes) growth += change.new_bytes - change.old_bytes;
  for (const ComponentChange& component : diff.components)
    old_bytes += component.old_bytes, new_bytes += component.new_bytes;
  EXPECT_EQ(growth, diff.new_bytes - diff.old_bytes);
  EXPECT_EQ(old_bytes, diff.old_bytes);
  EXPECT_EQ(new_bytes, diff.new_bytes);
}

// A row, as it would be the other way round where `mirrored`.
std::string RowText(const SizeChange& change, bool mirrored) {
  std::string kind = change.change;
  if (mirrored && (kind == "added" || kind == "removed")) kind = kind == "added" ? "removed" : "added";
  const bool is_other = !change.old_what.empty();
  std::vector<std::string> sides = {
      is_other ? change.old_what.str() + "/" + *change.old_name : change.what.str() + "/" + change.name,
      change.what.str() + "/" + change.name};
  sides[0] += " " + std::to_string(change.old_bytes) + " " + change.old_type.str();
  sides[1] += " " + std::to_string(change.new_bytes) + " " + change.new_type.str();
  if (mirrored) std::swap(sides[0], sides[1]);
  std::string text = kind + " " + sides[0] + " > " + sides[1];
  if (change.elements) text += " " + std::to_string(change.elements->differing);
  if (change.elements && change.elements->numbers->largest)
    text += " " + std::to_string(*change.elements->numbers->largest);
  return text;
}

Words RowTexts(const FileDiff& diff, bool mirrored) {
  Words rows;
  for (const SizeChange& change : diff.sizes) rows.push_back(RowText(change, mirrored));
  for (const MethodChange& change : diff.methods)
    rows.push_back(Text(change.name, mirrored ? change.new_values : change.old_values, " ",
                        mirrored ? change.old_values : change.new_values));
  for (const OperatorChange& change : diff.operators)
    rows.push_back(Text(change.backend, change.name, mirrored ? change.new_calls : change.old_calls, " ",
                        mirrored ? change.old_calls : change.new_calls));
  for (const MeaningChange& change : diff.meaning)
    rows.push_back(Text(change.what, change.name, mirrored ? change.after : change.before, " > ",
                        mirrored ? change.before : change.after, " ", change.times));
  std::sort(rows.begin(), rows.end());
  return rows;
}

const SizeChange* RowOf(const FileDiff& diff, const std::string& name) {
  for (const SizeChange& change : diff.sizes) {
    if (change.name == name) return &change;
  }
  return nullptr;
}

std::string MeaningOf(const FileDiff& diff, const std::string& what, const std::string& name) {
  for (const MeaningChange& change : diff.meaning) {
    if (change.what == what && change.name == name) return change.before + " > " + change.after;
  }
  return "none";
}

template <class Number>
std::vector<uint8_t> BytesOf(const std::vector<Number>& numbers) {
  std::vector<uint8_t> bytes(numbers.size() * sizeof(Number));
  std::memcpy(bytes.data(), numbers.data(), bytes.size());
  return bytes;
}

Words WordsOf(const FileDiff& diff, const std::string& what) {
  Words words;
  for (const SizeChange& change : diff.sizes) {
    if (change.what != what) continue;
    const std::string from = change.old_name->empty() ? "" : " from " + *change.old_name;
    words.push_back(change.change + (" " + change.name) + from + " " + std::to_string(change.old_bytes) + ">" +
                    std::to_string(change.new_bytes));
  }
  return words;
}

TEST(DiffFiles, FindsNothingBetweenAFileAndItself) {
  for (const char* name : {"f07/gpt_xnn.pte", "f04/w.ptd", "f11_bundled_xnn.bpte", "old/0.1_inline_delegate.pte"}) {
    const Container file = OpenFile(DataPath(name));
    EXPECT_TRUE(Diff(file, file).is_same()) << name;
  }
}

TEST(DiffFiles, AddsUpAndIsTheOtherWayRoundBetweenAnyTwoFiles) {
  const std::vector<std::string> names = {
      "f08/a_portable_base.pte", "f08/a_portable_v0.pte", "f08/b_xnn_v0.pte",   "f08/b_xnn_v1.pte",
      "f06/mixed.pte",           "f17/opaque.pte",        "diff/mlp.pte",       "diff/mlp_front.pte",
      "diff/mlp_xnn.pte",        "diff/mlp_xnn_q8.pte",   "diff/mlp_shape.pte", "diff/types_tuned.pte",
      "diff/types.pte",          "f12/zoo.pte",           "f12/tied_xnn.pte"};
  for (const std::string& before : names) {
    for (const std::string& after : names) {
      const FileDiff diff = Diff(OpenFile(DataPath(before)), OpenFile(DataPath(after)));
      ExpectAddsUp(diff);
      EXPECT_EQ(diff.is_same(), before == after) << before << " " << after;
      const FileDiff back = Diff(OpenFile(DataPath(after)), OpenFile(DataPath(before)));
      EXPECT_EQ(RowTexts(diff, true), RowTexts(back, false)) << before << " " << after;
    }
  }
}

TEST(DiffFiles, MatchesByContentThenByName) {
  ProgramBuilder before, after;
  before.NamedData("kept", Pattern(64, 1)).NamedData("edited", Pattern(64, 2)).NamedData("old", Pattern(64, 3));
  before.NamedData("gone", Pattern(32, 4));
  after.NamedData("kept", Pattern(64, 1)).NamedData("edited", Pattern(80, 5)).NamedData("new", Pattern(64, 3));
  after.NamedData("more", Pattern(24, 6));
  const FileDiff diff = Diff(before.Open(), after.Open());
  ExpectAddsUp(diff);
  EXPECT_EQ(WordsOf(diff, "Named Data"),
            (Words{"added more 0>24", "changed edited 64>80", "renamed new from old 64>64", "removed gone 32>0"}));
}

TEST(DiffFiles, SeesBytesThatMoveToAnotherComponent) {
  ProgramBuilder before, after;
  before.Constant(Floats({16}), Pattern(64, 1));
  after.NamedData("w", Pattern(64, 1));
  const FileDiff diff = Diff(before.Open(), after.Open());
  ExpectAddsUp(diff);
  EXPECT_EQ(WordsOf(diff, "Named Data"), Words{"moved w from forward.constant_0 64>64"});
}

TEST(DiffFiles, SeesAChangeThatTakesNoBytes) {
  const Container file = OpenFile(DataPath("f08/b_xnn_v0.pte"));
  std::vector<uint8_t> bytes = test::ReadBytes(DataPath("f08/b_xnn_v0.pte"));
  bytes[file.named_data()[0].extent.offset] ^= 1;
  const FileDiff diff = Diff(file, *Container::Open(MakeMemorySource("edited", bytes)));
  ASSERT_EQ(diff.sizes.size(), 1U);
  EXPECT_EQ(diff.sizes[0].change, std::string("changed"));
  EXPECT_EQ(diff.sizes[0].name, file.named_data()[0].key);
  EXPECT_EQ(diff.sizes[0].old_bytes, diff.sizes[0].new_bytes);
}

TEST(DiffFiles, ComparesMethodsAndOperators) {
  const FileDiff diff = Diff(OpenFile(DataPath("f06/portable.pte")), OpenFile(DataPath("f06/portable_cm.pte")));
  Words added;
  for (const MethodChange& change : diff.methods) added.push_back(change.change + (" " + change.name));
  EXPECT_EQ(added, (Words{"added get_eos", "added get_name", "added get_vocab_size", "added scale", "added use_kv"}));
  EXPECT_TRUE(diff.operators.empty());
}

TEST(DiffFiles, ComparesOperatorsInsideDelegates) {
  const FileDiff diff = Diff(OpenFile(DataPath("f08/b_xnn_base.pte")), OpenFile(DataPath("f08/b_xnn_v0.pte")));
  const auto change = std::find_if(diff.operators.begin(), diff.operators.end(), [](const OperatorChange& one) {
    return one.backend == "XnnpackBackend" && one.name == "XNNFullyConnected";
  });
  ASSERT_NE(change, diff.operators.end());
  EXPECT_LT(change->old_calls, change->new_calls);
}

TEST(DiffFiles, SeesWeightsThatMoveToADataFile) {
  const Container whole = OpenFile(DataPath("f08/a_portable_base.pte"));
  const Result<SplitResult> split = SplitProgram(whole, {});
  ASSERT_TRUE(split) << split.error().message;
  const Container program = *Container::Open(split->program.AsSource("small.pte"));
  const Container data = *Container::Open(split->data.front().AsSource("weights.ptd"));
  const Result<FileDiff> diff = DiffFiles(whole, {program, {data}});
  ASSERT_TRUE(diff) << diff.error().message;
  ExpectAddsUp(*diff);
  EXPECT_EQ(diff->new_bytes, program.source()->size() + data.source()->size());
  for (const SizeChange& change : diff->sizes) {
    EXPECT_EQ(change.change == std::string("moved"), change.what == "Tensors") << change.name;
    EXPECT_NE(change.change, std::string("removed")) << change.name;
  }
  const Result<FileDiff> back = DiffFiles({program, {data}}, {program, {data}});
  EXPECT_TRUE(back->is_same());
}

TEST(DiffFiles, SaysNothingOfConstantsThatOnlyCountOtherwise) {
  ProgramBuilder before, after;
  before.Constant(Floats({16}), Pattern(64, 1)).Constant(Floats({8}), Pattern(32, 2));
  after.Constant(Floats({4}), Pattern(16, 3))
      .Constant(Floats({16}), Pattern(64, 1))
      .Constant(Floats({8}), Pattern(32, 2));
  const FileDiff diff = Diff(before.Open(), after.Open());
  EXPECT_EQ(WordsOf(diff, "Constant Tensors"), Words{"added forward.constant_0 0>16"});
  EXPECT_EQ(diff.weights.same, 2U);
  EXPECT_EQ(diff.weights.added, 1U);
}

TEST(DiffFiles, MatchesWhatHasNoNameByTypeAndSizes) {
  ProgramBuilder before, after;
  before.Constant(Floats({2}), BytesOf<float>({1, 2})).Constant(Floats({3}), BytesOf<float>({1, 2, 3}));
  after.Constant(Floats({3}), BytesOf<float>({1, 2, 3.5F})).Constant(Floats({2}), BytesOf<float>({-1, 2}));
  const FileDiff diff = Diff(before.Open(), after.Open());
  EXPECT_EQ(WordsOf(diff, "Constant Tensors"), (Words{"changed forward.constant_0 from forward.constant_1 12>12",
                                                      "changed forward.constant_1 from forward.constant_0 8>8"}));
  const Boxed<ElementChange> elements = RowOf(diff, "forward.constant_0")->elements;
  ASSERT_TRUE(elements);
  EXPECT_EQ(elements->elements, 3U);
  EXPECT_EQ(elements->differing, 1U);
  EXPECT_EQ(elements->numbers->largest, 0.5);
  EXPECT_EQ(elements->numbers->mean, 0.5);
  ASSERT_EQ(elements->numbers->first.size(), 1U);
  EXPECT_EQ(elements->numbers->first[0].index, 2U);
  EXPECT_EQ(elements->numbers->first[0].before, 3);
  EXPECT_EQ(elements->numbers->first[0].after, 3.5);
}

TEST(DiffFiles, MatchesWhatHasNoNameBetweenTheSameNeighbours) {
  ProgramBuilder before, after;
  before.Constant(Floats({2}), BytesOf<float>({1, 2})).Constant(Floats({2}), BytesOf<float>({3, 4}));
  after.Constant(Floats({2}), BytesOf<float>({9, 9})).Constant(Floats({2}), BytesOf<float>({1, 2}));
  after.Constant(Floats({2}), BytesOf<float>({3, 5}));
  const FileDiff diff = Diff(before.Open(), after.Open());
  EXPECT_EQ(WordsOf(diff, "Constant Tensors"),
            (Words{"added forward.constant_0 0>8", "changed forward.constant_2 from forward.constant_1 8>8"}));
  const FileDiff back = Diff(after.Open(), before.Open());
  EXPECT_EQ(RowTexts(diff, true), RowTexts(back, false));
}

TEST(DiffFiles, ComparesFloatsOfTwoTypesAsNumbers) {
  ProgramBuilder before, after;
  before.Constant(Floats({2}), BytesOf<float>({1, 0.25F}));
  after.Constant({5, {2}, {0}}, BytesOf<uint16_t>({0x3c00, 0x3800}));  // halves: 1, 0.5
  const FileDiff diff = Diff(before.Open(), after.Open());
  const SizeChange* row = RowOf(diff, "forward.constant_0");
  ASSERT_NE(row, nullptr);
  EXPECT_EQ(row->old_type, "float32[2]");
  EXPECT_EQ(row->new_type, "float16[2]");
  ASSERT_TRUE(row->elements);
  EXPECT_EQ(row->elements->differing, 1U);
  EXPECT_EQ(row->elements->numbers->largest, 0.25);
}

TEST(DiffFiles, TellsNoLargestDifferenceWhereOneIsNoNumber) {
  ProgramBuilder before, after;
  before.Constant(Floats({2}), BytesOf<uint32_t>({0x7fc00000, 0x3f800000}));  // NaN, 1
  after.Constant(Floats({2}), BytesOf<uint32_t>({0x3f800000, 0x3f800000}));
  const FileDiff diff = Diff(before.Open(), after.Open());
  ASSERT_EQ(diff.sizes.size(), 1U);
  EXPECT_EQ(diff.sizes[0].elements->differing, 1U);
  EXPECT_FALSE(diff.sizes[0].elements->numbers->largest);
}

TEST(DiffFiles, CutsTextsBetweenLetters) {
  EXPECT_EQ(BeginningOf("ab", 2), "ab");
  EXPECT_EQ(BeginningOf("a\u00e9b", 2), "a");
  EXPECT_EQ(BeginningOf("a\u00e9b", 3), "a\u00e9");
  EXPECT_EQ(BeginningOf("\x80\x80\x80", 2), "");
}

TEST(DiffFiles, TellsNoAmountThatADoubleDoesNotHold) {
  constexpr int64_t kLarge = int64_t{1} << 53;
  ProgramBuilder before, after;
  before.Constant(LayoutWith(4, {2}), BytesOf<int64_t>({kLarge, 7}));
  after.Constant(LayoutWith(4, {2}), BytesOf<int64_t>({kLarge + 1, 7}));
  const FileDiff diff = Diff(before.Open(), after.Open());
  ASSERT_EQ(diff.sizes.size(), 1U);
  EXPECT_EQ(diff.sizes[0].elements->differing, 1U);
  EXPECT_FALSE(diff.sizes[0].elements->numbers->largest);
}

TEST(DiffFiles, ComparesBytesBeyondWholeElementsToo) {
  const Container before = DataFileBuilder().Key("w", Pattern(11, 1), Floats({2})).Open();
  std::vector<uint8_t> bytes = Pattern(11, 1);
  bytes.back() ^= 1;
  const FileDiff diff = Diff(before, DataFileBuilder().Key("w", bytes, Floats({2})).Open());
  ASSERT_EQ(diff.sizes.size(), 1U);
  EXPECT_TRUE(diff.sizes[0].elements->are_bytes);
  EXPECT_EQ(diff.sizes[0].elements->differing, 1U);
}

TEST(DiffFiles, ComparesWhatHasNoTypeByteByByte) {
  ProgramBuilder before, after;
  before.NamedData("k", {1, 2, 3});
  after.NamedData("k", {1, 5, 4});
  const FileDiff diff = Diff(before.Open(), after.Open());
  ASSERT_NE(RowOf(diff, "k"), nullptr);
  const Boxed<ElementChange> elements = RowOf(diff, "k")->elements;
  ASSERT_TRUE(elements);
  EXPECT_TRUE(elements->are_bytes);
  EXPECT_EQ(elements->differing, 2U);
  EXPECT_FALSE(elements->numbers->largest);
}

TEST(DiffFiles, ComparesWhatHasATypeOnOneSideByThat) {
  const Container file = OpenFile(DataPath("f08/b_xnn_v0.pte"));
  std::vector<uint8_t> bytes = test::ReadBytes(DataPath("f08/b_xnn_v0.pte"));
  const auto delegates = DescribeDelegates(file);
  ASSERT_TRUE(delegates);
  for (const DelegateDescription& delegate : *delegates) bytes[delegate.blob.offset + 4] ^= 1;  // opaque now
  bytes[file.named_data()[0].extent.offset] ^= 1;
  const FileDiff diff = Diff(file, *Container::Open(MakeMemorySource("edited", bytes)));
  const SizeChange* row = RowOf(diff, std::string(file.named_data()[0].key));
  ASSERT_NE(row, nullptr);
  EXPECT_EQ(row->new_type, "");
  ASSERT_TRUE(row->elements);
  EXPECT_FALSE(row->elements->are_bytes);
  EXPECT_EQ(row->elements->differing, 1U);
}

TEST(DiffFiles, SeesATypeThatChangesWhereBytesDoNot) {
  ProgramBuilder before, after;
  before.Constant(Floats({4}), Pattern(16, 1));
  after.Constant(Floats({2, 2}), Pattern(16, 1));
  const FileDiff diff = Diff(before.Open(), after.Open());
  const SizeChange* row = RowOf(diff, "forward.constant_0");
  ASSERT_NE(row, nullptr);
  EXPECT_EQ(row->change, std::string("changed"));
  EXPECT_TRUE(row->same_content);
  EXPECT_EQ(row->new_type, "float32[2,2]");
}

TEST(DiffFiles, MatchesDelegatesByOperatorsThatWereExportedAgain) {
  const Container file = OpenFile(DataPath("f08/b_xnn_v0.pte"));
  const FileDiff diff = Diff(file, OpenFile(DataPath("f08/e_multi_xnn.pte")));
  EXPECT_EQ(diff.delegates.removed, 0U);
  ExpectAddsUp(diff);
}

TEST(DiffFiles, TellsWhatConstantMethodsSay) {
  const FileDiff diff = Diff(OpenFile(DataPath("diff/mlp.pte")), OpenFile(DataPath("diff/mlp_method.pte")));
  EXPECT_EQ(MeaningOf(diff, "value", "get_vocab_size"), "int 96 > int 128");
  EXPECT_EQ(MeaningOf(diff, "value", "get_name"), "string mlp > string mlp 2");
  EXPECT_EQ(diff.meaning.size(), 2U);
  EXPECT_EQ(diff.weights.changed, 0U);
}

TEST(DiffFiles, TellsSignaturesCallsAndPlannedMemory) {
  const FileDiff diff = Diff(OpenFile(DataPath("diff/mlp.pte")), OpenFile(DataPath("diff/mlp_shape.pte")));
  EXPECT_EQ(MeaningOf(diff, "input", "forward 0"), "float32[2,16] > float32[7,16]");
  EXPECT_EQ(MeaningOf(diff, "output", "forward 0"), "float32[2,4] > float32[7,4]");
  EXPECT_EQ(MeaningOf(diff, "call", "forward aten::relu.out"),
            "argument 0: float32[2,32], argument 1: float32[2,32], argument 2: float32[2,32] > "
            "argument 0: float32[7,32], argument 1: float32[7,32], argument 2: float32[7,32]");
  ASSERT_EQ(diff.methods.size(), 1U);
  EXPECT_LT(diff.methods[0].old_arenas.at(0), diff.methods[0].new_arenas.at(0));
  EXPECT_TRUE(diff.operators.empty());
}

TEST(DiffFiles, TellsWhatLiesElsewhereInPlannedMemory) {
  const Container before = OpenFile(DataPath("diff/mlp.pte"));
  const FileDiff shape = Diff(before, OpenFile(DataPath("diff/mlp_shape.pte")));
  EXPECT_EQ(MeaningOf(shape, "planned tensor", "forward value 11"),
            "arena 1 at 0x1000, 256 bytes > arena 1 at 0x1000, 896 bytes");
  const auto place = [](uint64_t offset) {
    ProgramBuilder builder;
    for (const uint64_t at : {uint64_t{0}, offset}) {
      builder.Tensor(0, Floats({4}));
      tables::AllocationDetails& details = builder.TensorAt(at == 0 ? 0 : 1).allocation_info.emplace();
      details.memory_id = 1;
      details.memory_offset_low = static_cast<uint32_t>(at);
    }
    return builder.Open();
  };
  const FileDiff moved = Diff(place(16), place(32));
  EXPECT_EQ(MeaningOf(moved, "planned tensors", "forward arena 1"), "2 tensors, 1 moved > 2 tensors, 1 moved");
  EXPECT_EQ(MeaningOf(moved, "planned tensor", "forward value 1"), "none");
}

// A call of one operator, whose arguments are a tensor of each layout.
void AddCall(ProgramBuilder& builder, const std::vector<TensorLayout>& layouts) {
  std::vector<int32_t> arguments;
  for (const TensorLayout& layout : layouts) {
    builder.Tensor(0, layout);
    arguments.push_back(static_cast<int32_t>(builder.LastPlan().values.items.size() - 1));
  }
  tables::Operator op;
  op.name = tables::OwnText("aten::cat");
  builder.LastPlan().operators = {true, {op}};
  tables::Chain& chain = builder.LastPlan().chains.items.emplace_back();
  chain.instructions.present = true;
  chain.instructions.items.push_back({tables::KernelCall{0, test::Ints(arguments)}});
}

TEST(DiffFiles, TellsCallsWithManyArgumentsAlikeBothWays) {
  const auto calls = [](const TensorLayout& first, const TensorLayout& last) {
    ProgramBuilder builder;
    for (const bool differs : {false, true}) {
      builder.Method(differs ? "one" : "other");
      std::vector<TensorLayout> layouts(20, first);
      if (differs) layouts.back() = last;
      AddCall(builder, layouts);
    }
    return builder.Open();
  };
  const TensorLayout large = Floats({1111, 2222, 3333, 4444}), small = Floats({1});
  const Container before = calls(large, large), after = calls(small, large);
  const FileDiff diff = Diff(before, after);
  EXPECT_EQ(RowTexts(diff, true), RowTexts(Diff(after, before), false));
  EXPECT_NE(MeaningOf(diff, "call", "one aten::cat").find("argument 7: float32[1]"), std::string::npos);
}

TEST(DiffFiles, ComparesNoMethodThatAnotherOfItsNameHides) {
  ProgramBuilder once, twice;
  AddCall(once.Method("forward"), {Floats({1})});
  AddCall(twice.Method("forward"), {Floats({1})});
  AddCall(twice.Method("forward"), {Floats({2})});
  const Container before = once.Open(), after = twice.Open();
  const FileDiff diff = Diff(before, after), back = Diff(after, before);
  EXPECT_EQ(RowTexts(diff, true), RowTexts(back, false));
  EXPECT_EQ(MeaningOf(diff, "call", "forward aten::cat"), "none");
}

TEST(DiffFiles, TellsWhoReadsAChangedWeight) {
  const FileDiff diff = Diff(OpenFile(DataPath("diff/mlp.pte")), OpenFile(DataPath("diff/mlp_tuned.pte")));
  EXPECT_EQ(*RowOf(diff, "forward.constant_2")->used_by,
            std::vector<SharedText>{std::string("forward aten::permute_copy.out argument 0")});
  EXPECT_EQ(RowOf(diff, "forward.constant_2")->uses, 1U);
  const FileDiff blobs = Diff(OpenFile(DataPath("diff/mlp_xnn.pte")), OpenFile(DataPath("diff/mlp_xnn_tuned.pte")));
  const auto changed = std::find_if(blobs.sizes.begin(), blobs.sizes.end(),
                                    [](const SizeChange& one) { return one.is_weight && !one.used_by->empty(); });
  ASSERT_NE(changed, blobs.sizes.end());
  EXPECT_EQ(*changed->used_by, std::vector<SharedText>{std::string("forward XnnpackBackend_0")});
}

TEST(DiffFiles, TellsTheFirstEightReadersInTheOrderOfCalls) {
  ProgramBuilder before, after;
  for (ProgramBuilder* builder : {&before, &after}) {
    builder->Method("forward").Constant(Floats({2}), BytesOf<float>({1, builder == &before ? 2.0F : 3.0F}));
    for (int i = 0; i < 9; ++i) {
      builder->Operator("aten::op" + std::to_string(i), "out");
      auto& calls = builder->LastPlan().chains.items[0].instructions.items;
      std::get<tables::KernelCall>(calls.back().instr_args).args = tables::Vector<int32_t>::Own({0});
    }
  }
  const FileDiff diff = Diff(before.Open(), after.Open());
  const SizeChange* row = RowOf(diff, "forward.constant_0");
  ASSERT_NE(row, nullptr);
  EXPECT_EQ(row->uses, 9U);
  ASSERT_EQ(row->used_by->size(), 8U);
  EXPECT_EQ(row->used_by->front(), std::string("forward aten::op0.out argument 0"));
  EXPECT_EQ(row->used_by->back(), std::string("forward aten::op7.out argument 0"));
}

TEST(DiffFiles, TellsWhatRuntimesNeed) {
  const FileDiff diff = Diff(OpenFile(DataPath("diff/mlp_xnn.pte")), OpenFile(DataPath("diff/mlp_xnn_q8.pte")));
  EXPECT_EQ(MeaningOf(diff, "release", ""), "0.6 > 0.7");
  EXPECT_EQ(MeaningOf(diff, "needs", "XNNPACK datatype 'qdint8'"), " > 0.2");
  const auto row = std::find_if(diff.sizes.begin(), diff.sizes.end(), [](const SizeChange& change) {
    return change.old_type == "float32[32,32]" && change.new_type == "int8[32,32]";
  });
  EXPECT_NE(row, diff.sizes.end());
}

TEST(DiffFiles, TellsDataFilesAndTheirKeys) {
  const Container whole = OpenFile(DataPath("f08/a_portable_base.pte"));
  const Result<SplitResult> split = SplitProgram(whole, {});
  ASSERT_TRUE(split);
  const Container program = *Container::Open(split->program.AsSource("small.pte"));
  const Container data = *Container::Open(split->data.front().AsSource("weights.ptd"));
  const Result<FileDiff> diff = DiffFiles(whole, {program, {data}});
  ASSERT_TRUE(diff);
  EXPECT_EQ(MeaningOf(*diff, "data files", ""), "0 > 1");
  EXPECT_EQ(diff->weights.changed + diff->weights.added + diff->weights.removed, 0U);
}

TEST(DiffFiles, SeesNoOtherWeightsWhereBytesOnlyMove) {
  for (const char* name : {"f07/gpt_xnn.pte", "f06/mixed.pte", "f12/tied_portable.pte", "f08/e_multi_xnn.pte"}) {
    const Container file = OpenFile(DataPath(name));
    const Result<StripResult> strip = Strip(file, {});
    ASSERT_TRUE(strip) << name;
    const FileDiff diff = Diff(file, *Container::Open(strip->file.AsSource("stripped.pte")));
    ExpectAddsUp(diff);
    EXPECT_EQ(diff.weights.changed + diff.weights.added + diff.weights.removed, 0U) << name;
    EXPECT_TRUE(diff.meaning.empty()) << name;
    EXPECT_EQ(diff.delegates.same, DescribeDelegates(file)->size()) << name;
  }
}

TEST(DiffFiles, TellsKeysWithHashesBehindANameByTheName) {
  const std::string old_hash(64, 'a'), new_hash(64, 'b');
  ProgramBuilder before, after;
  before.NamedData("p_w_" + old_hash, Pattern(64, 1)).NamedData("p_x_" + old_hash, Pattern(64, 2));
  after.NamedData("p_x_" + new_hash, Pattern(64, 3)).NamedData("p_w_" + new_hash, Pattern(64, 4));
  const FileDiff diff = Diff(before.Open(), after.Open());
  EXPECT_EQ(WordsOf(diff, "Named Data"), (Words{"changed p_w 64>64", "changed p_x 64>64"}));
}

TEST(DiffFiles, TakesNoNameOfACheckpointForTheKeyOfAnother) {
  const std::vector<uint8_t> weight = Pattern(64, 1), other = Pattern(32, 2);
  const std::string hash(64, 'a');
  const Container before = DataFileBuilder().Key(hash, weight, Floats({16})).Key("fc", other, Floats({8})).Open();
  const ContentNames names({{"fc", weight.size(), hash, {16}}});
  const FileDiff diff = Diff(*names.Name(before), DataFileBuilder().Key("fc", other, Floats({8})).Open());
  const auto removed =
      std::find_if(diff.sizes.begin(), diff.sizes.end(), [](const SizeChange& one) { return one.is_weight; });
  ASSERT_NE(removed, diff.sizes.end());
  EXPECT_STREQ(removed->change, "removed");
  EXPECT_EQ(removed->name, "fc");
  EXPECT_EQ(removed->old_type, "float32[16]");
}

TEST(DiffFiles, RefusesWhatIsNoDataFile) {
  const Container program = OpenFile(DataPath("f02_linear.pte"));
  const auto diff = DiffFiles({program, {program}}, program);
  ASSERT_FALSE(diff);
  EXPECT_EQ(diff.error().code, ErrorCode::kInvalidArgument);
}

TEST(DiffFiles, RefusesFilesOfTwoKinds) {
  const auto diff = DiffFiles(OpenFile(DataPath("f04/w.ptd")), OpenFile(DataPath("f02_linear.pte")));
  ASSERT_FALSE(diff);
  EXPECT_EQ(diff.error().code, ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace pteedit::diff_test
