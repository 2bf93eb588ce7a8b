#include "delegates/tensorrt.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "test_blobs.h"

namespace pteedit::tensorrt_test {
namespace {

using namespace test;  // NOLINT: blobs and what is found in them
using Names = std::vector<std::string>;
constexpr const char* kBackend = "TensorRTBackend";
constexpr const char* kBindings = R"({"io_bindings":[{"name":"x","dtype":"float32","shape":[-1,3],"is_input":true},)"
                                  R"({"name":"output0","dtype":"float16","shape":[],"is_input":false}]})";

std::string Engine() {
  std::string engine("ftrt\0\0\0\0", 8);
  engine.resize(24, 'e');
  engine += {10, 3, 0, 26};
  return engine + std::string(12, 'w');
}

// As the exporter writes it.
TestBlob Blob(const std::string& metadata, const std::string& engine = Engine(), const std::string& magic = "TR01") {
  TestBlob blob;
  const size_t at = (32 + metadata.size() + 15) / 16 * 16;
  AppendText(blob.bytes, magic);
  Append(blob.bytes, uint32_t{32});
  Append(blob.bytes, static_cast<uint32_t>(metadata.size()));
  Append(blob.bytes, static_cast<uint32_t>(at));
  Append(blob.bytes, uint64_t{engine.size()});
  Append(blob.bytes, uint64_t{0});
  AppendText(blob.bytes, metadata);
  blob.bytes.resize(at);
  AppendText(blob.bytes, engine);
  return blob;
}

// With another number of 32 bits in the header.
TestBlob WithNumber(size_t offset, uint32_t number) {
  TestBlob blob = Blob(kBindings);
  for (size_t i = 0; i < sizeof(number); ++i) blob.bytes[offset + i] = static_cast<uint8_t>(number >> (8 * i));
  return blob;
}

TEST(Tensorrt, TellsBindingsAndRelease) {
  TestBlob blob = Blob(kBindings);
  blob.specs = {{"tensorrt_compile_spec", R"({"precision":"fp16","dla_core":-1})"}};
  const DecodedBlob decoded = Decoded(kBackend, blob);
  EXPECT_EQ(FactOf(decoded, "blob_version"), "TR01");
  EXPECT_EQ(FactOf(decoded, "tensorrt_version"), "10.3.0.26");
  EXPECT_EQ(FactOf(decoded, "inputs"), "1: x: float32[-1, 3]");
  EXPECT_EQ(FactOf(decoded, "outputs"), "1: output0: float16[]");
  EXPECT_EQ(FactOf(decoded, "precision"), "fp16");
  EXPECT_EQ(PartWords(decoded), (Names{"header 0 32", "bindings 32 144", "engine 176 40"}));
  ExpectIsWhole(decoded, blob.bytes.size());
  ExpectSurvivesDamage(kBackend, blob);
}

TEST(Tensorrt, TellsAliasedOutputsAndTheDevice) {
  const std::string metadata = std::string(kBindings, std::string(kBindings).size() - 1) +
                               R"(,"aliased_io":[{"output":"output0","input":"x","kind":"user"}],)"
                               R"("hardware_compatible":true,"device_id":1})";
  const DecodedBlob decoded = Decoded(kBackend, Blob(metadata, Engine(), "TR02"));
  EXPECT_EQ(FactOf(decoded, "aliased_outputs"), "1");
  EXPECT_EQ(FactOf(decoded, "hardware_compatible"), "true");
  EXPECT_EQ(FactOf(decoded, "device_id"), "1");
}

TEST(Tensorrt, EngineOfAnotherSerializationHasNoVersion) {
  std::string other = Engine();
  other[4] = 1;
  for (const std::string& engine : {std::string("short"), other})
    EXPECT_EQ(FactOf(Decoded(kBackend, Blob(kBindings, engine)), "tensorrt_version"), "");
}

TEST(Tensorrt, NamesDamage) {
  EXPECT_EQ(WhyOpaque(kBackend, {}), "header of 32 bytes at 0x0 is not inside the processed blob (0 bytes)");
  EXPECT_EQ(WhyOpaque(kBackend, Blob(kBindings, Engine(), "TR03")),
            "blob begins with 'TR03', 'TR01' or 'TR02' expected");
  EXPECT_EQ(WhyOpaque(kBackend, WithNumber(4, 31)),
            "metadata of 144 bytes at 0x1f is not between header and end of the blob (216 bytes)");
  EXPECT_EQ(WhyOpaque(kBackend, WithNumber(12, 160)),
            "engine of 40 bytes at 0xa0 is not between metadata and end of the blob (216 bytes)");
  EXPECT_EQ(WhyOpaque(kBackend, WithNumber(16, 41)),
            "engine of 41 bytes at 0xb0 is not between metadata and end of the blob (216 bytes)");
  TestBlob odd = WithNumber(12, 177);
  odd.bytes.push_back(0);
  EXPECT_EQ(WhyOpaque(kBackend, odd), "engine is at 0xb1, a multiple of 16 expected");
  EXPECT_EQ(WhyOpaque(kBackend, Blob(kBindings, Engine(), "TR02")),
            "blob is 'TR02', but its metadata has no aliased_io");
}

TEST(Tensorrt, RefusesBindingsThatItsRuntimeRefuses) {
  const auto why = [](const std::string& bindings) {
    return WhyOpaque(kBackend, Blob(R"({"io_bindings":)" + bindings + "}"));
  };
  EXPECT_EQ(why("7"), "metadata has no list of io_bindings");
  EXPECT_EQ(why(R"([{"is_input":true}])"), "binding 0 has no name");
  EXPECT_EQ(why(R"([{"name":"x"}])"), "binding 'x' does not say whether it is an input");
  EXPECT_EQ(why(R"([{"name":"x","is_input":true},{"name":"x","is_input":false}])"), "two bindings are called 'x'");
}

}  // namespace
}  // namespace pteedit::tensorrt_test
