#include <gtest/gtest.h>

#include <vector>

#include "program/layout.h"
#include "program_builder.h"
#include "test_files.h"

namespace pteedit::shared_layouts_test {
namespace {

using test::DataFileBuilder;
using test::Pattern;

TEST(SharedLayouts, HoldsEachLayoutOnce) {
  SharedLayouts layouts;
  const TensorLayout layout = RowMajor(6, {2, 3});
  const SharedOptional<TensorLayout> one = layouts(layout);
  EXPECT_EQ(*one, layout);
  EXPECT_EQ(layouts(RowMajor(6, {2, 3})).get(), one.get());
  for (const TensorLayout& other : {RowMajor(7, {2, 3}), RowMajor(6, {3, 2}), TensorLayout{6, {2, 3}, {1, 0}}}) {
    EXPECT_EQ(*layouts(other), other);
    EXPECT_NE(layouts(other).get(), one.get());
  }
}

TEST(SharedLayouts, AreThoseOfTheEntriesOfADataFile) {
  const TensorLayout layout = RowMajor(6, {2});
  const Container data =
      DataFileBuilder().Key("a", Pattern(8, 1), layout).Key("b", Pattern(8, 2), layout).Key("c", Pattern(8, 3)).Open();
  ASSERT_EQ(data.named_data().size(), 3U);
  EXPECT_EQ(*data.named_data()[0].layout, layout);
  EXPECT_EQ(data.named_data()[0].layout.get(), data.named_data()[1].layout.get());
  EXPECT_FALSE(data.named_data()[2].layout);
}

}  // namespace
}  // namespace pteedit::shared_layouts_test
