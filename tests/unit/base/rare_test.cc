#include "pteedit/rare.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace pteedit::rare_test {
namespace {

TEST(SharedOptional, IsComparedByWhatItHolds) {
  using Texts = SharedOptional<std::string>;
  const Texts none, one(std::string("a")), same(std::string("a")), copy = one, other(std::string("b"));
  EXPECT_FALSE(none.has_value());
  EXPECT_EQ(&*copy, &*one);
  EXPECT_NE(&*same, &*one);
  EXPECT_TRUE(none == Texts(std::nullopt) && one == same && one == copy);
  EXPECT_TRUE(one != none && none != one && one != other);
  EXPECT_EQ(std::optional<std::string>(one), "a");
  EXPECT_EQ(std::optional<std::string>(none), std::nullopt);
  EXPECT_EQ(Texts(std::optional<std::string>("a")), one);
}

// How many there are.
struct Counted {
  explicit Counted(int& number) : count(&number) { ++number; }
  Counted(const Counted& other) : count(other.count) { ++*count; }
  Counted& operator=(const Counted&) = delete;
  ~Counted() { --*count; }
  int* count;
};

TEST(SharedOptional, KeepsWhatItHoldsAsLongAsACopyDoes) {
  int count = 0;
  {
    SharedOptional<Counted> one{Counted(count)}, other{Counted(count)};
    EXPECT_EQ(count, 2);
    SharedOptional<Counted> copy = one;
    SharedOptional<Counted> moved = std::move(one);
    EXPECT_FALSE(one.has_value());
    EXPECT_EQ(copy.get(), moved.get());
    one = copy;
    EXPECT_EQ(count, 2);
    other = one;
    EXPECT_EQ(count, 1);
    const SharedOptional<Counted>& self = other;
    other = self;
    one = copy = moved = std::nullopt;
    EXPECT_EQ(count, 1);
    EXPECT_EQ(other->count, &count);
  }
  EXPECT_EQ(count, 0);
}

}  // namespace
}  // namespace pteedit::rare_test
