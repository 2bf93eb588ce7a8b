#include "diff/content_match.h"

#include <gtest/gtest.h>

#include "colliding_contents.h"
#include "counted_source.h"
#include "program_builder.h"

namespace pteedit::content_match_test {
namespace {

using test::CountedSource;
using test::DataFileBuilder;
using test::Floats;
using test::Pattern;
using test::ProgramBuilder;

bool Holds(const std::vector<Container>& files, const std::vector<uint8_t>& bytes,
           const std::vector<std::string>& names = {}) {
  std::vector<NamedContent> wanted(1);
  wanted[0].place = {MakeMemorySource("s", bytes), {0, bytes.size()}};
  wanted[0].names = names;
  const auto found = ContentMatch({files, {}}).Find(wanted, {}, 1);
  EXPECT_TRUE(found);
  return found->front();
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

TEST(ContentMatch, AnswersForManyContentsAtOnceAndReadsEachByteOnce) {
  constexpr size_t kCount = 5000;
  DataFileBuilder data;
  std::vector<uint8_t> own;
  for (size_t i = 0; i < kCount; ++i) {
    const std::vector<uint8_t> bytes = Pattern(20, static_cast<uint32_t>(i % 2 == 0 ? i : i + kCount));
    data.Key("k" + std::to_string(i), Pattern(20, static_cast<uint32_t>(i)));
    own.insert(own.end(), bytes.begin(), bytes.end());
  }
  const CountedSource file(data.Bytes()), mine(std::move(own));
  const Result<Container> opened = Container::Open(file.source());
  ASSERT_TRUE(opened);
  const uint64_t tables_end = opened->segments().front().offset;
  std::vector<NamedContent> wanted;
  for (size_t i = 0; i < kCount; ++i) wanted.push_back({mine.place({i * 20, 20}), {"k" + std::to_string(i)}});
  for (const unsigned threads : {1U, 3U}) {
    const auto found = ContentMatch({{*opened}, {}}).Find(wanted, {}, threads);
    ASSERT_TRUE(found);
    for (size_t i = 0; i < kCount; ++i) EXPECT_EQ((*found)[i], i % 2 == 0) << i;
  }
  EXPECT_EQ(mine.most(), 2);  // once for each number of threads
  EXPECT_EQ(file.most({tables_end, file.size() - tables_end}), 2);
}

TEST(ContentMatch, OfManyEqualContentsEachIsFoundByItsOwnName) {
  DataFileBuilder data;
  for (const char* name : {"a", "b", "c"}) data.Key(name, Pattern(4, 1));
  const std::vector<Container> files{data.Open()};
  EXPECT_TRUE(Holds(files, Pattern(4, 1), {"c"}));
  EXPECT_FALSE(Holds(files, Pattern(4, 1), {"d"}));
}

TEST(ContentMatch, ReadsNothingOfASizeThatIsNotWanted) {
  DataFileBuilder data;
  data.Key("a", Pattern(70, 1)).Key("b", Pattern(80, 2));
  const CountedSource file(data.Bytes());
  const Result<Container> opened = Container::Open(file.source());
  ASSERT_TRUE(opened);
  EXPECT_FALSE(Holds({*opened}, Pattern(90, 1)));
  for (const Extent& segment : opened->segments()) EXPECT_EQ(file.most(segment), 0);
}

TEST(ContentMatch, IsEmptyWithoutFiles) {
  EXPECT_TRUE(ContentMatch({}).empty());
  EXPECT_FALSE(ContentMatch({{ProgramBuilder().Open()}, {}}).empty());
  EXPECT_FALSE(Holds({}, Pattern(64, 1)));
}

}  // namespace
}  // namespace pteedit::content_match_test
