#include "formats/json_reader.h"

#include <gtest/gtest.h>

#include "base/text.h"

namespace pteedit::json_reader_test {
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
  EXPECT_TRUE(list->items[0].is_count);
  for (const size_t i : {size_t{1}, size_t{2}}) {
    EXPECT_EQ(list->items[i].kind, JsonValue::Kind::kNumber);
    EXPECT_EQ(list->items[i].number, 0U);
    EXPECT_FALSE(list->items[i].is_count);
  }
  EXPECT_EQ(list->items[3].text, "tA");
  EXPECT_EQ(list->items[0].written + list->items[1].written + list->items[2].written, "1-12.5");
  EXPECT_EQ(list->items[4].kind, JsonValue::Kind::kBoolean);
  EXPECT_EQ(list->items[4].number, 1U);
  EXPECT_EQ(list->items[5].kind, JsonValue::Kind::kNull);
  EXPECT_EQ(list->items[6].kind, JsonValue::Kind::kObject);
  EXPECT_EQ(json->Find("b")->TextOf("c"), "d");
  EXPECT_EQ(json->TextOf("a"), "");
  EXPECT_EQ(json->Find("c"), nullptr);
  EXPECT_EQ(list->Find("a"), nullptr);
}

TEST(JsonReader, TakesBareWordsWhereToldTo) {
  const std::string text = R"({"a": [Infinity, -Infinity, NaN, 7], "Infinity \" NaN": "NaN"})";
  EXPECT_EQ(WhyNot(text), "text is no JSON from byte 8 on");
  const Result<JsonValue> json = ParseJson(text, "text", {1000, 100, true, {}});
  ASSERT_TRUE(json) << json.error().message;
  ASSERT_EQ(json->Find("a")->items.size(), 4U);
  const std::vector<JsonValue>& items = json->Find("a")->items;
  EXPECT_EQ(items[0].text + items[1].text + items[2].text, "inf-infnan");
  EXPECT_EQ(items[3].number, 7U);
  EXPECT_EQ(json->TextOf("Infinity \" NaN"), "NaN");
}

TEST(JsonReader, LeavesOutMembers) {
  const std::string text = R"({"a": {"x": [1, {"b": 2}], "b": 3}, "c": [{"a": []}, 4], "x": 5})";
  const Result<JsonValue> json = ParseJson(text, "text", {1000, 6, false, {"a", "x"}});
  ASSERT_TRUE(json) << json.error().message;
  EXPECT_EQ(json->names, std::vector<std::string>{"c"});
  ASSERT_EQ(json->Find("c")->items.size(), 2U);
  EXPECT_TRUE(json->Find("c")->items[0].names.empty());
  EXPECT_EQ(json->Find("c")->items[1].number, 4U);
}

TEST(JsonReader, CountsLevelsOfWhatIsLeftOut) {
  const std::string deep = "{\"a\": " + Repeated("[", 40) + Repeated("]", 40) + "}";
  const Result<JsonValue> json = ParseJson(deep, "text", {1000, 100, false, {"a"}});
  ASSERT_FALSE(json);
  EXPECT_EQ(json.error().message, "text has more than 32 levels");
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
  EXPECT_EQ(ParseJson("[1, 2]", "text", {6, 2, false, {}}).error().message, "text has more than 2 values");
  EXPECT_EQ(ParseJson("[1, 2]", "text", {5, 3, false, {}}).error().message,
            "text has 6 bytes, at most 5 are looked into");
}

struct GivenAway {
  std::vector<std::string> members;  // name, and how many items it has or its text
  std::string why_not;
};
GivenAway Members(std::string_view text, const JsonLimits& limits = {}) {
  GivenAway given;
  const Status status = ForEachJsonMember(text, "text", limits, [&](const std::string& name, const JsonValue& value) {
    given.members.push_back(name + (value.items.empty() ? " " + value.text : Text(" of ", value.items.size())));
    return Status();
  });
  if (!status) given.why_not = status.error().message;
  return given;
}
using Names = std::vector<std::string>;

