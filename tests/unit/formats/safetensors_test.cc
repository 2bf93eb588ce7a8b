#include "formats/safetensors.h"

#include <gtest/gtest.h>

#include "test_files.h"

namespace pteedit::safetensors_test {
namespace {

std::shared_ptr<const Source> FileOf(const std::string& header, size_t data_bytes) {
  std::vector<uint8_t> bytes;
  for (unsigned shift = 0; shift < 64; shift += 8) bytes.push_back(static_cast<uint8_t>(header.size() >> shift));
  bytes.insert(bytes.end(), header.begin(), header.end());
  bytes.resize(bytes.size() + data_bytes, 1);
  return MakeMemorySource("a.safetensors", std::move(bytes));
}

std::string Tensor(const std::string& name, const std::string& dtype, const std::string& shape,
                   const std::string& offsets) {
  return "\"" + name + "\": {\"dtype\": \"" + dtype + "\", \"shape\": " + shape + ", \"data_offsets\": " + offsets +
         "}";
}

std::string WhyNot(const std::shared_ptr<const Source>& source) {
  const auto header = ReadSafetensorsHeader(*source);
  return header ? "" : header.error().message;
}

std::string WhyNot(const std::string& tensors, size_t data_bytes) {
  return WhyNot(FileOf("{" + tensors + "}", data_bytes));
}

TEST(Safetensors, TellsNamesSizesAndPlacesInTheOrderOfTheHeader) {
  const std::string header = "{\"__metadata__\": {\"format\": \"pt\"}, " + Tensor("b", "F32", "[2, 3]", "[4, 28]") +
                             ", " + Tensor("a", "BF16", "[2]", "[0, 4]") + ", " + Tensor("s", "I64", "[]", "[28, 36]") +
                             "}  ";
  const auto read = ReadSafetensorsHeader(*FileOf(header, 36));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->metadata, (SafetensorsMetadata{{"format", "pt"}}));
  EXPECT_EQ(read->bytes, 8 + header.size());
  const std::vector<SafetensorsEntry>& entries = read->entries;
  ASSERT_EQ(entries.size(), 3U);
  EXPECT_EQ(entries[0].name, "b");
  EXPECT_EQ(entries[0].sizes, (std::vector<uint64_t>{2, 3}));
  EXPECT_EQ(entries[0].place, (Extent{8 + header.size() + 4, 24}));
  EXPECT_EQ(entries[1].place, (Extent{8 + header.size(), 4}));
  EXPECT_TRUE(entries[2].sizes.empty());
}

TEST(Safetensors, ReadsWhatTheLibraryWrote) {
  const auto header = ReadSafetensorsHeader(**OpenFileSource(test::DataPath("names/layers.safetensors")));
  ASSERT_TRUE(header) << header.error().message;
  EXPECT_EQ(header->entries.size(), 9U);
}

TEST(Safetensors, AreAsManyAsFitIntoTheHeader) {
  constexpr size_t kTensors = 250'000;
  std::string header = "{";
  for (size_t i = 0; i < kTensors; ++i)
    header += (i == 0 ? "" : ",") + Tensor(std::to_string(i), "F32", "[1, 0, 1]", "[0, 0]");
  const auto read = ReadSafetensorsHeader(*FileOf(header + "}", 0));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->entries.size(), kTensors);
}

TEST(Safetensors, HalfAByteIsAnElementToo) { EXPECT_EQ(WhyNot(Tensor("a", "F4", "[3, 2]", "[0, 3]"), 3), ""); }

TEST(Safetensors, EmptyTensorsLieAnywhere) {
  EXPECT_EQ(WhyNot(Tensor("a", "F32", "[0]", "[2, 2]") + ", " + Tensor("b", "U8", "[4]", "[0, 4]"), 4), "");
}

TEST(Safetensors, LengthsThatCannotBeAreNoSafetensors) {
  EXPECT_EQ(WhyNot(MakeMemorySource("a", {1, 2})), "no safetensors file: only 2 bytes");
  EXPECT_EQ(WhyNot(MakeMemorySource("a", std::vector<uint8_t>(8, 0xff))),
            "no safetensors file: its header would have 18446744073709551615 bytes, at most 100000000 expected");
  EXPECT_EQ(WhyNot(MakeMemorySource("a", {9, 0, 0, 0, 0, 0, 0, 0, '{', '}'})),
            "header ends at byte 17, after the end of the file (10 bytes)");
}

TEST(Safetensors, HeadersThatAreNoObjectsAreRefused) {
  EXPECT_EQ(WhyNot(FileOf("[]", 0)), "header is no JSON object");
  EXPECT_EQ(WhyNot(FileOf("{", 0)), "header is no JSON from byte 2 on");
}

TEST(Safetensors, WhatATensorLacksIsTold) {
  EXPECT_EQ(WhyNot("\"a\": {\"dtype\": \"F32\"}", 4), "tensor 'a' lacks 'dtype', 'shape' or the two 'data_offsets'");
  EXPECT_EQ(WhyNot(Tensor("a", "F32", "[-1]", "[0, 4]"), 4),
            "tensor 'a' lacks 'dtype', 'shape' or the two 'data_offsets'");
  EXPECT_EQ(WhyNot(Tensor("a", "X1", "[1]", "[0, 4]"), 4), "tensor 'a' has dtype 'X1', which is not known");
}

TEST(Safetensors, PlacesOutsideTheFileAreRefused) {
  EXPECT_EQ(WhyNot(Tensor("a", "U8", "[5]", "[0, 5]"), 4),
            "tensor 'a' ends at byte 5, after the end of the data (4 bytes)");
  EXPECT_EQ(WhyNot(Tensor("a", "U8", "[5]", "[4, 3]"), 4), "tensor 'a' ends at byte 3, before its begin (4)");
}

TEST(Safetensors, BytesThatTheShapeDoesNotTakeAreRefused) {
  const std::string why = "tensor 'a' has 4 bytes, which are not what its shape and dtype take";
  EXPECT_EQ(WhyNot(Tensor("a", "F32", "[2]", "[0, 4]"), 4), why);
  EXPECT_EQ(WhyNot(Tensor("a", "F32", "[4611686018427387904, 4, 2]", "[0, 4]"), 4), why);
}

TEST(Safetensors, TensorsThatOverlapAreRefused) {
  EXPECT_EQ(WhyNot(Tensor("a", "U8", "[3]", "[0, 3]") + ", " + Tensor("b", "U8", "[2]", "[2, 4]"), 4).substr(0, 20),
            "tensor 'b' begins at");
}

TEST(Safetensors, OneNameTwiceIsRefused) {
  EXPECT_EQ(WhyNot(Tensor("a", "U8", "[1]", "[0, 1]") + ", " + Tensor("a", "U8", "[1]", "[1, 2]"), 2),
            "header has tensor 'a' twice");
}

TEST(Safetensors, ATensorOfTooManyValuesIsRefused) {
  std::string shape = "[1";
  for (size_t i = 0; i < 200'000; ++i) shape += ",1";
  EXPECT_EQ(WhyNot(Tensor("a", "U8", "[1]", "[0, 1]") + ", " + Tensor("b", "U8", shape + "]", "[1, 2]"), 2),
            "header has a member 'b' of more than 200000 values");
}

}  // namespace
}  // namespace pteedit::safetensors_test
