#include "pteedit/duplicates.h"

#include <gtest/gtest.h>

#include "program_builder.h"

namespace pteedit::duplicates_test {
namespace {

using test::DataFileBuilder;
using test::Floats;
using test::Pattern;
using test::ProgramBuilder;
using Lines = std::vector<std::string>;

// "64 saves 64: 0 constant a, 1 data b".
Lines Words(const std::vector<Container>& files, unsigned threads = 1) {
  const Result<Duplicates> found = FindDuplicates(files, threads);
  EXPECT_TRUE(found) << (found ? "" : found.error().message);
  Lines lines;
  uint64_t sum = 0;
  for (const DuplicateGroup& group : found->groups) {
    std::string line = std::to_string(group.bytes) + " saves " + std::to_string(group.saved_bytes) + ":";
    for (const ContentCopy& copy : group.copies) {
      line += " " + std::to_string(copy.file) + " " + copy.what + " " + copy.name + ",";
    }
    lines.push_back(line);
    sum += group.saved_bytes;
  }
  EXPECT_EQ(sum, found->saved_bytes);
  return lines;
}

TEST(Duplicates, InsideAFile) {
  const std::vector<uint8_t> weight = Pattern(32, 1);
  const Container file = ProgramBuilder()
                             .Constant(Floats({8}), weight)
                             .Constant(Floats({2, 4}), weight)
                             .Constant(Floats({8}), Pattern(32, 2))
                             .State(Floats({8}), weight)
                             .Delegate("Backend", weight)
                             .NamedData("key", weight)
                             .Open();
  EXPECT_EQ(Words({file}),
            Lines{"32 saves 128: 0 constant forward.constant_0, 0 constant forward.constant_1, 0 mutable "
                  "forward.mutable_0, 0 delegate Backend_0, 0 named-data key,"});
}

TEST(Duplicates, AcrossFilesMostSavedFirst) {
  const Container program =
      ProgramBuilder().Constant(Floats({8}), Pattern(32, 1)).Constant(Floats({4}), Pattern(16, 2)).Open();
  const Container data =
      DataFileBuilder().Key("a", Pattern(16, 2)).Key("b", Pattern(16, 3)).Key("c", Pattern(32, 1)).Open();
  const Lines expected{"32 saves 64: 0 constant forward.constant_0, 1 data c, 2 constant forward.constant_0,",
                       "16 saves 32: 0 constant forward.constant_1, 1 data a, 2 constant forward.constant_1,"};
  EXPECT_EQ(Words({program, data, program}), expected);
  EXPECT_EQ(Words({program, data, program}, 4), expected);
}

TEST(Duplicates, WhatSharesAPlaceIsOneCopy) {
  ProgramBuilder program;
  const uint32_t buffer = program.AddBuffer(Pattern(32, 1));
  program.Tensor(buffer, Floats({8})).Tensor(buffer, Floats({2, 4}));
  EXPECT_EQ(Words({program.Open()}), Lines());
  EXPECT_EQ(Words({}), Lines());
}

TEST(Duplicates, EmptyContentsAreNone) {
  EXPECT_EQ(Words({DataFileBuilder().Key("a", {}).Key("b", {}).Open()}), Lines());
}

TEST(Duplicates, LooksIntoBundles) {
  const Container bundle = test::OpenFile(test::DataPath("f11_bundled_portable.bpte"));
  const Lines alone = Words({bundle});
  EXPECT_GT(Words({bundle, *bundle.program()}).size(), alone.size());
}

}  // namespace
}  // namespace pteedit::duplicates_test
