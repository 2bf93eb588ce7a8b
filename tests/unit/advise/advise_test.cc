#include "pteedit/advise.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <variant>

#include "program_builder.h"
#include "pteedit/strip.h"
#include "strip_files.h"

namespace pteedit::advise_test {
namespace {

using test::DataPath;
using test::Floats;
using test::LayoutWith;
using test::OpenFile;
using test::Pattern;
using test::ProgramBuilder;

std::vector<Advice> AdviceFor(const Container& file, const std::vector<Container>& data = {}) {
  const auto delegates = DescribeDelegates({file, data});
  auto advice = Advise(
      {file, data}, [&] { return &*delegates; }, 2);
  EXPECT_TRUE(advice) << (advice ? "" : advice.error().message);
  return *advice;
}

std::set<std::string> IdsOf(const std::vector<Advice>& advice) {
  std::set<std::string> ids;
  for (const Advice& one : advice) ids.insert(one.id);
  return ids;
}

Advice Find(const std::vector<Advice>& advice, const std::string& id) {
  const auto found = std::find_if(advice.begin(), advice.end(), [&](const Advice& one) { return one.id == id; });
  EXPECT_NE(found, advice.end()) << id;
  return found == advice.end() ? Advice() : *found;
}

bool HasRemedy(const Advice& advice) { return !std::holds_alternative<std::monostate>(advice.remedy); }

uint64_t SavedBy(const Container& file, bool StripOptions::*member) {
  StripOptions options;
  options.debug = options.unreferenced = false;
  options.*member = true;
  return file.source()->size() - Strip(file, options)->file.size();
}

TEST(Advise, HasNothingToSayOfAFileAsItShouldBe) {
  StripOptions repack;
  repack.repack = true;
  const Container packed =
      *Container::Open(Strip(OpenFile(DataPath("f02_linear.pte")), repack)->file.AsSource("m.pte"));
  EXPECT_TRUE(AdviceFor(packed).empty());
  EXPECT_TRUE(AdviceFor(OpenFile(DataPath("f04/w.ptd"))).empty());
}

TEST(Advise, PromisesWhatTheCommandSaves) {
  const Container traces = OpenFile(DataPath("f10_stacktrace.pte"));
  const Advice debug = Find(AdviceFor(traces), "stack-traces");
  EXPECT_EQ(debug.saves, SavedBy(traces, &StripOptions::debug));
  EXPECT_TRUE(std::get<StripOptions>(debug.remedy).debug);
  EXPECT_FALSE(std::get<StripOptions>(debug.remedy).unreferenced);
  const Container bundle = OpenFile(DataPath("f11_bundled_xnn.bpte"));
  const Advice unwrap = Find(AdviceFor(bundle), "bundle");
  EXPECT_EQ(unwrap.saves, SavedBy(bundle, &StripOptions::unwrap));
  EXPECT_TRUE(std::get<StripOptions>(unwrap.remedy).unwrap);
}

TEST(Advise, TellsOptionsApartAndWhatTheySaveTogether) {
  ProgramBuilder builder;
  builder.Constant(Floats({16, 64}), Pattern(4096, 1)).Constant(Floats({16, 64}), Pattern(4096, 1));
  builder.Constant(Floats({16, 32}), Pattern(2048, 2));  // nothing uses it
  builder.LastPlan().inputs = test::Ints({0, 1});
  const Container file = builder.Open();
  const std::vector<Advice> advice = AdviceFor(file);
  EXPECT_EQ(IdsOf(advice), (std::set<std::string>{"all-of-these", "duplicates", "unreferenced"}));
  const Advice duplicates = Find(advice, "duplicates");
  EXPECT_EQ(duplicates.saves, SavedBy(file, &StripOptions::dedupe));
  EXPECT_EQ(duplicates.message, "a copy of other contents: constant 'forward.constant_1'");
  EXPECT_EQ(Find(advice, "unreferenced").saves, SavedBy(file, &StripOptions::unreferenced));
  EXPECT_STREQ(advice[0].id, "all-of-these");
  EXPECT_GT(advice[0].saves, duplicates.saves);
}

TEST(Advise, FindsBytesBehindTheEnd) {
  std::vector<uint8_t> bytes = test::ReadBytes(DataPath("f02_linear.pte"));
  bytes.resize(bytes.size() + 1000);
  EXPECT_EQ(Find(AdviceFor(*test::OpenBytes(bytes)), "padding").saves, 1000U);
}

TEST(Advise, FindsWhatTwoStoresHold) {
  const Advice split = Find(AdviceFor(OpenFile(DataPath("f06/mixed.pte"))), "two-stores");
  EXPECT_EQ(split.saves, 8240U);
  EXPECT_TRUE(std::get<SplitOptions>(split.remedy).selection.match.empty());
  // Here the data file's own tables take more than the weight.
  const Advice tied = Find(AdviceFor(OpenFile(DataPath("f12/tied_xnn.pte"))), "two-stores");
  EXPECT_FALSE(tied.saves);
  EXPECT_FALSE(HasRemedy(tied));
  EXPECT_EQ(tied.takes, 144U);
}

TEST(Advise, OffersOneFileWithOneCopyForWhatTwoStoresHold) {
  const std::string path = DataPath("f06/mixed.pte");
  const Advice overlap = Find(AdviceFor(OpenFile(path)), "overlap");
  StripOptions options = test::StripOnly(&StripOptions::dedupe);
  options.overlap = true;
  const auto stripped = Strip(OpenFile(path), options);
  ASSERT_TRUE(stripped);
  EXPECT_EQ(overlap.saves, OpenFile(path).source()->size() - stripped->file.size());
  EXPECT_TRUE(std::get<StripOptions>(overlap.remedy).overlap);
  EXPECT_NE(overlap.message.find("promises it nowhere"), std::string::npos) << overlap.message;
  EXPECT_EQ(IdsOf(AdviceFor(test::Opened(stripped->file))).count("overlap"), 0U);
}

TEST(Advise, FindsWhatADataFileHoldsToo) {
  const std::vector<Container> data = {OpenFile(DataPath("f06/xnn_shared.ptd"))};
  const Advice known = Find(AdviceFor(OpenFile(DataPath("f06/xnn.pte")), data), "in-data-file");
  EXPECT_GT(known.saves, 10000U);
  EXPECT_EQ(std::get<SplitOptions>(known.remedy).selection.match.files.size(), 1U);
  EXPECT_EQ(IdsOf(AdviceFor(OpenFile(DataPath("f06/xnn.pte")))), std::set<std::string>{"repeated-tables"});
}

TEST(Advise, FindsTablesThatAreWrittenAgain) {
  const Container file = OpenFile(DataPath("f07/gpt_xnn.pte"));
  const Advice again = Find(AdviceFor(file), "repeated-tables");
  EXPECT_EQ(again.saves, SavedBy(file, &StripOptions::repack));
  EXPECT_TRUE(std::get<StripOptions>(again.remedy).repack);
}

TEST(Advise, FindsFloatWeightsBesideQuantizedOnes) {
  ProgramBuilder builder;
  builder.Constant(LayoutWith(1, {64, 64}), Pattern(4096, 1)).Constant(Floats({16, 64}), Pattern(4096, 2));
  builder.Constant(Floats({8, 8}), Pattern(256, 3)).Constant(Floats({64}), Pattern(256, 4));
  const Advice floats = Find(AdviceFor(builder.Open()), "float32");
  EXPECT_EQ(floats.takes, 4096U + 256U);  // one dimension is a bias or a scale
  EXPECT_FALSE(floats.saves);
  EXPECT_FALSE(HasRemedy(floats));
  EXPECT_NE(floats.message.find("2 float32 weights beside 4.10 KB of quantized ones"), std::string::npos)
      << floats.message;
  EXPECT_NE(floats.message.find("forward.constant_1"), std::string::npos) << floats.message;
  const Advice blobs = Find(AdviceFor(OpenFile(DataPath("f07/gpt_xnn_q8.pte"))), "float32");
  EXPECT_EQ(blobs.takes, 160U * 32 * 4 + 32 * 32 * 4 * 2);
}

TEST(Advise, FindsWeightsThatAreQuantizedInEachRun) {
  const Advice unfolded = Find(AdviceFor(OpenFile(DataPath("delegation/gpt_xnnpack_q8_seed.pte"))), "unfolded");
  EXPECT_FALSE(HasRemedy(unfolded));
  EXPECT_GT(unfolded.takes, 0U);
  // Here inputs are quantized, and weights are already.
  for (const char* name : {"f07/mlp_q8_portable.pte", "f07/gpt_xnn_q8.pte", "f17/ethosu.pte", "f02_linear.pte"})
    EXPECT_EQ(IdsOf(AdviceFor(OpenFile(DataPath(name)))).count("unfolded"), 0U) << name;
}

// A method whose planned tensors, of 4000 bytes, call each other: tensor 0 is the input.
class Calls {
 public:
  explicit Calls(size_t tensors) {
    builder_.Method("forward");
    for (size_t i = 0; i < tensors; ++i) {
      builder_.Tensor(0, Floats({1000}));
      builder_.TensorAt(i).allocation_info = tables::AllocationDetails{1, static_cast<uint32_t>(4000 * i), 0};
    }
    plan().inputs = tables::Vector<int32_t>::Own({0});
    plan().operators.present = true;
    plan().chains.items.emplace_back().instructions.present = true;
    SetArena(4000 * tensors);
  }

