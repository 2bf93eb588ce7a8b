#include "pteedit/shared_text.h"

#include <gtest/gtest.h>

namespace pteedit::shared_text_test {
namespace {

TEST(SharedText, IsComparedByItsCharactersAndCopiesShareThem) {
  const SharedText a(std::string("a name that is too long to lie in a string")), again(a.str()), b(std::string("b"));
  const SharedText copy = a;  // NOLINT(performance-unnecessary-copy-initialization)
  EXPECT_EQ(&copy.str(), &a.str());
  EXPECT_NE(&again.str(), &a.str());
  EXPECT_TRUE(again == a && a == a.str() && a != b && a != b.str());
  EXPECT_TRUE(a < b && !(b < a) && !(a < again) && !(a < copy));
}

TEST(SharedText, WithoutCharactersIsTheEmptyOne) {
  EXPECT_TRUE(SharedText().empty());
  EXPECT_TRUE(SharedText(std::string()).empty());
  EXPECT_EQ(SharedText().str(), "");
  EXPECT_TRUE(SharedText() == SharedText(std::string()) && SharedText() < SharedText(std::string("a")));
}

}  // namespace
}  // namespace pteedit::shared_text_test
