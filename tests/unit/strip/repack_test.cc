// Tables that are written anew, with what is equal in them once.
#include <gtest/gtest.h>

#include "program_builder.h"
#include "strip_files.h"

namespace pteedit::repack_test {
namespace {

using namespace pteedit::test;

// Two methods with the same hundred numbers.
Container WithEqualValues() {
  ProgramBuilder program;
  for (const char* name : {"a", "b"}) {
    program.Method(name).External("w", Floats({4}));
    for (int64_t i = 0; i < 100; ++i) program.LastPlan().values.items.push_back(ValueOf(tables::Int{{7}}));
    program.LastPlan().outputs = Ints({1, 2});
  }
  return program.Open();
}

tables::Program TablesOf(const Container& file) { return UnpackProgram(file.tables(), kAnyBlobAlignment); }

TEST(Repack, WritesEqualTablesOnce) {
  const Container before = WithEqualValues();
  const StrippedFile repacked = Stripped(before, StripOnly(&StripOptions::repack));
  ASSERT_EQ(repacked.removed(), Names{"tables"});
  EXPECT_EQ(repacked.report.items[0].bytes, before.tables().size - repacked.file.tables().size);
  EXPECT_LT(repacked.file.tables().size, before.tables().size / 2);
  EXPECT_TRUE(TablesOf(repacked.file).shares_tables);
  EXPECT_FALSE(TablesOf(before).shares_tables);
  EXPECT_TRUE(TableText::Of(TablesOf(repacked.file)) == TableText::Of(TablesOf(before)));
}

TEST(Repack, TellsNumbersApartThatAreEqualAndNotTheSame) {
  ProgramBuilder program;
  program.Method("forward");
  std::vector<tables::EValue>& values = program.LastPlan().values.items;
  for (const double number : {0.0, -0.0, 0.0, -0.0, 1.0, 1.0}) values.push_back(ValueOf(tables::Double{{number}}));
  for (const uint8_t number : std::vector<uint8_t>{0, 1, 0, 1}) values.push_back(ValueOf(tables::Bool{{number}}));
  for (const int64_t number : std::vector<int64_t>{0, 1, 0, 1}) values.push_back(ValueOf(tables::Int{{number}}));
  program.LastPlan().outputs = Ints({0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13});
  const Container before = program.Open();
  const StrippedFile repacked = Stripped(before, StripOnly(&StripOptions::repack));
  EXPECT_EQ(repacked.removed(), Names{"tables"});
  EXPECT_TRUE(TableText::Of(TablesOf(repacked.file)) == TableText::Of(TablesOf(before)));
}

TEST(Repack, AnEditOfOneUserOfASharedTableLeavesTheOther) {
  const StrippedFile repacked = Stripped(WithEqualValues(), StripOnly(&StripOptions::repack));
  tables::Program edited = TablesOf(repacked.file);
  std::get<tables::Int>(edited.execution_plan.items[0].values.items[5].val).value = 8;
  const std::vector<uint8_t> bytes = test::BytesOf(*PackProgram(edited));
  const tables::Program read = UnpackProgram({bytes.data(), bytes.size()}, kAnyBlobAlignment);
  EXPECT_TRUE(TableText::Of(read) == TableText::Of(edited));
  EXPECT_TRUE(read.shares_tables);
}

// What a later rewrite writes shares tables as well, so that nothing grows.
TEST(Repack, LaterRewritesKeepIt) {
  const Container before = OpenFile(DataPath("f10_stacktrace.pte"));
  StripOptions both = StripOnly(&StripOptions::repack);
  both.debug = true;
  const StrippedFile at_once = Stripped(before, both);
  EXPECT_EQ(at_once.removed(), (Names{"stack-traces forward", "tables"}));
  const StrippedFile repacked = Stripped(before, StripOnly(&StripOptions::repack));
  EXPECT_TRUE(BytesOf(Stripped(repacked.file, StripOnly(&StripOptions::debug)).file) == BytesOf(at_once.file));
}

TEST(Repack, RealTablesBecomeAnEighthSmaller) {
  uint64_t before = 0, after = 0;
  for (const std::string& path : AllModelFiles()) {
    const Container file = OpenFile(path);
    const Container inner = file.program() != nullptr ? *file.program() : file;
    const auto repacked = Strip(inner, StripOnly(&StripOptions::repack));
    if (!repacked) continue;  // what no rewrite takes
    const Container opened = Opened(repacked->file);
    EXPECT_LE(opened.tables().size, inner.tables().size) << path;
    before += inner.tables().size;
    after += opened.tables().size;
  }
  EXPECT_LT(after, before - before / 8);
}

TEST(Repack, WritesTheListsOfDataFilesOnce) {
  const Container file = OpenFile(DataPath("f08/c_portable_v0_lora.ptd"));
  const StrippedFile repacked = Stripped(file, StripOnly(&StripOptions::repack));
  EXPECT_EQ(repacked.removed(), Names{"tables"});
  EXPECT_EQ(NamedBytes(repacked.file), NamedBytes(file));
}

}  // namespace
}  // namespace pteedit::repack_test
