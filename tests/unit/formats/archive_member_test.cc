#include "pteedit/archive_member.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "zip_builder.h"

namespace pteedit::archive_member_test {
namespace {

using test::ZipBuilder;
using test::ZipTestEntry;

std::shared_ptr<const Source> ArchiveOf(const std::vector<ZipTestEntry>& entries) {
  return MakeMemorySource("m.etm", ZipBuilder().Build(entries));
}

TEST(ArchiveMember, DataFilesComeInTheOrderOfTheDirectory) {
  const auto names = DataMembers(ArchiveOf({{"model.pte", "p"},
                                            {"weights/b.ptd", "b"},
                                            {"weights/a.ptd", "a"},
                                            {"weights/notes.txt", "n"},
                                            {"other/c.ptd", "c"}}));
  ASSERT_TRUE(names);
  EXPECT_EQ(*names, (std::vector<std::string>{"weights/b.ptd", "weights/a.ptd"}));
}

TEST(ArchiveMember, WhatHasNoProgramHasNoDataFiles) {
  EXPECT_TRUE(DataMembers(ArchiveOf({{"weights/a.ptd", "a"}}))->empty());
  EXPECT_TRUE(DataMembers(MakeMemorySource("m.pte", std::vector<uint8_t>(100)))->empty());
  EXPECT_TRUE(DataMembers(MakeMemorySource("m.etm", {'P', 'K', 3, 4, 0}))->empty());
}

TEST(ArchiveMember, AMemberThatIsPackedIsRefused) {
  const auto archive = ArchiveOf({{"model.pte", "p"}, {"weights/a.ptd", "a", 0, 0, /*method=*/8}});
  const auto member = OpenMember(archive, "weights/a.ptd");
  ASSERT_FALSE(member);
  EXPECT_EQ(member.error().code, ErrorCode::kUnsupported);
  EXPECT_EQ(member.error().message, "member 'weights/a.ptd' is not stored as it is");
}

}  // namespace
}  // namespace pteedit::archive_member_test
