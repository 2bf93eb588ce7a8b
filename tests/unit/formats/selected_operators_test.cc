#include "formats/selected_operators.h"

#include <gtest/gtest.h>

namespace pteedit::selected_operators_test {
namespace {

using Types = std::set<int8_t>;

TEST(ReadSelectedOperators, TakesTheTypesOfAllKeys) {
  const auto listing = ReadSelectedOperators(
      "build_features: []\n"
      "et_kernel_metadata:\n"
      "  aten::add.out:\n"
      "  - v1/6;0,1|6;|4;0\n"
      "  - v1/7;\n"
      "  aten::mul.out:\n"
      "      - 'default'  # of any\n"
      "      - v1/6;\n"
      "  executorch_prim::add.Scalar:\n"
      "  - v1/4;\n"
      "  - v1\n"
      "include_all_operators: false\n"
      "operators:\n"
      "  aten::add.out:\n"
      "    debug_info:\n"
      "    - a long name of a model: with a colon\n"
      "      that goes on\n"
      "    include_all_overloads: false\n"
      "  'aten::sub':\n"
      "    include_all_overloads: Yes\n");
  ASSERT_TRUE(listing);
  EXPECT_FALSE(listing->has_all);
  EXPECT_EQ(listing->kernels.size(), 4U);
  EXPECT_EQ(listing->kernels.at("aten::add.out").scalar_types, (Types{4, 6, 7}));
  EXPECT_EQ(listing->kernels.at("aten::mul.out").scalar_types, std::nullopt);
  EXPECT_EQ(listing->kernels.at("executorch_prim::add.Scalar").scalar_types, std::nullopt);
  EXPECT_EQ(listing->kernels.at("aten::sub").scalar_types, std::nullopt);
  EXPECT_TRUE(listing->kernels.at("aten::sub").has_all_overloads);
  EXPECT_FALSE(listing->kernels.at("aten::add.out").has_all_overloads);
}

TEST(ReadSelectedOperators, TakesAll) {
  EXPECT_TRUE(ReadSelectedOperators("---\r\ninclude_all_operators: True\r\noperators: {}\r\n")->has_all);
}

TEST(ReadSelectedOperators, RefusesWhatIsWrittenOtherwise) {
  const auto message_of = [](const char* yaml) { return ReadSelectedOperators(yaml).error().message; };
  EXPECT_EQ(message_of("a: 1\n"), "is no listing of selected operators: 'operators' is missing");
  EXPECT_EQ(message_of(""), "is no listing of selected operators: 'operators' is missing");
  const auto wrong = [](const char* line) {
    return "is no listing of selected operators: line " + std::string(line) + " is written otherwise";
  };
  EXPECT_EQ(message_of("operators: {aten::add.out: {}}\n"), wrong("1"));
  EXPECT_EQ(message_of("operators:\n- aten::add.out\n"), wrong("2"));
  EXPECT_EQ(message_of("operators:\n  aten::add.out\n"), wrong("2"));
  for (const char* key : {"v2/6;0", "v1/6", "v1/;0", "v1/999;", "v1/6;0|", "v1/6;0||7;", "v1|6;0", "float32"}) {
    const std::string yaml = std::string("operators: {}\net_kernel_metadata:\n  aten::add.out:\n  - ") + key + "\n";
    EXPECT_EQ(message_of(yaml.c_str()), wrong("4")) << key;
  }
}

}  // namespace
}  // namespace pteedit::selected_operators_test
