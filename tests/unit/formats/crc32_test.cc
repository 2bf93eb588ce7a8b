#include "formats/crc32.h"

#include <gtest/gtest.h>

#include <string>

namespace pteedit::crc32_test {
namespace {

uint32_t ChecksumOf(const std::string& text, size_t cut) {
  Crc32 checksum;
  const auto* bytes = reinterpret_cast<const uint8_t*>(text.data());
  checksum.Update({bytes, cut});
  checksum.Update({bytes + cut, text.size() - cut});
  return checksum.value();
}

TEST(Crc32, IsThatOfZipHoweverTheBytesCome) {
  EXPECT_EQ(ChecksumOf("", 0), 0U);
  const std::string text = "The quick brown fox jumps over the lazy dog";
  for (size_t cut = 0; cut <= text.size(); ++cut) EXPECT_EQ(ChecksumOf(text, cut), 0x414fa339U);
  EXPECT_EQ(ChecksumOf("123456789", 4), 0xcbf43926U);
}

}  // namespace
}  // namespace pteedit::crc32_test
