#include "pteedit/metadata.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace pteedit::metadata_test {
namespace {

MetadataValue Guessed(const std::vector<uint8_t>& bytes) { return GuessMetadata({bytes.data(), bytes.size()}); }

TEST(Metadata, IsStoredAsTheIssueSays) {
  EXPECT_EQ(EncodeMetadata(int64_t{258}), (std::vector<uint8_t>{2, 1, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(EncodeMetadata(0.5), (std::vector<uint8_t>{0, 0, 0, 0, 0, 0, 0xe0, 0x3f}));
  EXPECT_EQ(EncodeMetadata(std::string("a\xc3\xa4")), (std::vector<uint8_t>{'a', 0xc3, 0xa4}));
  EXPECT_EQ(EncodeMetadata(std::vector<int64_t>{1, -1}).size(), 16U);
  EXPECT_TRUE(EncodeMetadata(std::vector<int64_t>()).empty());
}

TEST(Metadata, IsGuessedFromItsBytes) {
  const std::vector<MetadataValue> values = {
      std::string("Llama-3."),   std::string("{% if x %}\n"), int64_t{128000}, int64_t{-1}, 0.5, 1e300,
      std::vector<int64_t>{1, 2}};
  for (const MetadataValue& value : values) EXPECT_EQ(Guessed(EncodeMetadata(value)), value);
  EXPECT_EQ(Guessed({0xff, 0xfe}), MetadataValue(std::vector<uint8_t>{0xff, 0xfe}));
  EXPECT_EQ(Guessed({}), MetadataValue(std::string()));
}

}  // namespace
}  // namespace pteedit::metadata_test
