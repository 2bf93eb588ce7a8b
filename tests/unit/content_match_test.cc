#include "split/content_match.h"

#include <gtest/gtest.h>

#include "colliding_contents.h"
#include "program_builder.h"

namespace pteedit {
namespace {

using test::DataFileBuilder;
using test::Floats;
using test::Pattern;
using test::ProgramBuilder;

bool Holds(const std::vector<Container>& files, const std::vector<uint8_t>& bytes,
           const std::vector<std::string>& names = {}) {
  const auto source = MakeMemorySource("s", bytes);
  const Result<bool> found = ContentMatch(files).Contains(*source, {0, bytes.size()}, names);
  EXPECT_TRUE(found);
  return *found;
}

TEST(ContentMatch, FindsConstantsStatesAndKeysOfAProgram) {
  ProgramBuilder program;
  program.Constant(Floats({16}), Pattern(64, 1)).State(Floats({16}), Pattern(64, 2)).NamedData("k", Pattern(70, 3));
  const std::vector<Container> files{program.Open()};
  EXPECT_TRUE(Holds(files, Pattern(64, 1)));
  EXPECT_TRUE(Holds(files, Pattern(64, 2)));
  EXPECT_TRUE(Holds(files, Pattern(70, 3)));
  EXPECT_FALSE(Holds(files, Pattern(64, 4)));
  EXPECT_FALSE(Holds(files, Pattern(63, 1)));
}

TEST(ContentMatch, FindsEntriesOfADataFile) {
  DataFileBuilder data;
  data.Key("tensor", Pattern(80, 1), Floats({16})).Key("blob", Pattern(80, 2));
  const std::vector<Container> files{data.Open()};
  EXPECT_TRUE(Holds(files, Pattern(80, 2)));
  std::vector<uint8_t> tensor = Pattern(80, 1);
  tensor.resize(64);  // the segment is longer than the tensor
  EXPECT_TRUE(Holds(files, tensor));
  EXPECT_FALSE(Holds(files, Pattern(80, 1)));
}

TEST(ContentMatch, FindsWhatIsInsideABundle) {
  ProgramBuilder program;
  program.Constant(Floats({16}), Pattern(64, 1));
  const auto bundle = test::OpenBytes(test::BundleBytes(program.Bytes()));
  ASSERT_TRUE(bundle);
  EXPECT_TRUE(Holds({*bundle}, Pattern(64, 1)));
}

TEST(ContentMatch, LooksIntoAllFiles) {
  DataFileBuilder first, second;
  first.Key("a", Pattern(64, 1));
  second.Key("b", Pattern(64, 2));
  EXPECT_TRUE(Holds({first.Open(), second.Open()}, Pattern(64, 2)));
}

TEST(ContentMatch, Below64BytesTheNameMustBeTheSameToo) {
  DataFileBuilder data;
  data.Key("fc.bias", Pattern(63, 1)).Key("fc.weight", Pattern(64, 2));
  const std::vector<Container> files{data.Open()};
  EXPECT_FALSE(Holds(files, Pattern(63, 1)));
  EXPECT_FALSE(Holds(files, Pattern(63, 1), {"fc.weight"}));
  EXPECT_TRUE(Holds(files, Pattern(63, 1), {"alias", "fc.bias"}));
  EXPECT_FALSE(Holds(files, Pattern(63, 3), {"fc.bias"}));
  EXPECT_TRUE(Holds(files, Pattern(64, 2), {"other"}));
}

TEST(ContentMatch, IsNotFooledByEqualHashes) {
  const auto [a, b] = test::CollidingContents();
  DataFileBuilder data;
  data.Key("a", a);
  EXPECT_TRUE(Holds({data.Open()}, a));
  EXPECT_FALSE(Holds({data.Open()}, b));
}

TEST(ContentMatch, IsEmptyWithoutFiles) {
  EXPECT_TRUE(ContentMatch({}).empty());
  EXPECT_FALSE(ContentMatch({ProgramBuilder().Open()}).empty());
  EXPECT_FALSE(Holds({}, Pattern(64, 1)));
}

}  // namespace
}  // namespace pteedit
