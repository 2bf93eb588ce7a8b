#include "io/converted_source.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <vector>

namespace pteedit::converted_source_test {
namespace {

template <class To, class From>
std::vector<To> Convert(const std::vector<From>& numbers, FloatType from, FloatType to) {
  std::vector<uint8_t> bytes(numbers.size() * sizeof(From));
  std::memcpy(bytes.data(), numbers.data(), bytes.size());
  const auto source = ConvertFloats(MakeMemorySource("numbers", bytes), from, to);
  std::vector<To> found(source->size() / sizeof(To));
  std::vector<uint8_t> read(source->size());
  // In pieces that divide elements.
  for (size_t i = 0; i < read.size(); i += 7)
    EXPECT_TRUE(source->Read(i, {&read[i], std::min<size_t>(7, read.size() - i)}));
  std::memcpy(found.data(), read.data(), read.size());
  return found;
}

TEST(ConvertFloats, RoundsToTheNearestAndInTheMiddleToAnEvenOne) {
  const std::vector<uint32_t> floats = {0x3F808000, 0x3F818000, 0x3F808001, 0xBF80FFFF, 0x7F7FFFFF, 0x7F800000, 0};
  EXPECT_EQ(Convert<uint16_t>(floats, FloatType::kFloat32, FloatType::kBfloat16),
            (std::vector<uint16_t>{0x3F80, 0x3F82, 0x3F81, 0xBF81, 0x7F80, 0x7F80, 0}));
  const std::vector<float> numbers = {65504,    65519,         65520,      1e30F,           -0.0F,
                                      0x1p-24F, 0x1p-25F,      0x1.8p-24F, 0x1.000002p-25F, 1.0F / 3,
                                      0x1p-14F, -0x1.ffcp-15F, -INFINITY,  1e-44F};
  EXPECT_EQ(
      Convert<uint16_t>(numbers, FloatType::kFloat32, FloatType::kFloat16),
      (std::vector<uint16_t>{0x7BFF, 0x7BFF, 0x7C00, 0x7C00, 0x8000, 1, 0, 2, 1, 0x3555, 0x0400, 0x8400, 0xFC00, 0}));
}

TEST(ConvertFloats, OfAllHalvesGivesThemBack) {
  std::vector<uint16_t> halves;
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    if ((bits & 0x7C00U) != 0x7C00U || (bits & 0x3FFU) == 0) halves.push_back(static_cast<uint16_t>(bits));
  }
  const std::vector<float> wide = Convert<float>(halves, FloatType::kFloat16, FloatType::kFloat32);
  EXPECT_EQ(wide[0x3C01], 1 + 0x1p-10F);
  EXPECT_EQ(wide[0x03FF], 0x3FF * 0x1p-24F);
  EXPECT_EQ(Convert<uint16_t>(wide, FloatType::kFloat32, FloatType::kFloat16), halves);
}

TEST(ConvertFloats, OfBfloatsIsExactInFloatsAndRoundedInHalves) {
  const std::vector<uint16_t> bfloats = {0x3F80, 0xC049, 0x7F80, 0x0001};
  EXPECT_EQ(Convert<uint32_t>(bfloats, FloatType::kBfloat16, FloatType::kFloat32),
            (std::vector<uint32_t>{0x3F800000, 0xC0490000, 0x7F800000, 0x00010000}));
  EXPECT_EQ(Convert<uint16_t>(bfloats, FloatType::kBfloat16, FloatType::kFloat16),
            (std::vector<uint16_t>{0x3C00, 0xC248, 0x7C00, 0}));
}

}  // namespace
}  // namespace pteedit::converted_source_test
