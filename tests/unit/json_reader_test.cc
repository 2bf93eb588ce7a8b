#include "delegates/json_reader.h"

#include <gtest/gtest.h>

namespace pteedit {
namespace {

std::string Repeated(const std::string& text, size_t times) {
  std::string all;
  for (size_t i = 0; i < times; ++i) all += text;
  return all;
}

std::string WhyNot(const std::string& text) {
  const Result<JsonValue> json = ParseJson(text, "text");
  return json ? "" : json.error().message;
}

TEST(JsonReader, ReadsEveryKindOfValue) {
  const Result<JsonValue> json =
      ParseJson(R"({"a": [1, -1, 2.5, "t\u0041", true, null, {}], "b": {"c": "d"}})", "text");
  ASSERT_TRUE(json);
  EXPECT_EQ(json->kind, JsonValue::Kind::kObject);
  const JsonValue* list = json->Find("a");
  ASSERT_NE(list, nullptr);
  ASSERT_EQ(list->items.size(), 7U);
  EXPECT_EQ(list->items[0].number, 1U);
  EXPECT_EQ(list->items[1].number, 0U);
  EXPECT_EQ(list->items[1].kind, JsonValue::Kind::kNumber);
  EXPECT_EQ(list->items[3].text, "tA");
  EXPECT_EQ(list->items[4].kind, JsonValue::Kind::kBoolean);
  EXPECT_EQ(list->items[5].kind, JsonValue::Kind::kNull);
  EXPECT_EQ(list->items[6].kind, JsonValue::Kind::kObject);
  EXPECT_EQ(json->Find("b")->TextOf("c"), "d");
  EXPECT_EQ(json->TextOf("a"), "");
  EXPECT_EQ(json->Find("c"), nullptr);
  EXPECT_EQ(list->Find("a"), nullptr);
}

TEST(JsonReader, TakesTheLastOfAName) { EXPECT_EQ(ParseJson(R"({"a": "x", "a": "y"})", "text")->TextOf("a"), "y"); }

TEST(JsonReader, NamesDamage) {
  EXPECT_EQ(WhyNot(""), "text is no JSON from byte 1 on");
  EXPECT_EQ(WhyNot("{\"a\": }"), "text is no JSON from byte 7 on");
  EXPECT_EQ(WhyNot("{} {}"), "text is no JSON from byte 4 on");
  EXPECT_NE(WhyNot("\"\xFF\""), "");
  EXPECT_NE(WhyNot("1e999"), "");
}

TEST(JsonReader, HasBounds) {
  EXPECT_EQ(WhyNot(Repeated("[", 32) + Repeated("]", 32)), "");
  EXPECT_EQ(WhyNot(Repeated("[", 33) + Repeated("]", 33)), "text has more than 32 levels");
  EXPECT_EQ(WhyNot(Repeated("[", 1'000'000)), "text has more than 32 levels");
  EXPECT_EQ(WhyNot("[" + Repeated("0,", 99'998) + "0]"), "");
  EXPECT_EQ(WhyNot("[" + Repeated("0,", 99'999) + "0]"), "text has more than 100000 values");
  EXPECT_EQ(WhyNot(std::string((8 << 20) + 1, ' ')), "text has 8388609 bytes, at most 8388608 are looked into");
}

}  // namespace
}  // namespace pteedit
