#include "base/shared_texts.h"

#include <gtest/gtest.h>

#include <string>

namespace pteedit::shared_texts_test {
namespace {

TEST(SharedTexts, HoldsEachTextOnce) {
  SharedTexts texts;
  const SharedText one = texts(std::string("why it stays"));
  EXPECT_EQ(&texts("why it stays").str(), &one.str());
  EXPECT_NE(&texts("why it goes").str(), &one.str());
  EXPECT_EQ(one.str(), "why it stays");
  EXPECT_TRUE(texts("").empty());
}

TEST(SharedTexts, SharesATextThatIsTheSame) {
  const SharedText key = std::string("fc.weight");
  EXPECT_EQ(&ShareIfEqual(std::string("fc.weight"), key).str(), &key.str());
  EXPECT_EQ(ShareIfEqual("fc.bias", key).str(), "fc.bias");
}

}  // namespace
}  // namespace pteedit::shared_texts_test