  Calls& Call(const std::string& op, std::vector<int32_t> args) {
    tables::KernelCall call;
    call.op_index = static_cast<int32_t>(plan().operators.items.size());
    call.args = tables::Vector<int32_t>::Own(std::move(args));
    plan().operators.items.push_back({tables::OwnText(op), tables::OwnText("out")});
    plan().chains.items[0].instructions.items.push_back({call});
    return *this;
  }

  Calls& SetArena(size_t bytes) {
    plan().non_const_buffer_sizes = tables::Vector<int64_t>::Own({0, static_cast<int64_t>(bytes)});
    return *this;
  }

  std::vector<Advice> Advised() const { return AdviceFor(builder_.Open()); }

 private:
  tables::ExecutionPlan& plan() { return builder_.LastPlan(); }
  ProgramBuilder builder_;
};

TEST(Advise, FindsMemoryThatIsPlannedFarBeyondWhatIsNeeded) {
  Calls chain(8);
  for (int32_t i = 0; i < 7; ++i) chain.Call("relu", {i, i + 1, i + 1});
  const Advice memory = Find(chain.Advised(), "planned-memory");
  EXPECT_EQ(memory.takes, 32000U);
  EXPECT_FALSE(HasRemedy(memory));
  EXPECT_NE(memory.message.find("'forward', whose tensors need 12.00 KB at once"), std::string::npos) << memory.message;
  EXPECT_EQ(IdsOf(chain.SetArena(24000).Advised()).count("planned-memory"), 0U);  // twice as much
}

// As caches do, which nothing writes before it is read.
TEST(Advise, CountsWhatOutlastsARunAsNeeded) {
  Calls caches(6);
  for (int32_t i = 1; i < 6; ++i) caches.Call("copy_", {i, 0, i});
  EXPECT_EQ(IdsOf(caches.Advised()).count("planned-memory"), 0U);
  Calls read(6);
  for (int32_t i = 1; i < 5; ++i) read.Call("add", {i, 0, 5, 5});
  EXPECT_EQ(IdsOf(read.Advised()).count("planned-memory"), 0U);
}

TEST(Advise, FindsWhatIsComputedAgain) {
  Calls masks(6);
  masks.Call("triu", {0, 1, 1}).Call("triu", {0, 2, 2}).Call("exp", {1, 3, 3}).Call("exp", {2, 4, 4});
  const Advice advice = Find(masks.Advised(), "computed-again");
  EXPECT_EQ(advice.takes, 8000U);
  EXPECT_FALSE(HasRemedy(advice));
  EXPECT_NE(advice.message.find("2 results"), std::string::npos) << advice.message;
  EXPECT_NE(advice.message.find("float32[1000] of 'triu.out'"), std::string::npos) << advice.message;
}

TEST(Advise, TakesOnlyEqualResultsForComputedAgain) {
  for (const char* op : {"rand_like", "empty_like"})
    EXPECT_EQ(IdsOf(Calls(3).Call(op, {0, 1, 1}).Call(op, {0, 2, 2}).Advised()).count("computed-again"), 0U) << op;
  Calls others(4);  // another operator, other arguments, and in place
  others.Call("exp", {0, 1, 1}).Call("log", {0, 2, 2}).Call("exp", {1, 3, 3}).Call("add_", {3, 0, 3});
  others.Call("add_", {3, 0, 3});
  EXPECT_EQ(IdsOf(Calls(5).Call("exp", {1, 3, 3}).Call("exp", {2, 4, 4}).Advised()).count("computed-again"), 0U);
  EXPECT_EQ(IdsOf(others.Advised()).count("computed-again"), 0U);
}

// 4-byte elements, larger than a tile, rows and columns exchanged.
std::vector<uint8_t> Transposed(const std::vector<uint8_t>& bytes, size_t rows, size_t columns) {
  std::vector<uint8_t> result(bytes.size());
  for (size_t i = 0; i < rows; ++i) {
    for (size_t j = 0; j < columns; ++j) std::copy_n(&bytes[(i * columns + j) * 4], 4, &result[(j * rows + i) * 4]);
  }
  return result;
}

TEST(Advise, FindsWeightsThatAreStoredAgainTransposed) {
  const std::vector<uint8_t> wide = Pattern(520 * 7 * 4, 1), square = Pattern(16 * 16 * 4, 2);
  std::vector<uint8_t> nearly = Transposed(wide, 7, 520);
  nearly[nearly.size() / 2] ^= 1;
  ProgramBuilder builder;
  builder.Constant(Floats({7, 520}), wide).Constant(Floats({520, 7}), Transposed(wide, 7, 520));
  builder.Constant(Floats({16, 16}), square).Constant(Floats({16, 16}), Transposed(square, 16, 16));
  builder.Constant(Floats({520, 7}), nearly);
  builder.Constant(Floats({8, 8}), std::vector<uint8_t>(256)).Constant(Floats({8, 8}), std::vector<uint8_t>(256));
  const Advice advice = Find(AdviceFor(builder.Open()), "transposed");
  EXPECT_EQ(advice.takes, wide.size() + square.size());
  EXPECT_FALSE(advice.saves);
  EXPECT_NE(advice.message.find("2 weights"), std::string::npos) << advice.message;
  EXPECT_NE(advice.message.find("'forward.constant_1' of 'forward.constant_0'"), std::string::npos) << advice.message;
}

TEST(Advise, FindsInlineConstantsAndLargeAlignments) {
  const Advice in_tables = Find(AdviceFor(OpenFile(DataPath("old/0.1_inline.pte"))), "inline-constants");
  EXPECT_EQ(in_tables.takes, 288U);
  EXPECT_TRUE(std::get<CopyOptions>(in_tables.remedy).upgrade);
  const Advice alignment = Find(AdviceFor(OpenFile(DataPath("f14/seg16k_xnn.pte"))), "alignment");
  EXPECT_GT(alignment.takes, 100000U);
  EXPECT_NE(alignment.message.find("16384"), std::string::npos);
  EXPECT_EQ(IdsOf(AdviceFor(OpenFile(DataPath("f14/seg64_xnn.pte")))), std::set<std::string>());
}

TEST(Advise, CountsAnInlineConstantOnceWhateverItsLayouts) {
  ProgramBuilder builder;
  builder.tables.constant_segment.reset();
  builder.tables.constant_buffer = {true, {{}, {{test::Bytes(std::vector<uint8_t>(24)), 16}}}};
  builder.Method("forward").Tensor(1, Floats({2, 3})).Tensor(1, Floats({6}));
  EXPECT_EQ(Find(AdviceFor(builder.Open()), "inline-constants").takes, 24U);
}

TEST(Advise, IsSortedByWhatItSaves) {
  for (const std::string& path : test::AllModelFiles()) {
    const std::vector<Advice> advice = AdviceFor(OpenFile(path));
    EXPECT_TRUE(std::is_sorted(advice.begin(), advice.end(), [](const Advice& a, const Advice& b) {
      return std::pair(a.saves.value_or(0), a.takes) > std::pair(b.saves.value_or(0), b.takes);
    })) << path;
    for (const Advice& one : advice) {
      const bool mends_alone = one.id == std::string("inline-constants");  // and saves nothing
      EXPECT_EQ(one.saves.has_value(), HasRemedy(one) && !mends_alone) << path;
      EXPECT_GT(one.takes, 0U) << path;
    }
  }
}

}  // namespace
}  // namespace pteedit::advise_test
