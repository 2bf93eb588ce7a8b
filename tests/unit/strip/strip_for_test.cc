// Data files that are stripped for the programs that are loaded with them.
#include <gtest/gtest.h>

#include "program_builder.h"
#include "strip_files.h"

namespace pteedit::strip_for_test {
namespace {

using namespace pteedit::test;

const std::string kHash(64, 'a');
const std::string kBinding = "pteedit.base/" + std::string(40, '7');

StripOptions For(std::vector<Container> programs) {
  StripOptions options;
  options.debug = options.unreferenced = false;
  options.programs = std::move(programs);
  return options;
}

Container ProgramThatReads(const std::string& key, const std::string& name = "a.pte") {
  return ProgramBuilder().External(key, Floats({4})).Open(name);
}

DataFileBuilder Weights() {
  DataFileBuilder data;
  data.Key("w.1", Pattern(16, 1), Floats({4})).Key("w.2", Pattern(16, 2), Floats({4})).Key(kHash, Pattern(16, 3));
  return data.Key("app.tokenizer", Pattern(16, 4));
}

Names KeysOf(const Container& file) {
  Names keys;
  for (const NamedEntry& entry : file.named_data()) keys.emplace_back(entry.key);
  return keys;
}

TEST(StripFor, DropsKeysThatNoProgramUses) {
  const StrippedFile one = Stripped(Weights().Open(), For({ProgramThatReads("w.2")}));
  EXPECT_EQ(one.removed(), (Names{"named-data w.1", "named-data " + kHash, "named-data app.tokenizer"}));
  EXPECT_EQ(one.report.items[0].key, "w.1");
  EXPECT_EQ(KeysOf(one.file), Names{"w.2"});
  EXPECT_EQ(one.file.segments().size(), 1U);
  EXPECT_EQ(KeysOf(Stripped(Weights().Open(), For({ProgramThatReads("w.2"), ProgramThatReads("w.1")})).file),
            (Names{"w.1", "w.2"}));
}

TEST(StripFor, CountsUnusedValuesSinceTheRuntimeLooksForTheirKeysToo) {
  ProgramBuilder program;
  program.External("w.1", Floats({4})).External("w.2", Floats({4}));
  program.LastPlan().outputs = Ints({0});
  EXPECT_EQ(KeysOf(Stripped(Weights().Open(), For({program.Open()})).file), (Names{"w.1", "w.2"}));
}

TEST(StripFor, KeepsWhatABlobMentionsAndWhatItMayReadUnseen) {
  ProgramBuilder program;
  program.Method("more").Delegate("Unknown", TextBytes("reads " + kHash + " here"));
  const StrippedFile stripped = Stripped(Weights().Open(), For({ProgramThatReads("w.2"), program.Open("more.pte")}));
  EXPECT_EQ(stripped.removed(), Names{"named-data w.1"});  // of which a tensor would read the layout
  ASSERT_EQ(stripped.report.skipped.size(), 1U);
  EXPECT_EQ(stripped.report.skipped[0].name, "app.tokenizer");
  EXPECT_EQ(stripped.report.skipped[0].reason,
            "no program mentions it, but delegate 'Unknown_0' of 'more.pte' may read keys unseen");
}

TEST(StripFor, KeepsAContentThatAnotherKeyHas) {
  DataFileBuilder data;
  data.Key("w.1", Pattern(500, 1), Floats({125})).Key("w.2", Pattern(500, 1), Floats({125}));
  data.tables.named_data.items[1].segment_index = 0;
  const StrippedFile stripped = Stripped(data.Open(), For({ProgramThatReads("w.2")}));
  EXPECT_EQ(NamedBytes(stripped.file).at("w.2"), Pattern(500, 1));
  EXPECT_EQ(stripped.removed(), (Names{"named-data w.1", "segment 1"}));
  EXPECT_EQ(stripped.report.items[0].bytes, 0U);
}

TEST(StripFor, KeepsAllKeysOfAFileToWhichAProgramIsBound) {
  const Container data = Weights().Key(kBinding, {}, LayoutWith(0, {0})).Open();
  ProgramBuilder program;
  program.External("w.2", Floats({4})).External(kBinding, LayoutWith(0, {0}));
  const StrippedFile stripped = Stripped(data, For({program.Open("bound.pte")}));
  EXPECT_TRUE(stripped.removed().empty());
  ASSERT_EQ(stripped.report.skipped.size(), 3U);
  EXPECT_EQ(stripped.report.skipped[0].reason, "'bound.pte' is bound to the file with all its keys");
  EXPECT_EQ(KeysOf(Stripped(data, For({ProgramThatReads("w.2")})).file), Names{"w.2"});
}

TEST(StripFor, RefusesWhatWouldLeaveNothing) {
  const Container data = Weights().Open("w.ptd");
  EXPECT_EQ(Words(Strip(data, For({ProgramThatReads("other")}))),
            "w.ptd: nothing would be left: none of its keys is used by 'a.pte'");
  EXPECT_EQ(Words(Strip(data, For({ProgramThatReads("other"), ProgramThatReads("third", "c.pte")}))),
            "w.ptd: nothing would be left: none of its keys is used by 'a.pte' or the other programs");
}

TEST(StripFor, IsOfDataFilesForPrograms) {
  const Container data = Weights().Open("w.ptd"), program = ProgramThatReads("w.1");
  EXPECT_EQ(Words(Strip(program, For({program}))),
            "a.pte: is no data file; only one of these can be stripped for programs such as 'a.pte'");
  EXPECT_EQ(Strip(program, For({program})).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(Strip(data, For({data})).error().code, ErrorCode::kInvalidArgument);
}

// XNNPACK's graphs list their keys: each program of a family keeps what it needs of the file that all share.
TEST(StripFor, RealFamiliesKeepWhatTheirGraphsRead) {
  const Container program = OpenFile(DataPath("f08/c_xnn_v0.pte"));
  const Container foundation = OpenFile(DataPath("f08/c_xnn_base_foundation.ptd"));
  EXPECT_TRUE(Stripped(foundation, For({program})).removed().empty());
}

}  // namespace
}  // namespace pteedit::strip_for_test
