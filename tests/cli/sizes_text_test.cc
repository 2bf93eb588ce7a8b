#include "sizes_text.h"

#include <gtest/gtest.h>

namespace pteedit::cli::sizes_text_test {
namespace {

TEST(HumanSize, UsesPowersOfAThousandWithTwoDecimals) {
  EXPECT_EQ(HumanSize(51232), "51.23 KB");
  EXPECT_EQ(HumanSize(13951248), "13.95 MB");
  EXPECT_EQ(HumanSize(2'500'000'000), "2.50 GB");
  EXPECT_EQ(HumanSize(18'446'744'073'709'551'615U), "18446744073.71 GB");
}

TEST(HumanSize, ShowsLessThanAKilobyteInBytes) {
  EXPECT_EQ(HumanSize(0), "0 B");
  EXPECT_EQ(HumanSize(999), "999 B");
  EXPECT_EQ(HumanSize(1000), "1.00 KB");
}

TEST(HumanSize, ChoosesTheUnitBeforeRounding) {
  EXPECT_EQ(HumanSize(999'999), "1000.00 KB");
  EXPECT_EQ(HumanSize(1'000'000), "1.00 MB");
  EXPECT_EQ(HumanSize(999'999'999), "1000.00 MB");
  EXPECT_EQ(HumanSize(1'000'000'000), "1.00 GB");
}

TEST(ParseSize, TakesBytesAndBothKindsOfUnits) {
  EXPECT_EQ(*ParseSize("0"), 0U);
  EXPECT_EQ(*ParseSize("4096"), 4096U);
  EXPECT_EQ(*ParseSize("4K"), 4096U);
  EXPECT_EQ(*ParseSize("4M"), 4194304U);
  EXPECT_EQ(*ParseSize("4G"), 4294967296U);
  EXPECT_EQ(*ParseSize("4KB"), 4000U);
  EXPECT_EQ(*ParseSize("4MB"), 4000000U);
  EXPECT_EQ(*ParseSize("4GB"), 4000000000U);
}

TEST(ParseSize, RejectsEverythingElse) {
  for (const char* text :
       {"", "K", "-1", "+1", " 1", "1 ", "1 K", "1k", "1kb", "1Kb", "1KiB", "1T", "1.5M", "0x10", "1KK"}) {
    const Result<uint64_t> size = ParseSize(text);
    ASSERT_FALSE(size) << text;
    EXPECT_EQ(size.error().code, ErrorCode::kInvalidArgument);
  }
  EXPECT_EQ(
      ParseSize("1\x1bT").error().message,
      "size '1\\x1bT' is not a number of bytes, with K, M or G (powers of 1024) or KB, MB or GB (powers of 1000)");
}

TEST(ParseSize, RejectsWhatDoesNotFit) {
  EXPECT_EQ(*ParseSize("18446744073709551615"), 18'446'744'073'709'551'615U);
  EXPECT_EQ(*ParseSize("17179869183G"), 17179869183U << 30);
  for (const char* text : {"18446744073709551616", "17179869184G", "18446744074GB"}) {
    ASSERT_FALSE(ParseSize(text)) << text;
    EXPECT_EQ(ParseSize(text).error().message, "size '" + std::string(text) + "' is too large");
  }
}

}  // namespace
}  // namespace pteedit::cli::sizes_text_test
