#include "formats/npy.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace pteedit::npy_test {
namespace {

std::string Npy(const std::string& header, size_t elements, char version = 1) {
  std::string bytes = "\x93NUMPY";
  bytes += version;
  bytes += '\0';
  const size_t width = version == 1 ? 2 : 4;
  for (size_t i = 0; i < width; ++i) bytes += static_cast<char>(header.size() >> (8 * i) & 0xFF);
  return bytes + header + std::string(elements, 'x');
}

Result<NpyArray> Read(const std::string& bytes) {
  return ReadNpyHeader(*MakeMemorySource("a.npy", {bytes.begin(), bytes.end()}));
}

std::string WhyNot(const std::string& bytes) {
  const Result<NpyArray> array = Read(bytes);
  return array ? "is one" : array.error().message;
}

std::string WhyNotHeader(const std::string& header) { return WhyNot(Npy(header, 24)); }

TEST(Npy, ReadsWhatNumPyWritesInAllVersions) {
  const std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }      \n";
  for (const char version : {'\1', '\2', '\3'}) {
    const Result<NpyArray> array = Read(Npy(header, 24, version));
    ASSERT_TRUE(array) << array.error().message;
    EXPECT_EQ(array->dtype, "float32");
    EXPECT_EQ(array->sizes, (std::vector<uint64_t>{2, 3}));
    EXPECT_FALSE(array->fortran_order);
    EXPECT_EQ(array->place.size, 24U);
  }
}

TEST(Npy, ReadsScalarsOneDimensionFortranOrderAndForeignTypes) {
  EXPECT_TRUE(Read(Npy("{'descr': '|b1', 'fortran_order': False, 'shape': (), }\n", 1))->sizes.empty());
  EXPECT_EQ(Read(Npy("{'descr': '<c16', 'fortran_order': False, 'shape': (3,), }\n", 48))->dtype, "complex128");
  EXPECT_TRUE(Read(Npy("{'descr': '<i8', 'fortran_order': True, 'shape': (1, 0), }\n", 0))->fortran_order);
  EXPECT_EQ(Read(Npy("{'descr': '<V2', 'fortran_order': False, 'shape': (3,), }\n", 6))->dtype, "");
}

TEST(Npy, HeadersThatNumPyDoesNotWriteAreRefused) {
  const std::pair<const char*, const char*> cases[] = {
      {"[]", "header has '[]' where '{' is expected"},
      {"{'descr' '<f4'}", "header has ''<f4'}' where ':' is expected"},
      {"{'descr': '<f4'", "header has '' where ',' or '}' is expected"},
      {"{'descr': '<f4', 1", "header has '1' where a text is expected"},
      {"{'descr': '<f4", "header has '<f4' where the end of a text is expected"},
      {"{'descr': '<f4', 'descr': '<f4'}", "header has 'descr' twice"},
      {"{'x': 1}", "header has a member 'x', which NumPy does not write"},
      {"{'descr': '<f4', 'shape': (2, 3)}", "header lacks 'descr', 'fortran_order' or 'shape'"},
      {"{'fortran_order': 1}", "header has '1}' where True or False is expected"},
      {"{'shape': [2]}", "header has '[2]}' where '(' is expected"},
      {"{'shape': (-1,)}", "header has '-1,)}' where a size is expected"},
      {"{'shape': (1 2)}", "header has '2)}' where ',' or ')' is expected"},
      {"{'shape': (18446744073709551616,)}", "header has a size that no 64 bits hold"},
      {"{}x", "header has 'x' where the end is expected"},
  };
  for (const auto& [header, why] : cases) EXPECT_EQ(WhyNotHeader(header), why);
}

TEST(Npy, ElementsThatAreNoLittleEndianNumbersAreRefused) {
  const std::pair<const char*, const char*> cases[] = {
      {"{'descr': '>f4'}", "has big-endian elements, little-endian ones expected"},
      {"{'descr': '|O'}", "has elements of type '|O', which is not known"},
      {"{'descr': ''}", "has elements of type '', which is not known"},
      {"{'descr': '=f4'}", "header has type '=f4', which does not begin with '<' or '|'"},
      {"{'descr': [('a', '<f4')]}", "has elements with fields, numbers expected"},
  };
  for (const auto& [header, why] : cases) EXPECT_EQ(WhyNotHeader(header), why);
}

TEST(Npy, SizesHaveToFitTheFile) {
  EXPECT_EQ(WhyNot(""), "is no .npy file");
  EXPECT_EQ(WhyNot("\x93NUMPY\x01"), "is no .npy file");
  EXPECT_EQ(WhyNot(Npy("{}", 0, '\4')), "is of version 4 of .npy, at most 3 is known");
  EXPECT_EQ(WhyNot(Npy(std::string(10001, ' '), 0)), "header has 10001 bytes, NumPy reads at most 10000");
  EXPECT_EQ(WhyNot(Npy("{}", 0).substr(0, 11)), "header ends at byte 12, after the end of the file (11 bytes)");
  EXPECT_EQ(WhyNot(Npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }\n", 23)),
            "has 23 bytes of elements, which are not what its shape and type take");
  EXPECT_EQ(WhyNot(Npy("{'descr': '<f8', 'fortran_order': False, 'shape': (4294967296, 4294967296), }", 0)),
            "has 0 bytes of elements, which are not what its shape and type take");
}

}  // namespace
}  // namespace pteedit::npy_test
