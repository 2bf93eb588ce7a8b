#include "pteedit/strip.h"

#include <gtest/gtest.h>

#include "program_builder.h"
#include "strip_files.h"

namespace pteedit::strip_test {
namespace {

using namespace pteedit::test;

TEST(Strip, DebugRemovesStackTracesAndNothingElse) {
  const Container before = OpenFile(DataPath("f10_stacktrace.pte"));
  const StrippedFile stripped = Stripped(before, StripOnly(&StripOptions::debug));
  ASSERT_EQ(stripped.removed(), Names{"stack-traces forward"});

  EXPECT_EQ(stripped.report.items[0].from, before.name());
  EXPECT_EQ(stripped.report.items[0].to, "");
  tables::Program expected = UnpackProgram(before.tables(), kAnyBlobAlignment);
  for (tables::Chain& chain : expected.execution_plan.items[0].chains.items) {
    EXPECT_FALSE(chain.stacktrace.items.empty());
    chain.stacktrace = {};
  }
  tables::Program found = stripped.tables();
  found.segments = expected.segments = {};
  EXPECT_TRUE(TableText::Of(found) == TableText::Of(expected));
  EXPECT_EQ(NamedBytes(before), NamedBytes(stripped.file));
}

TEST(Strip, LeavesFilesWithoutStackTracesAlone) {
  for (const char* name : {"f02_linear.pte", "f09/kv_init.pte", "old/0.1_inline.pte"}) {
    EXPECT_TRUE(Stripped(OpenFile(DataPath(name)), StripOnly(&StripOptions::debug)).report.items.empty()) << name;
  }
}

TEST(Strip, PaddingDropsGapsAndTrailingBytes) {
  std::vector<uint8_t> bytes = ProgramBuilder().NamedData("a", Pattern(20, 1)).NamedData("b", Pattern(20, 2)).Bytes();
  bytes.resize(bytes.size() + 1000);
  const auto before = Container::Open(MakeMemorySource("p.pte", bytes));
  const StrippedFile stripped = Stripped(*before, StripOnly(&StripOptions::padding));
  EXPECT_EQ(stripped.removed(), Names{"padding"});
  EXPECT_EQ(stripped.report.items[0].bytes, before->source()->size() - stripped.file.source()->size());
  EXPECT_GE(stripped.report.items[0].bytes, 1000U);
  ASSERT_EQ(stripped.report.notes.size(), 1U);
  EXPECT_EQ(stripped.report.notes[0], "1000 bytes behind the last segment of p.pte belong to nothing and are left out");
  ExpectSameModel({*before, {}}, {stripped.file, {}});
  EXPECT_EQ(NamedBytes(*before), NamedBytes(stripped.file));
}

TEST(Strip, PaddingDropsGapsBetweenBuffers) {
  ProgramBuilder program;
  program.Constant(Floats({4}), Pattern(16, 1));
  std::vector<uint8_t>& segment = program.segments.contents[0];
  segment.resize(segment.size() + 4096);
  program.Constant(Floats({4}), Pattern(16, 2));
  program.LastPlan().outputs = Ints({0, 1});
  const Container before = program.Open();
  EXPECT_TRUE(Stripped(before, StripOptions()).report.items.empty());
  const StrippedFile stripped = Stripped(before, StripOnly(&StripOptions::padding));
  EXPECT_EQ(stripped.file.segments()[0].size, 32U);
  ExpectSameModel({before, {}}, {stripped.file, {}});
}

// A plan of it has a segment more than the program, since the key has none with bytes.
TEST(Strip, PaddingGoesFromAProgramWhoseConstantsGetASegmentOfTheirOwn) {
  ProgramBuilder program;
  program.Method("forward").Constant(Floats({0}), {}).NamedData("a", Pattern(20, 1));
  program.tables.named_data.items.push_back({tables::OwnText("b"), 0});
  std::vector<uint8_t> bytes = program.Bytes();
  bytes.resize(bytes.size() + 1000);
  const auto before = Container::Open(MakeMemorySource("p.pte", bytes));
  ASSERT_EQ(before->segments().size(), 2U);
  ASSERT_EQ(before->segments()[0].size, 0U);
  const StrippedFile stripped = Stripped(*before, StripOnly(&StripOptions::padding));
  EXPECT_EQ(stripped.removed(), Names{"padding"});
  EXPECT_EQ(stripped.file.segments().size(), 3U);
  EXPECT_EQ(NamedBytes(*before), NamedBytes(stripped.file));
}

TEST(Strip, PaddingKeepsAlignments) {
  for (const uint64_t alignment : {uint64_t{16}, uint64_t{1024}, uint64_t{4096}}) {
    ProgramBuilder program;
    program.segments.alignment = alignment;
    program.Constant(Floats({4}), Pattern(16, 1)).NamedData("a", Pattern(20, 1)).NamedData("b", Pattern(20, 2));
    std::vector<uint8_t> bytes = program.Bytes();
    bytes.resize(bytes.size() + 5);
    const auto before = Container::Open(MakeMemorySource("p.pte", bytes));
    const StrippedFile stripped = Stripped(*before, StripOnly(&StripOptions::padding));
    EXPECT_LT(stripped.file.source()->size(), bytes.size());
    for (const Extent& segment : stripped.file.segments()) EXPECT_EQ(segment.offset % alignment, 0U) << alignment;
  }
}

TEST(Strip, AlignRaisesAndSaysWhatItCosts) {
  StripOptions options;
  options.min_alignment = 4096;
  ProgramBuilder program;
  program.Tensor(0, Floats({4})).NamedData("a", Pattern(20, 1)).NamedData("b", Pattern(20, 2));
  program.LastPlan().inputs = Ints({0});
  const Container before = program.Open();
  const StrippedFile stripped = Stripped(before, options);
  for (const Extent& segment : stripped.file.segments()) EXPECT_EQ(segment.offset % 4096, 0U);
  const uint64_t growth = stripped.file.source()->size() - before.source()->size();
  ASSERT_EQ(stripped.report.notes.size(), 1U);
  EXPECT_EQ(stripped.report.notes[0],
            "alignment to 4096 makes the file larger by " + std::to_string(growth) + " bytes");
}

TEST(Strip, LeavesUnalignedFilesAloneWhereNothingGoes) {
  ProgramBuilder program;
  program.segments.alignment = 1;
  program.NamedData("a", Pattern(21, 1)).NamedData("b", Pattern(20, 2));
  EXPECT_TRUE(Stripped(program.Open(), StripOptions()).report.items.empty());
}

TEST(Strip, DedupeReportsCopies) {
  ProgramBuilder program;
  program.NamedData("a", Pattern(500, 1)).NamedData("b", Pattern(500, 1));
  const Container before = program.Open();
  const StrippedFile stripped = Stripped(before, StripOnly(&StripOptions::dedupe));
  EXPECT_EQ(stripped.removed(), Names{"named-data b"});
  EXPECT_EQ(stripped.report.items[0].key, "b");
  EXPECT_EQ(stripped.report.notes, Names{"1 content was a copy of another and is now stored once"});
  EXPECT_EQ(NamedBytes(before), NamedBytes(stripped.file));
}

TEST(Strip, DataFilesLoseSegmentsWithoutAKeyAndCopies) {
  DataFileBuilder data;
  data.Key("a", Pattern(100, 1), Floats({25})).Key("b", Pattern(100, 1));
  data.segments.Add(Pattern(300, 2));
  data.Key("c", Pattern(64, 3));
  const StrippedFile all = Stripped(data.Open(), StripEverything());
  EXPECT_EQ(all.removed(), (Names{"segment 2", "named-data b"}));
  EXPECT_EQ(NamedBytes(all.file), NamedBytes(data.Open()));
  EXPECT_EQ(all.file.segments().size(), 2U);
  EXPECT_EQ(all.report.min_runtime, "0.7");
  EXPECT_EQ(Stripped(data.Open(), StripOptions()).removed(), Names{"segment 2"});
}

TEST(Strip, DataFilesKeepTheOrderOfTheirEntries) {
  DataFileBuilder data;
  data.Key("z", Pattern(100, 1)).Key("b", Pattern(90, 2)).Key("y", Pattern(100, 1)).Key("a", Pattern(300, 3));
  data.segments.Add(Pattern(300, 4));
  const StrippedFile all = Stripped(data.Open(), StripEverything());
  Names keys;
  for (const NamedEntry& entry : all.file.named_data()) keys.emplace_back(entry.key);
  EXPECT_EQ(keys, (Names{"z", "b", "y", "a"}));
}

TEST(Strip, KeepsTheBundleAroundItsProgram) {
  const Container before = OpenFile(DataPath("f11_bundled_portable.bpte"));
  Stripped(before, StripEverything());
  ProgramBuilder program;
  program.segments.Add(Pattern(600, 1));
  const auto bundle = Container::Open(MakeMemorySource("b.bpte", BundleBytes(program.Bytes())));
  ASSERT_TRUE(bundle) << Words(bundle);
  const StrippedFile stripped = Stripped(*bundle, StripOptions());
  EXPECT_EQ(stripped.removed(), Names{"segment 1"});
  EXPECT_EQ(stripped.file.kind(), FileKind::kBundle);
  EXPECT_EQ(TestCasesText(stripped.file), TestCasesText(*bundle));
}

TEST(Strip, UnwrapTakesTheProgramOut) {
  const Container bundle = OpenFile(DataPath("f11_bundled_portable.bpte"));
  const StrippedFile stripped = Stripped(bundle, StripOnly(&StripOptions::unwrap));
  EXPECT_EQ(stripped.removed(), Names{"bundle"});
  EXPECT_EQ(stripped.report.items[0].bytes, bundle.source()->size() - stripped.file.source()->size());
  EXPECT_EQ(BytesOf(stripped.file), BytesOf(*bundle.program()));
  StripOptions both = StripEverything();
  both.unwrap = true;
  EXPECT_EQ(Stripped(bundle, both).file.kind(), FileKind::kProgram);
}

TEST(Strip, RefusesToUnwrapWhatIsNoBundle) {
  StripOptions options;
  options.unwrap = true;
  EXPECT_EQ(Words(Strip(OpenFile(DataPath("f02_linear.pte")), options)),
            DataPath("f02_linear.pte") + ": is no bundled program, so there is nothing to unwrap");
}

TEST(Strip, RefusesWhatARewriteWouldLose) {
  ProgramBuilder program;
  program.NamedData("a", Pattern(20, 1)).NamedData("a", Pattern(20, 2));
  EXPECT_EQ(Words(Strip(program.Open(), {})), "built.pte: key 'a' occurs twice");
}

TEST(Strip, SaysWhatTheResultNeeds) {
  ProgramBuilder program;
  program.External("k", Floats({4}));
  program.LastPlan().inputs = Ints({0});
  const StrippedFile stripped = Stripped(program.Open(), {});
  EXPECT_EQ(stripped.report.min_runtime, "0.6");
  EXPECT_EQ(stripped.report.data_files, 1U);
}

}  // namespace
}  // namespace pteedit::strip_test
