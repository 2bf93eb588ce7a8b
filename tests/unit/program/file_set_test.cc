// A program with its data files: what is refused together.
#include "program/file_set.h"

#include <gtest/gtest.h>

#include "file_contents.h"
#include "program_builder.h"

namespace pteedit::file_set_test {
namespace {

using test::DataFileBuilder;
using test::Floats;
using test::LayoutWith;
using test::Pattern;
using test::ProgramBuilder;
using test::Words;

Container NeedsW(const TensorLayout& layout = Floats({4})) {
  return ProgramBuilder().External("w", layout).Open("m.pte");
}

void ExpectRefused(const Container& program, const std::vector<Container>& data, const std::string& words,
                   ErrorCode code) {
  const Status checked = CheckTogether({program, data});
  EXPECT_EQ(Words(checked), words);
  ASSERT_FALSE(checked);
  EXPECT_EQ(checked.error().code, code);
}

TEST(CheckTogether, TakesFilesWithoutContradiction) {
  const std::vector<Container> data{DataFileBuilder().Key("w", Pattern(16, 1), Floats({4})).Open(),
                                    DataFileBuilder().Key("blob", Pattern(5, 2)).Key("unused", {}).Open()};
  const Status checked = CheckTogether({NeedsW(), data});
  EXPECT_TRUE(checked) << Words(checked);
}

TEST(CheckTogether, NeedsTheKeysOfExternalTensors) {
  ExpectRefused(NeedsW(), {}, "m.pte: needs key 'w' from a data file, and none is given", ErrorCode::kUnsupported);
  ExpectRefused(NeedsW(), {DataFileBuilder().Key("v", {}).Open()},
                "m.pte: needs key 'w' from a data file, and none of the given has it", ErrorCode::kUnsupported);
}

TEST(CheckTogether, NeedsTheKeyOfATensorWithoutBytesToo) {
  const Container program = NeedsW(Floats({0}));
  EXPECT_FALSE(CheckTogether(program));
  EXPECT_TRUE(CheckTogether({program, {DataFileBuilder().Key("w", {}, Floats({0})).Open()}}));
}

TEST(CheckTogether, DoesNotTakeTheProgramsOwnKeys) {
  const Container program = ProgramBuilder().External("w", Floats({4})).NamedData("w", Pattern(16, 1)).Open("m.pte");
  ExpectRefused(program, {}, "m.pte: needs key 'w' from a data file, and none is given", ErrorCode::kUnsupported);
}

TEST(CheckTogether, RefusesAKeyInTwoFiles) {
  const std::vector<Container> data{DataFileBuilder().Key("k", {1}).Open("a.ptd"),
                                    DataFileBuilder().Key("k", {1}).Open("b.ptd")};
  ExpectRefused(ProgramBuilder().Open(), data,
                "b.ptd: key 'k' also exists in a.ptd; the runtime refuses such files together", ErrorCode::kMalformed);
}

TEST(CheckTogether, RefusesAFileTwice) {
  const Container data = DataFileBuilder().Key("k", {1}).Open("a.ptd");
  ExpectRefused(ProgramBuilder().Open(), {data, data},
                "a.ptd: key 'k' also exists in a.ptd; the runtime refuses such files together", ErrorCode::kMalformed);
}

TEST(CheckTogether, RefusesAKeyTwiceInAFile) {
  ExpectRefused(ProgramBuilder().Open(), {DataFileBuilder().Key("k", {1}).Key("k", {1}).Open("a.ptd")},
                "a.ptd: key 'k' occurs twice", ErrorCode::kMalformed);
}

TEST(CheckTogether, RefusesATensorWithoutLayout) {
  ExpectRefused(NeedsW(), {DataFileBuilder().Key("w", Pattern(16, 1)).Open("a.ptd")},
                "a.ptd: key 'w' of a tensor has no layout; the runtime crashes on it", ErrorCode::kMalformed);
}

TEST(CheckTogether, RefusesAnotherLayout) {
  const TensorLayout transposed{6, {2, 2}, {1, 0}};
  for (const TensorLayout& layout : {LayoutWith(3, {2, 2}), Floats({4}), transposed}) {
    ExpectRefused(NeedsW(Floats({2, 2})), {DataFileBuilder().Key("w", Pattern(16, 1), layout).Open("a.ptd")},
                  "a.ptd: key 'w' has another element type, size or dim order than in m.pte", ErrorCode::kMalformed);
  }
}

TEST(CheckTogether, ChecksEveryValueThatUsesAKey) {
  const Container program = ProgramBuilder().External("w", Floats({4})).External("w", Floats({2, 2})).Open("m.pte");
  ExpectRefused(program, {DataFileBuilder().Key("w", Pattern(16, 1), Floats({4})).Open("a.ptd")},
                "a.ptd: key 'w' has another element type, size or dim order than in m.pte", ErrorCode::kMalformed);
}

TEST(CheckTogether, RefusesUnknownElementTypes) {
  const TensorLayout unknown = LayoutWith(99, {4});
  ExpectRefused(NeedsW(unknown), {DataFileBuilder().Key("w", Pattern(16, 1), unknown).Open("a.ptd")},
                "a.ptd: key 'w' has an unknown element type", ErrorCode::kUnsupported);
}

TEST(CheckTogether, RefusesASegmentShorterThanItsTensor) {
  ExpectRefused(NeedsW(), {DataFileBuilder().Key("w", Pattern(15, 1), Floats({4})).Open("a.ptd")},
                "a.ptd: key 'w' has 15 bytes, its tensor needs 16", ErrorCode::kMalformed);
  EXPECT_TRUE(CheckTogether({NeedsW(), {DataFileBuilder().Key("w", Pattern(17, 1), Floats({4})).Open()}}));
}

TEST(CheckTogether, RefusesAProgramsKeyWithOtherBytes) {
  const Container program = ProgramBuilder().NamedData("k", Pattern(16, 1)).Open("m.pte");
  ExpectRefused(program, {DataFileBuilder().Key("k", Pattern(16, 2)).Open("a.ptd")},
                "a.ptd: key 'k' also exists in m.pte with different contents", ErrorCode::kMalformed);
  EXPECT_TRUE(CheckTogether({program, {DataFileBuilder().Key("k", Pattern(16, 1)).Open()}}));
}

}  // namespace
}  // namespace pteedit::file_set_test
