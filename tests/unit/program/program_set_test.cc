#include "pteedit/program_set.h"

#include <gtest/gtest.h>

#include "file_contents.h"
#include "program_builder.h"
#include "test_files.h"

namespace pteedit::program_set_test {
namespace {

using test::DataFileBuilder;
using test::Pattern;
using test::ProgramBuilder;

TEST(ProgramSet, FindsKeysInDataFilesFirst) {
  const Container program =
      ProgramBuilder().NamedData("a", Pattern(16, 1)).NamedData("b", Pattern(16, 2)).Open("m.pte");
  const Container one = DataFileBuilder().Key("b", Pattern(16, 2)).Key("c", Pattern(16, 3)).Open("one.ptd");
  const Container two = DataFileBuilder().Key("c", Pattern(16, 4)).Open("two.ptd");
  const ProgramSet set(program, {one, two});
  EXPECT_EQ(set.Find("a")->file->name(), "m.pte");
  EXPECT_EQ(set.Find("b")->file->name(), "one.ptd");
  EXPECT_EQ(set.Find("c")->file->name(), "one.ptd");
  EXPECT_EQ(set.Find("c")->entry->key, "c");
  EXPECT_FALSE(set.Find("d"));
  EXPECT_EQ(ProgramSet(program).Find("b")->file->name(), "m.pte");
}

TEST(ProgramSet, ListsTheFirstPlaceOfEachKeyOfItsDataFiles) {
  const std::vector<Container> data{DataFileBuilder().Key("w", Pattern(16, 1)).Open(),
                                    DataFileBuilder().Key("w", {}).Key("blob", Pattern(5, 2)).Open()};
  const ProgramSet set(ProgramBuilder().NamedData("inside", Pattern(4, 1)).Open(), data);
  ASSERT_EQ(set.data_keys().size(), 2U);
  EXPECT_EQ(set.data_keys()[0].key(), "blob");
  EXPECT_EQ(set.FindInData("w")->file, 0U);
  EXPECT_EQ(set.FindInData("blob")->file, 1U);
  EXPECT_EQ(set.FindInData("blob")->entry, &set.data()[1].named_data()[1]);
  EXPECT_EQ(set.FindInData("inside"), nullptr);
}

TEST(ProgramSet, HasTheProgramInABundle) {
  const ProgramSet bundle(test::OpenFile(test::DataPath("f11_bundled_xnn.bpte")));
  EXPECT_EQ(bundle.file().kind(), FileKind::kBundle);
  EXPECT_EQ(bundle.program().kind(), FileKind::kProgram);
  const ProgramSet inside = bundle.Inside();
  EXPECT_EQ(inside.file().kind(), FileKind::kProgram);
  EXPECT_TRUE(inside.Find(inside.program().named_data().front().key));
}

TEST(ProgramSet, CountsTheBytesOfAllFiles) {
  const Container program = ProgramBuilder().Open("m.pte");
  const Container data = DataFileBuilder().Key("k", Pattern(16, 1)).Open("d.ptd");
  EXPECT_EQ(ProgramSet(program, {data}).bytes(), program.source()->size() + data.source()->size());
}

}  // namespace
}  // namespace pteedit::program_set_test
