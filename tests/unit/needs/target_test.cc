#include "pteedit/target.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string_view>

#include "program_builder.h"
#include "pteedit/delegates.h"
#include "test_files.h"

namespace pteedit::target_test {
namespace {

using test::DataPath;
using test::OpenFile;
using test::ProgramBuilder;

Requirements NeedsOf(const Container& program) { return DescribeRequirements(program, *DescribeDelegates(program)); }

// Each with its release behind it.
std::vector<std::string> MissingIn(const Target& target, const Requirements& needs) {
  std::vector<std::string> missing;
  for (const RuntimeNeed& need : CompareWith(target, needs)) missing.push_back(need.what + " " + need.release);
  return missing;
}
std::vector<std::string> MissingIn(const char* release, const Requirements& needs) {
  return MissingIn(*FindTarget(release), needs);
}
std::vector<std::string> MissingIn(const char* release, const Container& program) {
  return MissingIn(release, NeedsOf(program));
}

Result<Target> Read(std::string_view text, const char* name = "build") {
  return ReadTarget({MakeMemorySource(name, {text.begin(), text.end()})});
}
std::string MessageOf(std::string_view text) {
  const Result<Target> target = Read(text);
  return target ? "" : target.error().file + ": " + target.error().message;
}
std::string Json(const std::string& members) { return "{\"schema_version\": 1, " + members + "}"; }

std::vector<std::string> NamesOf(const Target& target) {
  std::vector<std::string> names;
  for (const TargetKernel& kernel : *target.kernels) names.push_back(kernel.name);
  return names;
}

using Texts = std::vector<std::string>;

TEST(Target, LacksWhatCameLaterAndWhatWent) {
  ProgramBuilder program;
  program.Method("forward").NamedData("k", {1});
  EXPECT_EQ(MissingIn("executorch-0.5", program.Open()), Texts{"named data 0.6"});
  EXPECT_TRUE(MissingIn("executorch-0.6", program.Open()).empty());
  const Container old = OpenFile(DataPath("old/0.1_inline.pte"));
  EXPECT_TRUE(MissingIn("executorch-1.2", old).empty());
  EXPECT_EQ(MissingIn("executorch-1.3", old), Texts{"constants in the tables, which no release after 1.2 has 0.1"});
}

TEST(Target, LacksBackendsOfNoReleaseAndThoseThatWent) {
  const auto missing_of = [](const char* backend, const char* release) {
    ProgramBuilder program;
    program.Method("forward").Delegate(backend, {1, 2, 3});
    return MissingIn(release, program.Open());
  };
  EXPECT_EQ(missing_of("MyBackend", "executorch-1.5"), Texts{"backend MyBackend, which no release has "});
  EXPECT_TRUE(missing_of("QnnBackend", "executorch-0.1").empty());
  EXPECT_TRUE(missing_of("MPSBackend", "executorch-1.4").empty());
  EXPECT_EQ(missing_of("MPSBackend", "executorch-1.5"),
            Texts{"backend MPSBackend, which no release after 1.4 has 0.1"});
}

TEST(Target, IsAKnownRelease) {
  EXPECT_EQ(FindTarget("executorch-1.0")->release, "1.0");
  for (const char* offer : {"executorch-0.8", "executorch-01.2", "1.2", "executorch-1.2 "}) {
    EXPECT_EQ(FindTarget(offer).error().message,
              "is '" + std::string(offer) + "', executorch-0.1 to executorch-1.5 expected");
  }
}

TEST(Target, IsAPackageForPhones) {
  const Target android = *FindTarget("executorch-1.2-android");
  EXPECT_EQ(android.release, "1.2");
  EXPECT_EQ(*android.backends, Texts{"XnnpackBackend"});
  EXPECT_EQ(*FindTarget("executorch-1.0-android-vulkan")->backends, (Texts{"VulkanBackend", "XnnpackBackend"}));
  EXPECT_EQ(*FindTarget("executorch-0.4-ios")->backends, (Texts{"CoreMLBackend", "MPSBackend", "XnnpackBackend"}));
  const auto has = [](const char* offer, const char* name) {
    const Texts names = NamesOf(*FindTarget(offer));
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  for (const char* package : {"executorch-1.2-android", "executorch-1.2-ios"}) {
    EXPECT_TRUE(has(package, "aten::add.out")) << package;
    EXPECT_TRUE(has(package, "llama::custom_sdpa.out")) << package;
    EXPECT_FALSE(has(package, "preprocess::tile_crop.out")) << package;       // which only the exporter is given
    EXPECT_FALSE(has(package, "aten::_adaptive_avg_pool2d.out")) << package;  // since 1.3
  }
  EXPECT_TRUE(has("executorch-1.0-ios", "torchao::_linear_8bit_act_4bit_weight.out"));
  EXPECT_FALSE(has("executorch-0.7-ios", "torchao::_linear_8bit_act_4bit_weight.out"));
}

TEST(Target, LacksWhatAPackageHasNot) {
  ProgramBuilder vulkan;
  vulkan.Method("forward").Delegate("VulkanBackend", {1, 2, 3});
  EXPECT_TRUE(MissingIn("executorch-1.2", vulkan.Open()).empty());
  EXPECT_TRUE(MissingIn("executorch-1.2-android-vulkan", vulkan.Open()).empty());
  EXPECT_EQ(MissingIn("executorch-1.2-android", vulkan.Open()), Texts{"backend VulkanBackend 0.1"});
  ProgramBuilder program;
  program.Method("forward").NamedData("k", {1});
  EXPECT_EQ(MissingIn("executorch-0.5-ios", program.Open()), Texts{"named data 0.6"});
}

TEST(Target, IsAPatchOfARelease) {
  EXPECT_EQ(FindTarget("executorch-1.5.1")->release, "1.5");
  EXPECT_EQ(FindTarget("executorch-1.5.1")->name, "executorch-1.5.1");
  EXPECT_EQ(FindTarget("executorch-1.3.1-ios")->backends, FindTarget("executorch-1.3-ios")->backends);
  for (const char* other :
       {"executorch-1.5.", "executorch-1.5.x", "executorch-1.50", "executorch-1.5.1.2", "executorch-"})
    EXPECT_FALSE(FindTarget(other)) << other;
}

TEST(Target, IsNoPackageOfAReleaseThatHasNone) {
  const auto message_of = [](const char* offer) { return FindTarget(offer).error().message; };
  EXPECT_EQ(message_of("executorch-0.3-ios"),
            "is 'executorch-0.3-ios', executorch-0.4-ios to executorch-1.5-ios expected");
  EXPECT_EQ(message_of("executorch-0.7-android-qnn"),
            "is 'executorch-0.7-android-qnn', executorch-1.0-android-qnn to executorch-1.5-android-qnn expected");
  EXPECT_EQ(message_of("executorch-1.2-linux"),
            "is 'executorch-1.2-linux', a release's package android, android-qnn, android-vulkan, ios expected");
  EXPECT_EQ(message_of("executorch-0.8-ios"), "is 'executorch-0.8-ios', executorch-0.1 to executorch-1.5 expected");
}

TEST(Target, LacksKernelsThatAListingHasNot) {
  const Container program = OpenFile(DataPath("f01_add.pte"));
  const Target target = *Read("operators:\n  aten::mul.out: {}\n");
  EXPECT_EQ(MissingIn(target, NeedsOf(program)), Texts{"kernel 'aten::add.out' 0.1"});
  EXPECT_TRUE(MissingIn(*Read("operators:\n  aten::add.out: {}\n"), NeedsOf(program)).empty());
  EXPECT_TRUE(
      MissingIn(*Read("operators:\n  aten::add:\n    include_all_overloads: true\n"), NeedsOf(program)).empty());
  EXPECT_TRUE(MissingIn(*Read("include_all_operators: true\n"), NeedsOf(program)).empty());
}

TEST(Target, LacksTypesThatAListingHasNot) {
  const Container program = OpenFile(DataPath("f01_add.pte"));
  const auto missing_with = [&](const std::string& key) {
    return MissingIn(*Read("operators: {}\net_kernel_metadata:\n  aten::add.out:\n  - " + key + "\n"),
                     NeedsOf(program));
  };
  EXPECT_TRUE(missing_with("v1/6;0,1").empty());
  EXPECT_TRUE(missing_with("default").empty());
  EXPECT_EQ(missing_with("v1/4;0"), Texts{"kernel 'aten::add.out' for float32 "});
}

TEST(Target, HasKernelsOfTheRuntimeInAnyListing) {
  const Target target = *Read("operators:\n  aten::sym_size.int: {}\n");
  const Texts names = NamesOf(target);
  EXPECT_TRUE(std::is_sorted(names.begin(), names.end()));
  EXPECT_EQ(std::count(names.begin(), names.end(), "aten::sym_size.int"), 1);
  EXPECT_EQ(std::count(names.begin(), names.end(), "executorch_prim::add.Scalar"), 1);
  EXPECT_EQ(std::count(names.begin(), names.end(), "aten::add.out"), 0);
}

// Texts end in a zero byte; what stands before them may look like a letter.
TEST(Target, OfALibraryIsWhatItsTextsSay) {
  using namespace std::string_view_literals;
  const Target target = *Read(
      "\x7f\0native_call_add.out\0aten::add.out\0Qaten::mul.out\0my::op.out\0vector::at\0Error::Ok\0XnnpackBackend\0"
      "kHtpBackend\0see XnnpackBackend.h\0Backend of my::other.out?"sv);
  EXPECT_TRUE(target.is_guess);
  EXPECT_EQ(target.name, "build");
  EXPECT_EQ(NamesOf(target), (Texts{"aten::add.out", "aten::mul.out", "my::op.out"}));
  EXPECT_EQ(target.backends, Texts{"XnnpackBackend"});
}

TEST(Target, OfALibraryWithoutNamesIsRefused) {
  using namespace std::string_view_literals;
  EXPECT_EQ(MessageOf("\x7f\0nothing\0"sv),
            "build: has no names of kernels or backends; what it loads has to be named, too: A,B.so");
}

TEST(Target, OfALibraryGoesOverTheBordersOfPieces) {
  constexpr size_t kPiece = size_t{1} << 20;
  std::string library(kPiece - 4, '\0');
  library += std::string("aten::add.out") + '\0' + std::string(300, 'a') + "::x.out" + '\0';
  EXPECT_EQ(NamesOf(*Read(library)), Texts{"aten::add.out"});  // the other is longer than any name
}

TEST(Target, OfTwoPartsHasWhatEitherHas) {
  const auto source = [](const std::string& json) { return MakeMemorySource("x", {json.begin(), json.end()}); };
  const Target both = *ReadTarget(
      {source(Json(R"("name": "a", "kernels": {"x::b.out": null}, "backends": ["B"], "device": {"ptd": 1})")),
       source(Json(R"("name": "b", "kernels": {"x::a.out": ["int8"], "x::b.out": []}, "release": "1.2")"))});
  EXPECT_EQ(both.name, "a,b");
  EXPECT_EQ(both.release, "1.2");
  EXPECT_EQ(NamesOf(both), (Texts{"x::a.out", "x::b.out"}));
  EXPECT_FALSE((*both.kernels)[1].dtypes);
  EXPECT_EQ(both.backends, Texts{"B"});
  EXPECT_EQ(both.device.data_files, 1U);
  EXPECT_EQ(ReadTarget({}).error().message, "has no files");
}

TEST(Target, AsJsonIsWhatItWas) {
  for (const std::string& json :
       {Json(R"("name": "x")"), Json(R"("name": "x", "release": "1.2", "kernels": {}, "backends": [])"),
        Json(R"("name": "x", "kernels": {"a::b.out": ["float32", "int8"], "a::c.out": null}, "guess": true)"),
        Json(R"("name": "x", "device": {"soc": "SM8650", "ram": 6000000000, "ptd": 1})")}) {
    const std::string text = TargetText(*Read(json));
    EXPECT_EQ(TargetText(*Read(text)), text);
    EXPECT_EQ(std::count(text.begin(), text.end(), ':') >= std::count(json.begin(), json.end(), ':'), true) << text;
  }
  EXPECT_EQ(TargetText(*FindTarget("executorch-1.2")),
            "{\n \"schema_version\": 1,\n \"name\": \"executorch-1.2\",\n \"release\": \"1.2\"\n}\n");
}

TEST(Target, AsJsonMayHaveNothingInAnyMember) {
  const Target target = *Read(Json(
      R"("name": null, "release": null, "kernels": null, "backends": null, "guess": null, "device": {"soc": null, "ram": null})"));
  EXPECT_EQ(TargetText(target), "{\n \"schema_version\": 1,\n \"name\": \"build\"\n}\n");
}

TEST(Target, AsJsonIsRefusedWhereItSaysSomethingElse) {
  EXPECT_EQ(MessageOf("{}"), "build: 'schema_version' is not 1");
  EXPECT_EQ(MessageOf(Json(R"("kernel": {})")), "build: there is no member 'kernel'");
  EXPECT_EQ(MessageOf(Json(R"("kernels": [])")), "build: 'kernels' is no object");
  EXPECT_EQ(MessageOf(Json(R"("kernels": {"a": 1})")), "build: 'kernels.a' is no list");
  EXPECT_EQ(MessageOf(Json(R"("release": "0.8")")), "build: 'release' is no release that is known");
  EXPECT_EQ(MessageOf(Json(R"("guess": 1)")), "build: 'guess' is no true or false");
  EXPECT_EQ(MessageOf(Json(R"("device": [])")), "build: 'device' is no object");
  EXPECT_EQ(MessageOf(Json(R"("device": {"cpu": "x"})")),
            "build: 'device' has the part 'cpu', soc, htp, qnn, npu, openvino, tensorrt, vulkan, os expected");
  EXPECT_EQ(MessageOf(Json(R"("device": {"os": "17"})")),
            "build: 'device' has the system '17', a name and a number such as ios17 expected");
}

TEST(Target, OfDamagedTextsIsATargetOrAnError) {
  for (const std::string& whole :
       {Json(R"("release": "1.2", "kernels": {"a::b.out": ["int8"]}, "device": {"os": "ios17", "ptd": 1})"),
        std::string("operators:\n  aten::add.out: {}\net_kernel_metadata:\n  aten::add.out:\n  - v1/6;0,1|7;\n")}) {
    for (size_t i = 0; i < whole.size(); ++i) {
      for (const char letter : {'\0', ' ', '\n', ':', '-', '"', '9', '\xff'}) {
        std::string damaged = whole;
        damaged[i] = letter;
        const Result<Target> target = Read(damaged);
        EXPECT_TRUE(target ? Read(TargetText(*target)).has_value() : !target.error().message.empty()) << damaged;
      }
      const Result<Target> cut = Read(whole.substr(0, i));
      EXPECT_TRUE(cut ? whole.front() != '{' : !cut.error().message.empty()) << i;
    }
  }
}

// What comes with its release is not asked for where the target has lists of its own.
TEST(Target, HasListsOfItsOwnBesideARelease) {
  Requirements needs;
  needs.operators = {{"aten::cos.out", 1, {}}, {"my::op.out", 1, {}}, {"my::uncalled.out", 0, {}}};
  needs.foreign_operators = {"my::op.out"};
  needs.backends = {{"MyBackend", {}, {}, {}}};
  needs.runtime = {{"1.0", "kernel 'aten::cos.out'", "", RuntimeNeed::Kind::kKernel},
                   {"0.9", "backend MyBackend", "", RuntimeNeed::Kind::kBackend},
                   {"0.6", "named data"}};
  const std::string lists = R"("kernels": {"aten::cos.out": null, "my::op.out": null}, "backends": ["MyBackend"])";
  EXPECT_EQ(MissingIn(*Read(Json(R"("release": "0.5", )" + lists)), needs), Texts{"named data 0.6"});
  EXPECT_TRUE(MissingIn(*Read(Json(lists)), needs).empty());
  EXPECT_EQ(MissingIn(*Read(Json(R"("kernels": {}, "backends": [])")), needs),
            (Texts{"kernel 'aten::cos.out' 0.1", "kernel 'my::op.out', which no release has ",
                   "backend MyBackend, which no release has "}));
  EXPECT_EQ(MissingIn("executorch-0.5", needs).size(), 5U);
}

Requirements CalledWith(const char* kernel, int8_t scalar_type) {
  Requirements needs;
  const auto tensor = std::make_shared<TensorArgument>(TensorArgument{scalar_type, {0}});
  needs.operators = {{kernel, 1, {{tensor}}}};
  return needs;
}

// As type_matrix.py heard of the runtimes.
TEST(Target, LacksTypesThatKernelsOfAReleaseDoNotTake) {
  constexpr int8_t kFloat = 6, kHalf = 5, kBfloat16 = 15;
  const Requirements half = CalledWith("aten::gelu.out", kHalf);
  EXPECT_EQ(MissingIn("executorch-0.5", half), Texts{"float16 in kernel 'aten::gelu.out' 0.6"});
  EXPECT_EQ(MissingIn("executorch-0.5-ios", half), Texts{"float16 in kernel 'aten::gelu.out' 0.6"});
  EXPECT_TRUE(MissingIn("executorch-0.6", half).empty());
  EXPECT_TRUE(MissingIn("executorch-0.5", CalledWith("aten::gelu.out", kFloat)).empty());
  EXPECT_EQ(MissingIn("executorch-1.3", CalledWith("aten::_log_softmax.out", kBfloat16)),
            Texts{"bfloat16 in kernel 'aten::_log_softmax.out' 1.4"});
  EXPECT_EQ(MissingIn("executorch-1.5", CalledWith("aten::_fft_r2c.out", kHalf)),
            Texts{"float16 in kernel 'aten::_fft_r2c.out', which no release has "});
  EXPECT_TRUE(MissingIn("executorch-0.4", CalledWith("my::own.out", kHalf)).empty());
  EXPECT_TRUE(
      MissingIn("executorch-0.6", OpenFile(DataPath("f12/f12_bfloat16.pte"))).empty());  // before its schema had it
}

// A kernel that is not there takes nothing, and one whose types are told is what it says.
TEST(Target, LacksTypesOnlyOfKernelsOfItsRelease) {
  const Requirements half = CalledWith("aten::gelu.out", 5);
  const auto missing = [&](const std::string& kernels) {
    return MissingIn(*Read(Json(R"("release": "0.5", "kernels": {)" + kernels + "}")), half);
  };
  EXPECT_EQ(missing(R"("aten::gelu.out": null)"), Texts{"float16 in kernel 'aten::gelu.out' 0.6"});
  EXPECT_TRUE(missing(R"("aten::gelu.out": ["float16"])").empty());
  EXPECT_EQ(missing(""), Texts{"kernel 'aten::gelu.out' 0.1"});
  EXPECT_TRUE(MissingIn(*Read(Json(R"("kernels": {"aten::gelu.out": null})")), half).empty());
}

}  // namespace
}  // namespace pteedit::target_test
