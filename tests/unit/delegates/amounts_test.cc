// Small files that multiply what they have: each is refused by a limit that the message names, or costs no more than
// others.
#include <gtest/gtest.h>

#include "coreml_folders.h"
#include "file_contents.h"
#include "program_builder.h"
#include "pteedit/delegates.h"
#include "pteedit/profile/graph.h"

namespace pteedit::amounts_test {
namespace {

using test::ProgramBuilder;

std::string MessageOf(const Result<Container>& opened) { return opened ? "accepted" : opened.error().message; }

// `words` are a part of the message, which also names the limit.
void ExpectLimit(const Result<Container>& opened, const std::string& words, const std::string& limit) {
  ASSERT_FALSE(opened) << "accepted, expected: " << words;
  EXPECT_EQ(opened.error().code, ErrorCode::kUnsupported);
  EXPECT_NE(opened.error().message.find(words), std::string::npos) << opened.error().message;
  EXPECT_NE(opened.error().message.find("(ParseLimits::" + limit + ")"), std::string::npos) << opened.error().message;
}

void ExpectListedTooOften(const ProgramBuilder& program) {
  ExpectLimit(test::OpenBytes(program.Bytes()), "listing names, texts and arguments would take more than ",
              "max_listing_factor");
}

TEST(Bundles, InBundlesAreRefusedAtTheFirst) {
  std::vector<uint8_t> bytes = ProgramBuilder().Method("forward").Bytes();
  for (int i = 0; i < 3000; ++i) bytes = test::BundleBytes(bytes);
  EXPECT_EQ(MessageOf(test::OpenBytes(bytes)), "bundle holds something that is not a program");
}

TEST(Listing, OfALongMethodNameForEachValueIsRefused) {
  ProgramBuilder program;
  program.Method(std::string(100'000, 'm'));
  for (int i = 0; i < 100; ++i) program.Constant(test::Floats({1}), test::Pattern(4, 1));
  ExpectListedTooOften(program);
}

TEST(Listing, OfOneTextForEachOutputIsRefused) {
  ProgramBuilder program;
  program.Method("get_text");
  tables::String text;
  text.value = tables::OwnText(std::string(100'000, 't'));
  program.LastPlan().values.items.push_back({std::move(text)});
  program.LastPlan().outputs = tables::Vector<int32_t>::Own(std::vector<int32_t>(1000));
  ExpectListedTooOften(program);
}

TEST(Listing, OfOneListForEachCallIsRefused) {
  ProgramBuilder program;
  program.Method("forward").Constant(test::Floats({1}), test::Pattern(4, 1));
  tables::TensorList list;
  list.value = tables::Vector<int32_t>::Own(std::vector<int32_t>(10'000));
  program.LastPlan().values.items.push_back({std::move(list)});
  program.LastPlan().operators = {true, {{tables::OwnText("cat"), {}}}};
  tables::KernelCall call;
  call.args = tables::Vector<int32_t>::Own({1});
  program.LastPlan().chains.items.emplace_back().instructions = {
      true, std::vector<tables::Instruction>(1000, tables::Instruction{call})};
  ExpectListedTooOften(program);
}

TEST(Contents, ThatOverlapWithoutEndAreRefused) {
  constexpr int kCount = 100, kBytes = 1 << 20;
  ProgramBuilder program;
  program.Method("forward").AddBuffer(test::Pattern(kBytes + 4 * kCount, 1));
  std::vector<uint64_t> offsets{0};
  for (int i = 0; i < kCount; ++i) {
    offsets.push_back(static_cast<uint64_t>(4 * i));
    program.Tensor(static_cast<uint32_t>(i + 1), test::Floats({kBytes / 4}));
  }
  program.tables.constant_segment->offsets = tables::Vector<uint64_t>::Own(offsets);
  ExpectLimit(test::OpenBytes(program.Bytes()), "contents overlap so often that together they have more than ",
              "max_content_factor");
}

TEST(Contents, ThatBeginAtOnePlaceCountOnce) {
  ProgramBuilder program;
  program.Method("forward").AddBuffer(test::Pattern(1 << 20, 1));
  for (int i = 0; i < 100; ++i) program.Tensor(1, test::Floats({(1 << 18) - i}));
  EXPECT_EQ(MessageOf(test::OpenBytes(program.Bytes())), "accepted");
}

TEST(MutableSegments, AreNotManyMoreThanRuntimesRead) {
  ProgramBuilder program;
  program.Method("forward").State(test::Floats({1}), test::Pattern(4, 1));
  const tables::SubsegmentOffsets part = program.tables.mutable_data_segments.items[0];
  program.tables.mutable_data_segments.items.assign(257, part);
  ExpectLimit(test::OpenBytes(program.Bytes()), "program has 257 mutable data segments, at most 256 are supported ",
              "max_mutable_segments");
}

// Delegates that share a Core ML blob with so many operators.
Container SharedCoreml(size_t delegates, size_t operators) {
  std::string model;
  for (size_t i = 0; i < operators; ++i) model += test::MilOperator("linear", "y");
  ProgramBuilder program;
  program.Method("forward").Delegate("CoreMLBackend",
                                     test::Folder({{"model.mlpackage/Data/com.apple.CoreML/model.mlmodel",
                                                    test::MilModelOf(test::MilFunctionOf("main", model))}}));
  tables::ExecutionPlan& plan = program.LastPlan();
  plan.delegates.items.resize(delegates, plan.delegates.items[0]);
  return program.Open("m.pte");
}

TEST(SharedBlobs, AreListedForEachDelegate) {
  const auto rows = DescribeDelegates(SharedCoreml(3, 2));
  ASSERT_TRUE(rows);
  ASSERT_EQ(rows->size(), 3U);
  for (const DelegateDescription& row : *rows)
    EXPECT_EQ(row.contents->operators, (std::vector<std::string>{"linear", "linear"}));
}

TEST(SharedBlobs, AreNotListedWithoutEnd) {
  const auto rows = DescribeDelegates(SharedCoreml(1000, 1000));
  ASSERT_FALSE(rows);
  EXPECT_EQ(rows.error().code, ErrorCode::kUnsupported);
  EXPECT_NE(
      rows.error().message.find("listing what is in blobs for each delegate that shares them would take more than "),
      std::string::npos)
      << rows.error().message;
}

TEST(SharedBlobs, AreNotListedForEachCallWithoutEnd) {
  std::string model;
  for (int i = 0; i < 1000; ++i) model += test::MilOperator("linear", "y");
  ProgramBuilder program;
  program.Method("forward").Delegate("CoreMLBackend",
                                     test::Folder({{"model.mlpackage/Data/com.apple.CoreML/model.mlmodel",
                                                    test::MilModelOf(test::MilFunctionOf("main", model))}}));
  program.LastPlan().chains.items.emplace_back().instructions = {
      true, std::vector<tables::Instruction>(1000, tables::Instruction{tables::DelegateCall{}})};
  const Container file = program.Open("m.pte");
  const auto graphs = DescribeGraphs(file, *DescribeDelegates(file));
  ASSERT_FALSE(graphs);
  EXPECT_NE(graphs.error().message.find("operators of delegates at each call"), std::string::npos);
}

}  // namespace
}  // namespace pteedit::amounts_test
