#include "delegates/coreml.h"

#include <gtest/gtest.h>

#include "coreml_folders.h"
#include "program_builder.h"
#include "pteedit/verify.h"

namespace pteedit::coreml_test {
namespace {

using namespace test;  // NOLINT: blobs and what is found in them
using Names = std::vector<std::string>;
constexpr const char* kBackend = "CoreMLBackend";
const std::string kModelFolder = "model.mlpackage/Data/com.apple.CoreML/";

std::string OneMethod() { return R"({"inputNames": ["x", "y"], "outputNames": ["z"], "identifier": "id"})"; }

// Two functions that share a weight; one has an operator with a block inside.
std::string TwoFunctions() {
  const std::string inner = Field(4, MilOperator("add", "i") + MilConstant("w1", 192, {3}));
  const std::string quantized =
      Field(2, MapEntry("data", Field(1, Field(2, MilFileValueOf("@model_path/weights/weight.bin", 192, {3})))));
  return MilModelOf(MilFunctionOf("one", MilConstant("w0", 64, {2, 2}) + MilOperator("linear", "y")) +
                    MilFunctionOf("two", MilConstant("w0", 64, {4}) + MilOperator("cond", "c", inner) +
                                             MilOperator("constexpr_shift", "q", quantized)));
}

std::vector<uint8_t> FolderOf(const std::string& model, const std::string& weights, const std::string& metadata) {
  return Folder({{"metadata.json", metadata},
                 {kModelFolder + "weights/weight.bin", weights},
                 {kModelFolder + "model.mlmodel", model},
                 {"model.mlpackage/Manifest.json", "{}"}});
}

std::string TwoWeights() { return WeightFile({{1, 8}, {8, 3}}); }

TestBlob TwoFunctionFolder() { return {FolderOf(TwoFunctions(), TwoWeights(), OneMethod()), {}}; }

TestBlob Reference(const std::string& json) {
  TestBlob blob;
  AppendText(blob.bytes, "CMJR" + json);
  return blob;
}

TEST(Coreml, FindsWhatAnotherDecoderFound) {
  const std::map<int, std::string> types = {{1, "fp16"}};
  for (const std::string name : {"delegates/coreml_conv", "delegates/coreml_lin"}) {
    SCOPED_TRACE(name);
    const TestBlob blob = BlobOfFile(name + ".pte", kBackend);
    const DecodedBlob decoded = Decoded(kBackend, blob);
    ExpectIsWhole(decoded, blob.bytes.size());
    const nlohmann::json expected = ExpectedBlob(name + ".json");
    const nlohmann::json& files = expected.at("files");
    ASSERT_EQ(decoded.parts.size(), files.size() + 1);
    for (const BlobPart& part : decoded.parts) {
      if (&part == &decoded.parts.back()) break;
      ASSERT_TRUE(files.contains(part.name)) << part.name;
      EXPECT_EQ(part.extent.offset, files.at(part.name).at("offset"));
      EXPECT_EQ(part.extent.size, files.at(part.name).at("size"));
    }
    EXPECT_EQ(decoded.parts.back().name, "list of files");
    EXPECT_EQ(decoded.parts.back().extent.size, expected.at("metadata_json_bytes"));
    Names operators = expected.at("mil").at("functions").at("main").get<Names>();
    std::erase(operators, "const");
    EXPECT_EQ(decoded.operators, operators);
    EXPECT_EQ(FactOf(decoded, "specification_version"), expected.at("mil").at("spec_version").dump());
    EXPECT_EQ(FactOf(decoded, "identifier"), expected.at("metadata").at("identifier").get<std::string>());
    EXPECT_EQ(FactOf(decoded, "inputs"), expected.at("metadata").at("inputNames").at(0).get<std::string>());
    EXPECT_EQ(FactOf(decoded, "outputs"), expected.at("metadata").at("outputNames").at(0).get<std::string>());
    const nlohmann::json& weights = expected.at("weight_bin").at("blobs");
    const uint64_t base = files.at(kModelFolder + "weights/weight.bin").at("offset");
    ASSERT_EQ(decoded.constants.size(), weights.size());
    for (size_t i = 0; i < weights.size(); ++i) {
      EXPECT_EQ(decoded.constants[i].dtype, types.at(weights[i].at("dtype")));
      EXPECT_EQ(decoded.constants[i].bytes, weights[i].at("size"));
      EXPECT_EQ(decoded.constants[i].extent.offset, base + weights[i].at("offset").get<uint64_t>());
      EXPECT_EQ(decoded.constants[i].extent.size, decoded.constants[i].bytes);
    }
    EXPECT_TRUE(decoded.keys.empty());
  }
}

TEST(Coreml, NamesConstantsAsTheProgramDoes) {
  const DecodedBlob decoded = Decoded(kBackend, BlobOfFile("delegates/coreml_conv.pte", kBackend));
  EXPECT_EQ(ConstantWords(decoded),
            (Names{"p_conv_weight_to_fp16  fp16 [8,3,3,3] 432 @868", "p_fc_weight_to_fp16  fp16 [10,512] 10240 @1380",
                   "p_fc_bias_to_fp16  fp16 [10] 20 @11684"}));
  EXPECT_EQ(FactOf(decoded, "min_deployment_target"), "8");
  EXPECT_EQ(FactOf(decoded, "compute_units"), "all");
}

TEST(Coreml, DecodesAllFunctionsOfAFolder) {
  const DecodedBlob decoded = Decoded(kBackend, TwoFunctionFolder());
  EXPECT_EQ(decoded.operators, (Names{"linear", "cond", "add", "constexpr_shift"}));
  const uint64_t weights = OneMethod().size();
  EXPECT_EQ(ConstantWords(decoded), (Names{"w0  fp16 [2,2] 8 @" + std::to_string(weights + 128),
                                           "w1  int4 [3] 3 @" + std::to_string(weights + 256)}));
  EXPECT_EQ(FactOf(decoded, "inputs"), "x, y");
  EXPECT_EQ(FactOf(decoded, "outputs"), "z");
}

TEST(Coreml, ListsWeightsThatNoProgramNames) {
  const TestBlob blob{Folder({{"model.mlmodelc/model.mil", "program(1.0)"},
                              {"model.mlmodelc/weights/weight.bin", WeightFile({{2, 4}, {99, 1}})}}),
                      {}};
  const DecodedBlob decoded = Decoded(kBackend, blob);
  ExpectIsWhole(decoded, blob.bytes.size());
  EXPECT_EQ(ConstantWords(decoded), (Names{"  fp32 [] 4 @140", "  type 99 [] 1 @268"}));
  EXPECT_TRUE(decoded.operators.empty());
}

TEST(Coreml, FollowsReferenceToOneFunction) {
  const Container data = DataFileBuilder().Key("k", TwoFunctionFolder().bytes).Open("d.ptd");
  const Container program = ProgramBuilder().Method("forward").Open();
  const ProgramSet named(program, {data});
  const auto decode = [&](const std::string& function) {
    return Decoded(kBackend, Reference(R"({"version": 1, "key": "k", "functionName": ")" + function + "\"}"), &named);
  };
  const DecodedBlob one = decode("one");
  EXPECT_EQ(one.operators, (Names{"linear"}));
  EXPECT_EQ(ConstantWords(one), Names{"w0 k fp16 [2,2] 8 @0"});
  EXPECT_EQ(one.keys, Names{"k"});
  EXPECT_EQ(FactOf(one, "function"), "one");
  EXPECT_EQ(PartWords(one), Names{"reference 0 53"});
  const DecodedBlob two = decode("two");
  EXPECT_EQ(two.operators, (Names{"cond", "add", "constexpr_shift"}));
  EXPECT_EQ(ConstantWords(two), (Names{"w0 k fp16 [4] 8 @0", "w1 k int4 [3] 3 @0"}));
  EXPECT_EQ(WhyOpaque(kBackend, Reference(R"({"key": "k", "functionName": "three"})"), &named),
            "model under key 'k': model has no function 'three'");
}

TEST(Coreml, ReadsOnlyTheFunctionThatIsAskedFor) {
  const std::string damaged = Field(2, MapEntry("two", Field(3, std::string("\x0a\x7f"))));
  const std::vector<uint8_t> folder = Folder({{"model.mlpackage/Data/com.apple.CoreML/model.mlmodel",
                                               MilModelOf(MilFunctionOf("one", MilOperator("add", "x")) + damaged)}});
  const Container data = DataFileBuilder().Key("k", folder).Open("d.ptd");
  const Container program = ProgramBuilder().Method("forward").Open();
  const ProgramSet named(program, {data});
  EXPECT_EQ(Decoded(kBackend, Reference(R"({"key": "k", "functionName": "one"})"), &named).operators, Names{"add"});
  EXPECT_FALSE(WhyOpaque(kBackend, Reference(R"({"key": "k", "functionName": "two"})"), &named).empty());
  EXPECT_FALSE(WhyOpaque(kBackend, {folder, {}}).empty());
}

TEST(Coreml, KnowsKeyOfReferenceThatLeadsNowhere) {
  const DecodedBlob decoded = Decoded(kBackend, Reference(R"({"version": 1, "key": "k", "functionName": "f"})"));
  EXPECT_EQ(decoded.keys, Names{"k"});
  EXPECT_TRUE(decoded.operators.empty());
  EXPECT_TRUE(FindDecoder(kBackend)->lists_all_keys);
}

TEST(Coreml, VerifyMissesModelOfReference) {
  const std::vector<uint8_t> reference = Reference(R"({"version": 1, "key": "k", "functionName": "one"})").bytes;
  const auto ids = [&](const std::vector<uint8_t>& model) {
    ProgramBuilder program;
    program.Method("one").Delegate(kBackend, reference);
    if (!model.empty()) program.NamedData("k", model);
    const auto found = VerifyOpened(program.Open());
    EXPECT_TRUE(found);
    Names listed;
    for (const Finding& finding : found->at(0).findings) {
      if (finding.id == "key-missing" || finding.id == "blob-unread") listed.push_back(finding.id);
    }
    return listed;
  };
  EXPECT_EQ(ids({}), Names{"key-missing"});
  EXPECT_EQ(ids(TwoFunctionFolder().bytes), Names());
  EXPECT_EQ(ids({1, 2, 3}), Names{"blob-unread"});
}

TEST(Coreml, NamesWrongReferences) {
  const auto why = [](const std::string& json) { return WhyOpaque(kBackend, Reference(json)); };
  EXPECT_EQ(why("{}"), "reference has no key");
  EXPECT_EQ(why(R"({"version": 2, "key": "k"})"), "reference is of version 2, 1 expected");
  EXPECT_EQ(why("{"), "reference is no JSON from byte 2 on");
  EXPECT_EQ(why(std::string(70'000, ' ')), "reference has 70000 bytes, at most 65536 are looked into");
}

TEST(Coreml, NamesWrongLists) {
  const auto why = [](const std::string& list) { return WhyOpaque(kBackend, {FolderWithList("data", list), {}}); };
  EXPECT_EQ(why(""), "blob ends with 'a', neither 'CMJR' at its start nor '{' at its end");
  EXPECT_EQ(WhyOpaque(kBackend, {}), "list of files does not end before the blob's start (0 bytes)");
  EXPECT_EQ(why("{\"nodes\": \"}"), "list of files does not end before the blob's start (16 bytes)");
  EXPECT_EQ(why("{}"), "list of files has no nodes");
  EXPECT_EQ(why(R"({"nodes": []})"), "list of files has no nodes");
  EXPECT_EQ(why(R"({"nodes": [{}]})"), "node 0 of the files is neither file nor folder");
  const auto tree = [&](const std::string& children, const std::string& file) {
    return why(R"({"nodes": [{"kind": 0, "dataRegion": )" + file + R"(}, {"kind": 1, "children": )" + children + "}]}");
  };
  const std::string whole = R"({"offset": 0, "size": 4})";
  EXPECT_EQ(tree(R"({"a": 0})", whole), "");
  EXPECT_EQ(tree(R"({"a": 0, "b": 0})", whole), "path 'a' is node 0, which has another path too");
  EXPECT_EQ(tree(R"({"a": 2})", whole), "path 'a' is node 2 of the files, which does not exist: there are 2");
  EXPECT_EQ(tree(R"({"a": 1})", whole), "path 'a' is node 1, which has another path too");
  EXPECT_EQ(tree(R"({"a": "0"})", whole), "file 'a' in '' has no node");
  EXPECT_EQ(tree(R"({"a": 0})", "{}"), "file 'a' does not say where its bytes are");
  EXPECT_EQ(tree(R"({"a": 0})", R"({"offset": 1, "size": 4})"),
            "file 'a' of 4 bytes at 0x1 is not inside the files' 4 bytes");
  for (const std::string name : {"", ".", "..", "a/b", "/a", "a\\\\b", "a\\u0000"}) {
    EXPECT_NE(tree("{\"" + name + "\": 0}", whole), "") << name;
  }
  EXPECT_EQ(tree(R"({"..": 0})", whole), "file in '' is called '..', which is no name of a file");
  EXPECT_EQ(tree("{\"" + std::string(5000, 'a') + "\": 0}", whole),
            "path of file '" + std::string(200, 'a') + "…' has more than 1024 bytes");
}

TEST(Coreml, BoundsLists) {
  nlohmann::json nodes = nlohmann::json::array();
  for (int i = 0; i < 10'001; ++i) nodes.push_back(nlohmann::json::object());
  const auto why = [](const nlohmann::json& list) {
    return WhyOpaque(kBackend, {FolderWithList("data", nlohmann::json{{"nodes", list}}.dump()), {}});
  };
  EXPECT_EQ(why(nodes), "list of files has 10001 nodes, at most 10000 are looked into");
  EXPECT_EQ(why({{{"kind", 1}, {"children", {{"a", 0}, {"b", 0}}}}}),
            "folder '' has 2 files, more than there are nodes");
}

TEST(Coreml, NamesFilesThatOverlap) {
  const auto why = [](int offset, const std::string& second) {
    const nlohmann::json list = {{"nodes",
                                  {{{"kind", 0}, {"dataRegion", {{"offset", 0}, {"size", 3}}}},
                                   {{"kind", 0}, {"dataRegion", {{"offset", offset}, {"size", 1}}}},
                                   {{"kind", 1}, {"children", {{"a", 0}, {second, 1}}}}}}};
    return WhyOpaque(kBackend, {FolderWithList("data", list.dump()), {}});
  };
  EXPECT_EQ(why(3, "b"), "");
  EXPECT_EQ(why(2, "b"), "files 'a' and 'b' overlap at 0x2");
}

TEST(Coreml, NamesWrongWeights) {
  const auto why = [](const std::string& model, const std::string& weights) {
    return WhyOpaque(kBackend, {FolderOf(model, weights, OneMethod()), {}});
  };
  const std::string file = "'" + kModelFolder + "weights/weight.bin'";
  const std::string none = MilModelOf("");
  EXPECT_EQ(why(none, ""), "");
  EXPECT_EQ(why(none, "short"), "file " + file + " has 5 bytes, at least 64 expected");
  std::string weights = TwoWeights();
  weights[4] = 3;
  EXPECT_EQ(why(none, weights), "file " + file + " is of version 3, 2 expected");
  weights = TwoWeights();
  weights[0] = 3;
  EXPECT_EQ(why(none, weights), "weight at 0x140 of " + file + " is not inside the file (259 bytes)");
  weights = TwoWeights();
  weights[64] = 0;
  EXPECT_EQ(why(none, weights), "weight at 0x40 of " + file + " begins with 0xdeadbe00, 0xdeadbeef expected");
  weights = TwoWeights();
  weights[64 + 9] = 1;
  EXPECT_EQ(why(none, weights), "weight at 0x40 of " + file + " has 264 bytes at 0x80, the file has 259 bytes");
  weights = TwoWeights();
  weights[64 + 16] = 0;
  EXPECT_EQ(why(none, weights), "weight at 0x40 of " + file + " lies before its description");
  weights = TwoWeights();
  weights[3] = 1;
  EXPECT_EQ(why(none, weights), "file " + file + " has 16777218 weights, at most 100000 are looked into");
  const auto value = [&](const std::string& path) {
    return MilModelOf(
        MilFunctionOf("f", MilOperator("const", "c", Field(5, MapEntry("val", MilFileValueOf(path, 64, {}))))));
  };
  EXPECT_EQ(why(value("@model_path/weights/weight.bin"), TwoWeights()), "");
  EXPECT_EQ(why(value("@model_path/other.bin"), TwoWeights()),
            "value 'c' is in file '@model_path/other.bin', which is not there");
  EXPECT_EQ(why(value("weights/weight.bin"), TwoWeights()),
            "value 'c' is in file 'weights/weight.bin', which is not there");
}

TEST(Coreml, BoundsPrograms) {
  const auto why = [](const std::string& operators) {
    return WhyOpaque(kBackend, {FolderOf(MilModelOf(MilFunctionOf("f", operators)), TwoWeights(), OneMethod()), {}});
  };
  std::string nested;
  for (int i = 0; i < 15; ++i) nested = MilOperator("cond", "c", Field(4, nested));
  EXPECT_EQ(why(nested), "");
  EXPECT_EQ(why(MilOperator("cond", "c", Field(4, nested))), "program has more than 16 levels of blocks");
  std::string many;
  for (int i = 0; i < 200'001; ++i) many += std::string("\x1A\0", 2);
  EXPECT_EQ(why(many), "program has more than 200000 operators");
}

TEST(Coreml, RefusesModelThatIsTooLarge) {
  const uint64_t size = uint64_t{65} << 20;
  const nlohmann::json list = {{"nodes",
                                {{{"kind", 0}, {"dataRegion", {{"offset", 0}, {"size", size}}}},
                                 {{"kind", 1}, {"children", {{"model.mlmodel", 0}}}},
                                 {{"kind", 1}, {"children", {{"com.apple.CoreML", 1}}}},
                                 {{"kind", 1}, {"children", {{"Data", 2}}}},
                                 {{"kind", 1}, {"children", {{"model.mlpackage", 3}}}}}}};
  std::string tail = list.dump();
  std::reverse(tail.begin(), tail.end());
  const auto source = MakeCallbackSource("huge", size + tail.size(), [&](uint64_t offset, MutableByteSpan out) {
    for (size_t i = 0; i < out.size; ++i) {
      out.data[i] = offset + i < size ? 0 : static_cast<uint8_t>(tail[offset + i - size]);
    }
    return Status();
  });
  const Result<DecodedBlob> decoded = DecodeCoreml({source, {0, source->size()}, {}, nullptr});
  ASSERT_FALSE(decoded);
  EXPECT_EQ(decoded.error().message, "file 'model.mlmodel' has 68157440 bytes, at most 67108864 are looked into");
}

// Weights are never read, only what describes them.
TEST(Coreml, ReadsNoWeights) {
  const TestBlob blob = BlobOfFile("delegates/coreml_conv.pte", kBackend);
  std::vector<Extent> weights;
  for (const BlobConstant& constant : Decoded(kBackend, blob).constants) weights.push_back(constant.extent);
  ASSERT_EQ(weights.size(), 3U);
  bool is_list = true;  // the end of the blob is read piece by piece
  const auto source =
      MakeCallbackSource("blob", blob.bytes.size(), [&](uint64_t offset, MutableByteSpan out) -> Status {
        for (const Extent& weight : weights) {
          EXPECT_TRUE(is_list || offset + out.size <= weight.offset || offset >= weight.offset + weight.size) << offset;
        }
        is_list = is_list && offset + out.size != blob.bytes.size();
        std::copy_n(blob.bytes.begin() + static_cast<std::ptrdiff_t>(offset), out.size, out.data);
        return {};
      });
  EXPECT_TRUE(DecodeCoreml({source, {0, blob.bytes.size()}, {}, nullptr}));
}

TEST(Coreml, SurvivesDamage) {
  ExpectSurvivesDamage(kBackend, TwoFunctionFolder());
  ExpectSurvivesDamage(kBackend, BlobOfFile("delegates/coreml_conv.pte", kBackend), 211);
  const Container data = DataFileBuilder().Key("k", TwoFunctionFolder().bytes).Open("d.ptd");
  const Container program = ProgramBuilder().Method("forward").Open();
  const ProgramSet named(program, {data});
  ExpectSurvivesDamage(kBackend, Reference(R"({"version": 1, "key": "k", "functionName": "one"})"), 1, &named);
}

}  // namespace
}  // namespace pteedit::coreml_test
