#include "delegates/aoti.h"

#include <gtest/gtest.h>

#include "program_builder.h"
#include "pteedit/verify.h"
#include "test_blobs.h"

namespace pteedit::aoti_test {
namespace {

using namespace test;  // NOLINT: blobs and what is found in them
using Names = std::vector<std::string>;
constexpr const char* kCuda = "CudaBackend";
constexpr const char* kMetal = "MetalBackend";

TestBlob TextBlob(const std::string& text) {
  TestBlob blob;
  AppendText(blob.bytes, text);
  return blob;
}

void AddText(std::vector<uint8_t>& bytes, const std::string& text) {
  Append(bytes, static_cast<uint32_t>(text.size()));
  AppendText(bytes, text);
}

struct Weight {
  std::string name, key;
  uint64_t bytes = 0;
  int32_t type = 6, device = 1;
  int64_t first = 0;
  std::vector<int64_t> sizes;
};

TestBlob ListBlob(const std::vector<Weight>& weights) {
  TestBlob blob = TextBlob("ETCUDAFQN3");
  AddText(blob.bytes, "a_so_blob");
  Append(blob.bytes, static_cast<uint32_t>(weights.size()));
  for (const Weight& weight : weights) {
    AddText(blob.bytes, weight.name);
    AddText(blob.bytes, weight.key);
    Append(blob.bytes, weight.bytes);
    Append(blob.bytes, weight.type);
    Append(blob.bytes, weight.device);
    Append(blob.bytes, weight.first);
    Append(blob.bytes, static_cast<uint32_t>(weight.sizes.size()));
    for (const int64_t size : weight.sizes) Append(blob.bytes, size);
    for (size_t i = 0; i < weight.sizes.size(); ++i) Append(blob.bytes, int64_t{1});
  }
  return blob;
}

TEST(Aoti, TakesKeysFromText) {
  for (const char* backend : {kCuda, kMetal}) {
    const TestBlob blob = TextBlob("b_so_blob\na_weights_blob");
    const DecodedBlob decoded = Decoded(backend, blob);
    ExpectIsWhole(decoded, blob.bytes.size());
    EXPECT_EQ(decoded.keys, (Names{"a_weights_blob", "b_so_blob"}));
    EXPECT_EQ(ConstantWords(decoded), Names{"weights a_weights_blob  [] 0 @0"});
    EXPECT_EQ(FactOf(decoded, "library"), "b_so_blob");
    EXPECT_EQ(PartWords(decoded), Names{"keys 0 24"});
  }
}

TEST(Aoti, MakesKeysFromMethodWhereTheBlobIsEmpty) {
  const Container program = ProgramBuilder().Method("forward").NamedData("forward_weights_blob", Pattern(40, 1)).Open();
  const ProgramSet named(program);
  const DecodedBlob decoded = Decoded(kCuda, {{}, {{"method_name", "forward"}}}, &named);
  EXPECT_EQ(decoded.keys, (Names{"forward_so_blob", "forward_weights_blob"}));
  EXPECT_EQ(ConstantWords(decoded), Names{"weights forward_weights_blob  [] 40 @0"});
  EXPECT_EQ(FactOf(decoded, "method_name"), "forward");
  EXPECT_TRUE(decoded.parts.empty());
  EXPECT_EQ(Decoded(kMetal, {}).keys, (Names{"so_blob", "weights_blob"}));
}

TEST(Aoti, ListsWeightsByName) {
  const TestBlob blob = ListBlob({{"b.weight", "cuda_fqn_weight:cuda:b.weight", 24, 6, 1, 0, {2, 3}},
                                  {"a.bias", "cuda_fqn_weight:cpu:a.bias", 2, 5, 0, 0, {}}});
  const DecodedBlob decoded = Decoded(kCuda, blob);
  ExpectIsWhole(decoded, blob.bytes.size());
  EXPECT_EQ(ConstantWords(decoded), (Names{"b.weight cuda_fqn_weight:cuda:b.weight float32 [2,3] 24 @0",
                                           "a.bias cuda_fqn_weight:cpu:a.bias float16 [] 2 @0"}));
  EXPECT_EQ(decoded.keys, (Names{"a_so_blob", "cuda_fqn_weight:cpu:a.bias", "cuda_fqn_weight:cuda:b.weight"}));
  EXPECT_EQ(FactOf(decoded, "library"), "a_so_blob");
  EXPECT_EQ(Decoded(kCuda, ListBlob({})).keys, Names{"a_so_blob"});
}

TEST(Aoti, ListsAllKeys) {
  for (const char* backend : {kCuda, kMetal}) EXPECT_TRUE(FindDecoder(backend)->lists_all_keys) << backend;
}

// The library is no constant, but needed as well.
TEST(Aoti, VerifyMissesLibraryAndWeights) {
  const auto missing = [](const Names& keys) {
    ProgramBuilder program;
    program.Method("forward").Delegate(kCuda, TextBlob("b_so_blob\na_weights_blob").bytes);
    for (const std::string& key : keys) program.NamedData(key, Pattern(8, 1));
    const auto found = VerifyOpened(program.Open());
    EXPECT_TRUE(found);
    Names messages;
    for (const Finding& finding : found->at(0).findings) {
      if (finding.id == "key-missing") messages.push_back(finding.message);
    }
    return messages;
  };
  const std::string words = ", which neither the program nor a data file has";
  EXPECT_EQ(missing({"a_weights_blob", "b_so_blob"}), Names());
  EXPECT_EQ(missing({"a_weights_blob"}), Names{"needs key 'b_so_blob'" + words});
  EXPECT_EQ(missing({"b_so_blob"}), Names{"needs key 'a_weights_blob'" + words});
}

TEST(Aoti, NamesDamage) {
  const auto why = [](const TestBlob& blob) { return WhyOpaque(kCuda, blob); };
  EXPECT_EQ(why(TextBlob("a_so_blob")), "blob has no second line, two keys expected");
  EXPECT_EQ(why(TextBlob("a\n")), "blob has line '', a key expected");
  EXPECT_EQ(why(TextBlob("a\nb\n")), "blob has line 'b\\x0a', a key expected");
  EXPECT_EQ(why(TextBlob(std::string(5000, 'a'))), "blob has 5000 bytes, two keys of together at most 4096 expected");
  TestBlob longer = ListBlob({});
  longer.bytes.push_back(0);
  EXPECT_EQ(why(longer), "list of weights ends at 0x1b, the blob has 28 bytes");
  EXPECT_EQ(why(TextBlob("ETCUDAFQN3")), "blob ends within key of the library (10 bytes)");
  TestBlob many = TextBlob("ETCUDAFQN3");
  AddText(many.bytes, "a");
  Append(many.bytes, uint32_t{100'001});
  EXPECT_EQ(why(many), "list has 100001 weights, at most 100000 are looked into");
  TestBlob text = TextBlob("ETCUDAFQN3");
  Append(text.bytes, uint32_t{4097});
  EXPECT_EQ(why(text), "key of the library has a text of 4097 bytes, at most 4096 expected");
  const std::string senseless = ", which makes no sense";
  EXPECT_EQ(why(ListBlob({{"a", "", 0, 6, 1, 0, {}}})),
            "weight 0 has key '', element type 6, device 1, first element 0 and 0 dimensions" + senseless);
  EXPECT_EQ(why(ListBlob({{"a", "k", 0, 128, 1, 0, {}}})),
            "weight 0 has key 'k', element type 128, device 1, first element 0 and 0 dimensions" + senseless);
  EXPECT_EQ(why(ListBlob({{"a", "k", 0, 6, 2, 0, {}}})),
            "weight 0 has key 'k', element type 6, device 2, first element 0 and 0 dimensions" + senseless);
  EXPECT_EQ(why(ListBlob({{"a", "k", 0, 6, 1, -1, {}}})),
            "weight 0 has key 'k', element type 6, device 1, first element -1 and 0 dimensions" + senseless);
  EXPECT_EQ(why(ListBlob({{"a", "k", 0, 6, 1, 0, std::vector<int64_t>(17)}})),
            "weight 0 has key 'k', element type 6, device 1, first element 0 and 17 dimensions" + senseless);
  EXPECT_EQ(why(ListBlob({{"a", "k", 0, 6, 1, 0, {-1}}})), "weight 0 has size or stride -1");
}

TEST(Aoti, SurvivesDamage) {
  ExpectSurvivesDamage(kCuda, ListBlob({{"b.weight", "kb", 24, 6, 1, 0, {2, 3}}, {"a", "ka", 2, 5, 0, 0, {}}}));
  ExpectSurvivesDamage(kMetal, TextBlob("b_so_blob\na_weights_blob"));
}

}  // namespace
}  // namespace pteedit::aoti_test
