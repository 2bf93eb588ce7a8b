#include "base/text.h"

#include <gtest/gtest.h>

#include <limits>

namespace pteedit::text_test {
namespace {

TEST(Text, OnlyLettersOfAsciiBecomeSmall) { EXPECT_EQ(LowerCase("VK_Format 9-\xc3\x84Z"), "vk_format 9-\xc3\x84z"); }

TEST(Hex, HasNoLeadingZeros) {
  EXPECT_EQ(Hex(0), "0x0");
  EXPECT_EQ(Hex(0x1a3f), "0x1a3f");
  EXPECT_EQ(Hex(std::numeric_limits<uint64_t>::max()), "0xffffffffffffffff");
}

TEST(Text, JoinsWordsAndNumbers) {
  EXPECT_EQ(Text("segment ", 3U, ' ', std::string("ends"), " at ", uint64_t{1} << 40, ", not ", -1),
            "segment 3 ends at 1099511627776, not -1");
}

TEST(EscapeControl, KeepsPrintableTextAndWellFormedUtf8) {
  EXPECT_EQ(EscapeControl("layers.0/weight é € 😀 \\"), "layers.0/weight é € 😀 \\");
}

TEST(EscapeControl, ShowsControlBytes) {
  EXPECT_EQ(EscapeControl(std::string_view("a\0b\x1b[2J\x7f\n", 9)), R"(a\x00b\x1b[2J\x7f\x0a)");
  EXPECT_EQ(EscapeControl("\xc2\x9b"), R"(\xc2\x9b)");  // the control sequence introducer as one code point
}

TEST(EscapeControl, ShowsWhatIsNoUtf8) {
  EXPECT_EQ(EscapeControl("\x80"), R"(\x80)");                          // no lead
  EXPECT_EQ(EscapeControl("\xc3"), R"(\xc3)");                          // cut
  EXPECT_EQ(EscapeControl("\xc0\xaf"), R"(\xc0\xaf)");                  // overlong
  EXPECT_EQ(EscapeControl("\xe0\x80\x80"), R"(\xe0\x80\x80)");          // overlong
  EXPECT_EQ(EscapeControl("\xed\xa0\x80"), R"(\xed\xa0\x80)");          // a surrogate
  EXPECT_EQ(EscapeControl("\xf4\x90\x80\x80"), R"(\xf4\x90\x80\x80)");  // above U+10FFFF
  EXPECT_EQ(EscapeControl("\xe2\x82z"), R"(\xe2\x82z)");
}

TEST(ReplaceControl, PutsTheReplacementCharacterForEachByte) {
  EXPECT_EQ(ReplaceControl("a\x01\xff z"), "a\xef\xbf\xbd\xef\xbf\xbd z");
}

TEST(Quoted, CutsLongNames) {
  EXPECT_EQ(Quoted("fc.bias"), "'fc.bias'");
  EXPECT_EQ(Quoted("a\n"), R"('a\x0a')");
  EXPECT_EQ(Quoted(std::string(200, 'x')), "'" + std::string(200, 'x') + "'");
  EXPECT_EQ(Quoted(std::string(201, 'x')), "'" + std::string(200, 'x') + "…'");
}

TEST(WithoutRepeats, KeepsTheFirstOfEach) {
  using Texts = std::vector<std::string>;
  EXPECT_EQ(WithoutRepeats({"b", "a", "b", "", "a", "c", ""}), (Texts{"b", "a", "", "c"}));
  EXPECT_EQ(WithoutRepeats({}), Texts());
}

}  // namespace
}  // namespace pteedit::text_test
