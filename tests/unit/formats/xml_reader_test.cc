#include "formats/xml_reader.h"

#include <gtest/gtest.h>

#include <vector>

namespace pteedit::xml_reader_test {
namespace {

// "+name" for a tag that opens, "-name" closes, "=name" does both; or the error.
std::vector<std::string> Tags(std::string_view text) {
  std::vector<std::string> tags;
  XmlReader reader(text);
  while (true) {
    const Result<XmlTag> tag = reader.Next();
    if (!tag) tags.push_back(tag.error().message);
    if (!tag || tag->kind == XmlTag::Kind::kNone) return tags;
    const char* mark = tag->kind == XmlTag::Kind::kOpen ? "+" : tag->kind == XmlTag::Kind::kClose ? "-" : "=";
    tags.push_back(mark + std::string(tag->name));
  }
}

std::optional<std::string> Attribute(std::string_view tag, std::string_view name) {
  return XmlReader(tag).Next()->Attribute(name);
}

using Names = std::vector<std::string>;

TEST(XmlReader, ReadsTagsOnly) {
  EXPECT_EQ(Tags(""), Names());
  EXPECT_EQ(Tags("text > & text"), Names());
  EXPECT_EQ(Tags("<?xml version=\"1.0\"?><!DOCTYPE a><!-- <no> --><a>1<b c='>'/><![CDATA[<no>]]></a >"),
            (Names{"+a", "=b", "-a"}));
  EXPECT_EQ(Tags("<a\tb='/'><c/>"), (Names{"+a", "=c"}));
}

TEST(XmlReader, ReadsAttributes) {
  const char* tag = "<a one=\"1\" two = 'x &lt;&#65;&#x42;&amp; &nope; &' three=\"\"/>";
  EXPECT_EQ(Attribute(tag, "one"), "1");
  EXPECT_EQ(Attribute(tag, "two"), "x <AB& &nope; &");
  EXPECT_EQ(Attribute(tag, "three"), "");
  EXPECT_EQ(Attribute(tag, "four"), std::nullopt);
  EXPECT_EQ(Attribute("<a b>", "b"), std::nullopt);
  EXPECT_EQ(Attribute("<a b=1 c='2'>", "c"), std::nullopt);
  EXPECT_EQ(Attribute("<a b='" + std::string(5000, 'x') + "'>", "b"), std::string(4096, 'x'));
}

TEST(XmlReader, NamesWhatDoesNotEnd) {
  EXPECT_EQ(Tags("<a"), Names{"XML tag at byte 0 does not end"});
  EXPECT_EQ(Tags("<a><b c='>"), (Names{"+a", "XML tag at byte 3 does not end"}));
  EXPECT_EQ(Tags("<!-- <a>"), Names{"XML '<!--' at byte 0 does not end"});
  EXPECT_EQ(Tags("<a><![CDATA["), (Names{"+a", "XML '<![CDATA[' at byte 3 does not end"}));
}

}  // namespace
}  // namespace pteedit::xml_reader_test