TEST(ForEachJsonMember, GivesEachInItsOrder) {
  const GivenAway given = Members(R"({"b": "1", "a": {"x": {"y": 1}, "z": [2]}, "b": "2", "": [{}], "c": []})");
  EXPECT_EQ(given.members, (Names{"b 1", "a of 2", "b 2", " of 1", "c "}));
  EXPECT_EQ(given.why_not, "");
  EXPECT_EQ(Members("{}").members, Names());
  EXPECT_EQ(Members("{}").why_not, "");
}

TEST(ForEachJsonMember, GivesWholeValues) {
  Names texts;
  ASSERT_TRUE(
      ForEachJsonMember(R"({"a": {"x": {"y": "deep"}, "z": ["2"]}})", "text", {}, [&](const auto&, const auto& value) {
        texts = {std::string(value.Find("x")->TextOf("y")), value.Find("z")->items[0].text};
        return Status();
      }));
  EXPECT_EQ(texts, (Names{"deep", "2"}));
}

TEST(ForEachJsonMember, ReadsEscapesInNamesAndTexts) {
  EXPECT_EQ(Members(R"({"\u0061\n\"": "\u00e9\\", "\ud83d\ude00": "/\/"})").members,
            (Names{"a\n\" \u00e9\\", "\U0001F600 //"}));
  EXPECT_EQ(Members(R"({"\ud83d": 1})").why_not, "text is no JSON from byte 9 on");
}

// What was whole before the damage has been given away by then.
TEST(ForEachJsonMember, NamesDamageBehindWhatItGave) {
  const std::string whole = R"({"a": "1", "b": ["2"]})";
  for (size_t i = 0; i < whole.size(); ++i) {
    const GivenAway cut = Members(whole.substr(0, i));
    EXPECT_EQ(cut.why_not, Text("text is no JSON from byte ", i + 1, " on"));
    EXPECT_EQ(cut.members.size(), (i >= 9 ? 1U : 0U) + (i >= 21 ? 1U : 0U)) << i;
  }
  EXPECT_EQ(Members(whole + "{").why_not, "text is no JSON from byte 23 on");
}

TEST(ForEachJsonMember, TakesNothingButAnObject) {
  for (const char* text : {"[]", R"([{"a": 1}])", "1", R"("a")", "null"}) {
    EXPECT_TRUE(Members(text).members.empty()) << text;
    EXPECT_EQ(Members(text).why_not, "text is no JSON object");
  }
  const Status status = ForEachJsonMember("[]", "text", {}, [](const auto&, const auto&) { return Status(); });
  EXPECT_EQ(status.error().code, ErrorCode::kMalformed);
}

TEST(ForEachJsonMember, HasBoundsOfEachMember) {
  const JsonLimits limits{1000, 3, false, {"skipped"}};
  EXPECT_EQ(Members(R"({"a": [0], "b": [0], "c": 0, "d": 0, "skipped": [0, 0, 0, 0]})", limits).why_not, "");
  const GivenAway over = Members(R"({"a": 0, "b": [0, 0], "c": 0})", limits);
  EXPECT_EQ(over.why_not, "text has a member 'b' of more than 3 values");
  EXPECT_EQ(over.members, Names{"a "});
  EXPECT_EQ(Members("[0, 0, 0]", limits).why_not, "text has more than 3 values");
  EXPECT_EQ(Members("{\"a\": " + Repeated("[", 32)).why_not, "text has more than 32 levels");
  EXPECT_EQ(Members("{}", {1, 3, false, {}}).why_not, "text has 2 bytes, at most 1 are looked into");
}

TEST(ForEachJsonMember, EndsWhereTakingFails) {
  size_t calls = 0;
  const Status status =
      ForEachJsonMember(R"({"a": 1, "b": 2} x)", "text", {}, [&](const std::string& name, const auto&) {
        ++calls;
        return Status(Unsupported("no " + name));
      });
  EXPECT_EQ(status.error().message, "no a");
  EXPECT_EQ(calls, 1U);
}

}  // namespace
}  // namespace pteedit::json_reader_test
