#include "pteedit/diff.h"

#include <gtest/gtest.h>

#include "program_builder.h"
#include "pteedit/split.h"
#include "pteedit/strip.h"
#include "split_files.h"
#include "test_files.h"

namespace pteedit {
namespace {

using test::DataPath;
using test::Floats;
using test::OpenFile;
using test::Pattern;
using test::ProgramBuilder;
using Words = std::vector<std::string>;

FileDiff Diff(const Container& before, const Container& after) {
  Result<FileDiff> diff = DiffFiles(before, after);
  EXPECT_TRUE(diff) << (diff ? "" : diff.error().message);
  return *diff;
}

// Whatever changed, the growth of all rows is that of the file.
void ExpectAddsUp(const FileDiff& diff) {
  uint64_t growth = 0;  // wraps
  for (const SizeChange& change : diff.sizes) growth += change.new_bytes - change.old_bytes;
  EXPECT_EQ(growth, diff.new_bytes - diff.old_bytes);
}

Words WordsOf(const FileDiff& diff, const std::string& what) {
  Words words;
  for (const SizeChange& change : diff.sizes) {
    if (change.what != what) continue;
    const std::string from = change.old_name.empty() ? "" : " from " + change.old_name;
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

TEST(DiffFiles, AddsUpBetweenAnyTwoFiles) {
  const std::vector<std::string> names = {"f08/a_portable_base.pte", "f08/a_portable_v0.pte", "f08/b_xnn_v0.pte",
                                          "f08/b_xnn_v1.pte",        "f06/mixed.pte",         "f17/opaque.pte"};
  for (const std::string& before : names) {
    for (const std::string& after : names) {
      const FileDiff diff = Diff(OpenFile(DataPath(before)), OpenFile(DataPath(after)));
      ExpectAddsUp(diff);
      EXPECT_EQ(diff.is_same(), before == after) << before << " " << after;
    }
  }
}

TEST(DiffFiles, MatchesByNameThenByContent) {
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
  EXPECT_EQ(WordsOf(diff, "Named Data"), Words{"renamed w from forward.constant_0 64>64"});
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
    return one.delegate == "XnnpackBackend_0" && one.name == "XNNFullyConnected";
  });
  ASSERT_NE(change, diff.operators.end());
  EXPECT_LT(change->old_calls, change->new_calls);
}

TEST(DiffFiles, SeesWeightsThatMoveToADataFile) {
  const Container whole = OpenFile(DataPath("f08/a_portable_base.pte"));
  const Result<SplitResult> split = SplitProgram(whole, {});
  ASSERT_TRUE(split) << split.error().message;
  const Container program = *Container::Open(split->program.AsSource("small.pte"));
  const Container data = *Container::Open(split->data->AsSource("weights.ptd"));
  const Result<FileDiff> diff = DiffFiles(whole, {program, {data}});
  ASSERT_TRUE(diff) << diff.error().message;
  ExpectAddsUp(*diff);
  EXPECT_EQ(diff->new_bytes, program.source()->size() + data.source()->size());
  for (const SizeChange& change : diff->sizes) {
    EXPECT_EQ(change.change == std::string("renamed"), change.what == "Tensors") << change.name;
    EXPECT_NE(change.change, std::string("removed")) << change.name;
  }
  const Result<FileDiff> back = DiffFiles({program, {data}}, {program, {data}});
  EXPECT_TRUE(back->is_same());
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
}  // namespace pteedit
