// What commands learn about a blob, and how often they are asked.
#include "user_decoders.h"

#include <gtest/gtest.h>

#include "test_files.h"

namespace pteedit::cli::user_decoders_test {
namespace {

TEST(VariablesFor, TellBackendAndCompileSpecs) {
  const std::vector<uint8_t> value = {0, 0xab};
  const std::vector<uint8_t> large(40'000, 'x');
  const BlobView view{
      "B_0", "B", nullptr, {{"mode", {value.data(), 2}}, {"\xff", {}}, {"l", {large.data(), large.size()}}}};
  EXPECT_EQ(
      VariablesFor(view),
      (std::vector<std::string>{
          "PTEEDIT_BACKEND=B",
          R"(PTEEDIT_COMPILE_SPECS=[{"key":"mode","bytes":2,"hex":"00ab"},{"key":"\ufffd","key_hex":"ff","bytes":0,)"
          R"("hex":""},{"key":"l","bytes":40000,"hex":null}])"}));
}

TEST(UserDecoders, AskACommandOnceAboutEqualBlobs) {
  const test::TemporaryFolder folder;
  const std::string calls = folder.path() + "/calls";
  auto opened = UserDecoders::Open({}, {"B=echo call >>" + calls + "; echo '{}'"});
  ASSERT_TRUE(opened);
  BlobView view{"B_0", "B", MakeMemorySource("blob", {1, 2}), {}};
  const BlobDecoder& decoder = opened->decoders()[0];
  EXPECT_TRUE(decoder(view)->has_value());
  view.delegate = "B_1";
  EXPECT_TRUE(decoder(view)->has_value());
  view.backend = "C";
  EXPECT_FALSE(decoder(view)->has_value());
  EXPECT_EQ(test::ReadBytes(calls).size(), 5U);
}

}  // namespace
}  // namespace pteedit::cli::user_decoders_test
