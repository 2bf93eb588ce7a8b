#include "formats/protobuf_reader.h"

#include <gtest/gtest.h>

#include <vector>

namespace pteedit::protobuf_reader_test {
namespace {

using Bytes = std::vector<uint8_t>;

ByteSpan SpanOf(const Bytes& bytes) { return {bytes.data(), bytes.size()}; }

std::string WhyNot(const Bytes& message) {
  ProtobufReader reader(SpanOf(message));
  while (true) {
    const Result<ProtobufField> field = reader.Next();
    if (!field) return field.error().message;
    if (field->number == 0) return "";
  }
}

TEST(ProtobufReader, ReadsEveryWireType) {
  const Bytes message = {0x08, 0x96, 0x01,                            // 1: 150
                         0x12, 0x02, 'h',  'i',                       // 2: "hi"
                         0x1D, 1,    0,    0,   0x80,                 // 3: fixed
                         0x21, 2,    0,    0,   0,    0, 0, 0, 0x80,  // 4: fixed
                         0xB2, 0x1F, 0x00};                           // 502: ""
  ProtobufReader reader(SpanOf(message));
  EXPECT_EQ(reader.Next()->value, 150U);
  EXPECT_EQ(reader.Next()->text(), "hi");
  EXPECT_EQ(reader.Next()->value, 0x80000001U);
  EXPECT_EQ(reader.Next()->value, 0x8000000000000002U);
  EXPECT_EQ(reader.Next()->number, 502U);
  EXPECT_EQ(reader.Next()->number, 0U);
  EXPECT_EQ(reader.Next()->number, 0U);
}

TEST(ProtobufReader, FindsTheLastOfAField) {
  const Bytes message = {0x08, 1, 0x10, 2, 0x08, 3};
  EXPECT_EQ(FindField(SpanOf(message), 1)->value, 3U);
  EXPECT_EQ(FindField(SpanOf(message), 2)->value, 2U);
  EXPECT_EQ(FindField(SpanOf(message), 3)->number, 0U);
  EXPECT_EQ(FindField({}, 1)->number, 0U);
}

TEST(ProtobufReader, NamesDamage) {
  EXPECT_EQ(WhyNot({}), "");
  EXPECT_EQ(WhyNot({0x08}), "protobuf message ends within a number, at its byte 1");
  EXPECT_EQ(WhyNot({0x08, 0x80}), "protobuf message ends within a number, at its byte 2");
  EXPECT_EQ(WhyNot(Bytes(12, 0xFF)), "protobuf number before byte 10 of its message has more than 10 bytes");
  EXPECT_EQ(WhyNot({0x12, 0x03, 'h', 'i'}), "protobuf field at byte 2 of its message has 3 bytes, 2 are left");
  EXPECT_EQ(WhyNot({0x12, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01}),
            "protobuf field at byte 11 of its message has 18446744073709551615 bytes, 0 are left");
  EXPECT_EQ(WhyNot({0x1D, 1, 2}), "protobuf field at byte 1 of its message has 4 bytes, 2 are left");
  EXPECT_EQ(WhyNot({0x0B}), "protobuf field 1 is of wire type 3, 0, 1, 2 or 5 expected");
  EXPECT_EQ(WhyNot({0x00}), "protobuf field has number 0");
}

}  // namespace
}  // namespace pteedit::protobuf_reader_test
