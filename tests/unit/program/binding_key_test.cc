#include "program/binding_key.h"

#include <gtest/gtest.h>

#include "io/digest.h"
#include "program/container_state.h"
#include "program_builder.h"

namespace pteedit::binding_key_test {
namespace {

using namespace pteedit::test;

const std::vector<uint8_t> kEight{0, 1, 2, 3, 4, 5, 6, 7};

std::string KeyOf(const DataFileBuilder& data) { return *BindingKeyOf(data.Open(), 1); }

TEST(BindingKey, IsFixedForEver) {
  const auto data = DataFileBuilder().Key("w", kEight, Floats({2})).Key("b", {1, 2, 3});
  EXPECT_EQ(KeyOf(data), "pteedit.base/5674898aee503df54f32aa6f9c6f0597ce05a3d1");
}

TEST(BindingKey, TellsKeysLayoutsAndContentsAndNothingElse) {
  const std::string key = KeyOf(DataFileBuilder().Key("w", kEight, Floats({2})).Key("b", {1, 2, 3}));
  EXPECT_EQ(KeyOf(DataFileBuilder().Key("b", {1, 2, 3}).Key("w", kEight, Floats({2}))), key) << "another order";
  DataFileBuilder aligned = DataFileBuilder().Key("w", kEight, Floats({2})).Key("b", {1, 2, 3});
  aligned.segments.alignment = 4096;
  EXPECT_EQ(KeyOf(aligned), key) << "other places";
  const auto bound = DataFileBuilder().Key("w", kEight, Floats({2})).Key("b", {1, 2, 3}).Key(key, {}, BindingLayout());
  EXPECT_EQ(KeyOf(bound), key) << "what binds";
  EXPECT_NE(KeyOf(DataFileBuilder().Key("v", kEight, Floats({2})).Key("b", {1, 2, 3})), key) << "another key";
  EXPECT_NE(KeyOf(DataFileBuilder().Key("w", kEight, Floats({2, 1})).Key("b", {1, 2, 3})), key) << "another layout";
  EXPECT_NE(KeyOf(DataFileBuilder().Key("w", kEight).Key("b", {1, 2, 3})), key) << "no layout";
  EXPECT_NE(KeyOf(DataFileBuilder().Key("w", kEight, Floats({2})).Key("b", {1, 2, 4})), key) << "other bytes";
  EXPECT_NE(KeyOf(DataFileBuilder().Key("w", kEight, Floats({2}))), key) << "an entry less";
}

TEST(BindingKey, AKeyThatLooksLikeTwoEntriesIsOne) {
  const std::string hash = Sha256Of(ByteSpan{kEight.data(), kEight.size()}).Hex();
  const auto two = DataFileBuilder().Key("a", kEight).Key("b", kEight);
  const auto one = DataFileBuilder().Key("a - " + hash + "\n1 b", kEight);
  EXPECT_NE(KeyOf(two), KeyOf(one));
}

TEST(BindingKey, OnlyWhatHasItsFormBinds) {
  const std::string key = "pteedit.base/0123";
  const auto data = DataFileBuilder().Key(key, {}, BindingLayout()).Key(key + "4", {1, 2, 3, 4}, Floats({1})).Open();
  EXPECT_EQ(BindingsIn(data), std::vector<std::string_view>{key});
  ProgramBuilder program;
  program.Method("forward").External(key, BindingLayout()).External(key + "4", Floats({1}));
  const Container opened = program.Open();
  EXPECT_EQ(BindingsOf(opened.state().program_root()), std::vector<std::string_view>{key});
}

}  // namespace
}  // namespace pteedit::binding_key_test
