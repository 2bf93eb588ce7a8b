// Keys are fixed for ever: files made by one release must meet those of the next. Expected values from Python's
// hashlib.
#include "program/content_key.h"

#include <gtest/gtest.h>

#include <numeric>

namespace pteedit::content_key_test {
namespace {

Sha256Digest Digest(const std::vector<uint8_t>& bytes) { return Sha256Of(ByteSpan{bytes.data(), bytes.size()}); }

TEST(ContentKey, OfAMatrix) {  // layout text "6|10,4|0,1"
  std::vector<uint8_t> bytes(160);
  std::iota(bytes.begin(), bytes.end(), uint8_t{0});
  EXPECT_EQ(ContentKey(Digest(bytes), {6, {10, 4}, {0, 1}}), "448ebbc9e1a31220a2f3830c18eef61b9bd070e5.48ebca48");
}

TEST(ContentKey, OfAScalar) {  // layout text "6||"
  EXPECT_EQ(ContentKey(Digest({0x00, 0x00, 0x20, 0x40}), {6, {}, {}}),
            "072e3304b03423a4767d28c5fed09f81d5190ff6.5e7b924d");
}

TEST(ContentKey, OfATensorWithoutElements) {  // layout text "6|0,3|0,1"
  EXPECT_EQ(ContentKey(Digest({}), {6, {0, 3}, {0, 1}}), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4.cd1a7a5a");
}

TEST(ContentKey, OfAChannelsLastTensorAndAnUnknownType) {
  EXPECT_EQ(ContentKey(Digest({}), {7, {2, 3, 4, 5}, {0, 2, 3, 1}}).substr(41), "d3e0dd1b");
  EXPECT_EQ(ContentKey(Digest({}), {-3, {1}, {0}}).substr(41), "65f4d4cc");
}

TEST(ContentKey, IsRecognised) {
  const std::string key = "448ebbc9e1a31220a2f3830c18eef61b9bd070e5.48ebca48";
  EXPECT_TRUE(IsContentKey(key));
  EXPECT_FALSE(IsContentKey(""));
  EXPECT_FALSE(IsContentKey("fc.weight"));
  EXPECT_FALSE(IsContentKey(key + "0"));
  EXPECT_FALSE(IsContentKey(key.substr(1)));
  EXPECT_FALSE(IsContentKey("448EBBC9e1a31220a2f3830c18eef61b9bd070e5.48ebca48"));
  EXPECT_FALSE(IsContentKey("448ebbc9e1a31220a2f3830c18eef61b9bd070e5-48ebca48"));
  EXPECT_FALSE(IsContentKey("448ebbc9e1a31220a2f3830c18eef61b9bd070e5.48ebca4g"));
  EXPECT_FALSE(IsContentKey("448ebbc9e1a31220a2f3830c18eef61b9bd070e.548ebca48"));
}

TEST(Sha256Key, IsRecognisedWithAndWithoutTheScalePrefix) {
  const std::string digits(64, 'a');
  EXPECT_TRUE(IsSha256Key(digits) && IsSha256Key("scale_" + digits));
  for (const std::string& other : {std::string(64, 'A'), std::string(63, 'a'), "Scale_" + digits, digits + "0"})
    EXPECT_FALSE(IsSha256Key(other)) << other;
  const Sha256Digest digest = Sha256Of(ByteSpan{});
  EXPECT_EQ(Sha256KeyLike(digits, digest), digest.Hex());
  EXPECT_EQ(Sha256KeyLike("scale_" + digits, digest), "scale_" + digest.Hex());
}

}  // namespace
}  // namespace pteedit::content_key_test
