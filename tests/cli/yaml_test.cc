#include "yaml.h"

#include <gtest/gtest.h>

#include <string>

#include "operator_listing.h"

namespace pteedit::cli::yaml_test {
namespace {

using std::literals::string_literals::operator""s;

// What PyYAML 6.0 makes of yaml.safe_dump({"a": {"b": [text]}}, default_flow_style=False), behind "- ".
TEST(YamlText, IsWhatPythonWrites) {
  const struct {
    std::string text, yaml;
  } cases[] = {
      {"aten::add.out"s, "aten::add.out"},
      {"models/my model.pte"s, "models/my model.pte"},
      {""s, "''"},
      {"yes"s, "'yes'"},
      {"Off"s, "'Off'"},
      {"~"s, "'~'"},
      {"null"s, "'null'"},
      {"<<"s, "'<<'"},
      {"="s, "'='"},
      {"12"s, "'12'"},
      {"-0x1f"s, "'-0x1f'"},
      {"1_000"s, "'1_000'"},
      {"1:30"s, "'1:30'"},
      {"1.5"s, "'1.5'"},
      {"1.5e3"s, "1.5e3"},
      {"1.5e+3"s, "'1.5e+3'"},
      {".5"s, "'.5'"},
      {".inf"s, "'.inf'"},
      {"-.Inf"s, "'-.Inf'"},
      {".nan"s, "'.nan'"},
      {"2026-11-21"s, "'2026-11-21'"},
      {"2026-1-2 3:04:05.6 -7:00"s, "'2026-1-2 3:04:05.6 -7:00'"},
      {"2026-1-2"s, "2026-1-2"},
      {"- a"s, "'- a'"},
      {"-a"s, "-a"},
      {"-"s, "'-'"},
      {"?"s, "'?'"},
      {"? a"s, "'? a'"},
      {"?a"s, "?a"},
      {":a"s, ":a"},
      {"a: b"s, "'a: b'"},
      {"a:"s, "'a:'"},
      {"a:b"s, "a:b"},
      {"a #b"s, "'a #b'"},
      {"a#b"s, "a#b"},
      {"#a"s, "'#a'"},
      {"[a"s, "'[a'"},
      {"a["s, "a["},
      {"{"s, "'{'"},
      {"&a"s, "'&a'"},
      {"*a"s, "'*a'"},
      {"!a"s, "'!a'"},
      {"|a"s, "'|a'"},
      {">a"s, "'>a'"},
      {"'a"s, "'''a'"},
      {"it's"s, "it's"},
      {"'"s, "''''"},
      {"\"a"s, "'\"a'"},
      {"a\"b"s, "a\"b"},
      {"%a"s, "'%a'"},
      {"@a"s, "'@a'"},
      {"`a"s, "'`a'"},
      {"---"s, "'---'"},
      {"--- a"s, "'--- a'"},
      {"--a"s, "--a"},
      {"...a"s, "'...a'"},
      {" a"s, "' a'"},
      {"a "s, "'a '"},
      {"a  b"s, "a  b"},
      {"a\nb"s, "'a\n\n    b'"},
      {"a\n\nb"s, "'a\n\n\n    b'"},
      {"a\n b"s, "\"a\\n b\""},
      {"a \nb"s, "\"a \\nb\""},
      {"a\n"s, "'a\n\n    '"},
      {"\n"s, "'\n\n    '"},
      {"a\011b"s, "\"a\\tb\""},
      {"\000\007\010\013\014\015\033"s, "\"\\0\\a\\b\\v\\f\\r\\e\""},
      {"\177"s, "\"\\x7F\""},
      {"\001"s, "\"\\x01\""},
      {"back\\slash"s, "back\\slash"},
      {"\303\251"s, "\"\\xE9\""},
      {"\342\202\254"s, "\"\\u20AC\""},
      {"\360\237\230\200"s, "\"\\U0001F600\""},
      {"\302\205"s, "\"\\N\""},
      {"\302\240"s, "\"\\_\""},
      {"\342\200\250\342\200\251"s, "\"\\L\\P\""},
      {"\357\273\277"s, "\"\\uFEFF\""},
      {"\377\200"s, "\"\\uDCFF\\uDC80\""},
      {"word word word word word word word word word word word word word word word word word word word word word word word word word word word word word word end"s,
       "word word word word word word word word word word word word word word word word\n    word word word word word "
       "word word word word word word word word word end"},
      {"two  spaces two  spaces two  spaces two  spaces two  spaces two  spaces two  spaces two  spaces two  spaces two  spaces two  spaces two  spaces end"s,
       "two  spaces two  spaces two  spaces two  spaces two  spaces two  spaces two  spaces\n    two  spaces two  "
       "spaces two  spaces two  spaces two  spaces end"},
      {"word: word: word: word: word: word: word: word: word: word: word: word: word: word: word: word: word: word: word: word: word: word: word: word: word: word: word: word: word: word: end"s,
       "'word: word: word: word: word: word: word: word: word: word: word: word: word:\n    word: word: word: word: "
       "word: word: word: word: word: word: word: word: word:\n    word: word: word: word: end'"},
      {"\303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 \303\251 end"s,
       "\"\\xE9 \\xE9 \\xE9 \\xE9 \\xE9 \\xE9 \\xE9 \\xE9 \\xE9 \\xE9 \\xE9 \\xE9 \\xE9 \\xE9 \\xE9 \\xE9\\\n    \\ "
       "\\xE9 \\xE9 \\xE9 \\xE9 \\xE9 \\xE9 \\xE9 \\xE9 \\xE9 \\xE9 \\xE9 \\xE9 \\xE9 \\xE9 \\xE9 \\xE9\\\n    \\ "
       "\\xE9 \\xE9 \\xE9 \\xE9 \\xE9 \\xE9 \\xE9 \\xE9 end\""},
      {"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa b"s,
       "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n    b"},
      {"it's it's it's it's it's it's it's it's it's it's it's it's it's it's it's it's it's it's it's it's it's it's it's it's it's it's it's it's it's it's end"s,
       "it's it's it's it's it's it's it's it's it's it's it's it's it's it's it's it's\n    it's it's it's it's it's "
       "it's it's it's it's it's it's it's it's it's end"},
      {"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\303\251\303\251\303\251 b c"s,
       "\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\\xE9\\\n"
       "    \\xE9\\xE9 b c\""},
      {"line\nline\nline\nword word word word word word word word word word word word word word word word word word word word end"s,
       "'line\n\n    line\n\n    line\n\n    word word word word word word word word word word word word word word "
       "word word\n    word word word word end'"},
  };
  for (const auto& [text, yaml] : cases) EXPECT_EQ(YamlText(text, {4, 4, false}), yaml);
}

TEST(YamlText, IsNeverFoldedAsAKey) {
  const std::string words = "word word word word word word word word word word word word word word word word word word";
  EXPECT_EQ(YamlText(words, {2, 4, true}), words);
  EXPECT_EQ(YamlText("it: " + words, {2, 4, true}), "'it: " + words + "'");
}

TEST(IsSimpleYamlKey, RefusesLongEmptyAndBrokenOnes) {
  EXPECT_TRUE(IsSimpleYamlKey(std::string(122, 'a')));
  EXPECT_FALSE(IsSimpleYamlKey(std::string(123, 'a')));
  EXPECT_FALSE(IsSimpleYamlKey(""));
  EXPECT_FALSE(IsSimpleYamlKey("a\nb"));
}

// As PyYAML writes keys that are not simple.
TEST(OperatorListing, ShowsLongNamesInTheLongForm) {
  const std::string name(130, 'o');
  Requirements needs;
  needs.operators = {{name, 1, {{}, {std::make_shared<TensorArgument>(TensorArgument{6, {0, 1}})}}}};
  EXPECT_EQ(OperatorListing(needs, "m.pte"), "build_features: []\ncustom_classes: []\net_kernel_metadata:\n  ? " +
                                                 name +
                                                 "\n  : - v1\n    - v1/6;0,1\n"
                                                 "include_all_non_op_selectives: false\n"
                                                 "include_all_operators: false\n"
                                                 "kernel_metadata: {}\n"
                                                 "operators:\n  ? " +
                                                 name +
                                                 "\n  : debug_info:\n    - m.pte\n"
                                                 "    include_all_overloads: false\n"
                                                 "    is_root_operator: true\n"
                                                 "    is_used_for_training: true\n");
}

}  // namespace
}  // namespace pteedit::cli::yaml_test
