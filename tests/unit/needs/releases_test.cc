// Which release can load a program with its data files.
#include "needs/releases.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "file_contents.h"
#include "needs/release_tables.h"
#include "program_builder.h"

namespace pteedit::releases_test {
namespace {

using test::DataFileBuilder;
using test::DataPath;
using test::Floats;
using test::OpenFile;
using test::Pattern;
using test::ProgramBuilder;

// The oldest release for a program that `edit` has changed.
template <class Edit>
std::string ReleaseFor(Edit edit) {
  ProgramBuilder program;
  program.Tensor(0, Floats({4}));
  edit(program);
  return *OldestRuntime(program.Open());
}

TEST(OldestRuntime, GoesByWhatTheProgramUses) {
  EXPECT_EQ(ReleaseFor([](ProgramBuilder&) {}), "0.1");
  EXPECT_EQ(ReleaseFor([](ProgramBuilder& p) { p.Constant(Floats({1}), Pattern(4, 1)); }), "0.2");
  EXPECT_EQ(ReleaseFor([](ProgramBuilder& p) { p.State(Floats({1}), Pattern(4, 1)); }), "0.4");
  EXPECT_EQ(ReleaseFor([](ProgramBuilder& p) { p.TensorAt(0).extra_tensor_info.emplace(); }), "0.4");
  EXPECT_EQ(ReleaseFor([](ProgramBuilder& p) { p.NamedData("k", {1}); }), "0.6");
  EXPECT_EQ(ReleaseFor([](ProgramBuilder& p) { p.External("w", Floats({1})); }), "0.6");
  EXPECT_EQ(ReleaseFor([](ProgramBuilder& p) { p.LastPlan().non_const_buffer_device = {true, {{1, 0, 0}}}; }), "1.3");
  EXPECT_EQ(ReleaseFor([](ProgramBuilder& p) { p.TensorAt(0).extra_tensor_info.emplace().device_type = 1; }), "1.3");
}

TEST(OldestRuntime, GoesByElementTypes) {
  const auto with_type = [](int8_t type) {
    return ReleaseFor([type](ProgramBuilder& program) { program.TensorAt(0).scalar_type = type; });
  };
  EXPECT_EQ(with_type(17), "0.1");
  EXPECT_EQ(with_type(5), "0.2");   // float16
  EXPECT_EQ(with_type(22), "0.5");  // bits16
  EXPECT_EQ(with_type(29), "0.5");  // uint64
  EXPECT_EQ(with_type(15), "0.1");  // bfloat16
}

TEST(OldestRuntime, GoesByTheDataFiles) {
  const Container plain = ProgramBuilder().Open();
  const Container with_named_data = ProgramBuilder().NamedData("inside", {1}).Open();
  const Container tensors = DataFileBuilder().Key("t", Pattern(4, 1), Floats({1})).Open();
  const Container blobs = DataFileBuilder().Key("b", {1}).Open();
  EXPECT_EQ(*OldestRuntime({plain, {tensors}}), "0.7");
  EXPECT_EQ(*OldestRuntime({plain, {blobs}}), "0.7");
  EXPECT_EQ(*OldestRuntime({with_named_data, {tensors}}), "0.7");
  EXPECT_EQ(*OldestRuntime({with_named_data, {tensors, blobs}}), "1.0");
  const Container old = OpenFile(DataPath("old/0.6.0_lin_ext__default_external_constant.ptd"));
  EXPECT_EQ(*OldestRuntime({plain, {old}}), "0.6");
}

TEST(OldestRuntime, OfOldFilesIsTheirRelease) {
  EXPECT_EQ(*OldestRuntime(OpenFile(DataPath("old/0.1_inline.pte"))), "0.1");
  EXPECT_EQ(*OldestRuntime(OpenFile(DataPath("old/0.2_segment.pte"))), "0.2");
}

// A call of an operator, or only its name where it is not called.
TEST(OldestRuntime, GoesByTheKernelsThatAreCalled) {
  const auto with = [](const char* name, const char* overload) {
    return ReleaseFor([&](ProgramBuilder& p) { p.Operator(name, overload); });
  };
  EXPECT_EQ(with("aten::add", "out"), "0.1");
  EXPECT_EQ(with("aten::log10", "out"), "0.2");
  EXPECT_EQ(with("aten::sym_numel", ""), "0.1");
  EXPECT_EQ(with("executorch_prim::et_view", "default"), "0.2");
  EXPECT_EQ(with("dim_order_ops::_to_dim_order_copy", "out"), "0.3");
  EXPECT_EQ(with("dim_order_ops::_clone_dim_order", "out"), "1.0");
  EXPECT_EQ(with("quantized_decomposed::dequantize_per_token", "out"), "0.5");
  EXPECT_EQ(with("llama::update_cache", "out"), "0.5");
  EXPECT_EQ(with("et_copy::_h2d_copy", "out"), "1.4");
  EXPECT_EQ(ReleaseFor([](ProgramBuilder& p) { p.Operator("aten::var_mean", "correction_out", false); }), "0.1");
}

TEST(OldestRuntime, TellsNoReleaseOfOperatorsThatAreInNoStockLibrary) {
  ProgramBuilder program;
  program.Tensor(0, Floats({4}));
  program.Operator("cortex_m::quantized_add", "out");
  program.Operator("aten::add", "out");
  program.Operator("acme::never", "out", false);
  const Container opened = program.Open("m.pte");
  EXPECT_EQ(*OldestRuntime(opened), "0.1");
  EXPECT_EQ(ForeignOperators(opened), std::vector<std::string>{"cortex_m::quantized_add.out"});
  RewriteReport report;
  report.min_runtime = "0.7";
  ASSERT_TRUE(ReportRuntime(opened, report));
  EXPECT_EQ(report.min_runtime, "0.7");
  EXPECT_EQ(report.notes, std::vector<std::string>{
                              "m.pte calls operators not in the stock libraries: 'cortex_m::quantized_add.out'"});
}

// What a program needs that only newer releases have, as one text.
std::string NeedsOf(const std::string& name) {
  const Container file = OpenFile(DataPath(name));
  std::string text;
  for (const RuntimeNeed& need : DescribeRequirements(file, *DescribeDelegates(file)).runtime)
    text += need.release + " " + need.what + "\n";
  return text;
}

TEST(RuntimeNeeds, NameADelegateWithoutCompileSpecs) {
  ProgramBuilder program;
  program.Method("forward").Delegate("XnnpackBackend", {1, 2, 3});
  EXPECT_EQ(*OldestRuntime(program.Open()), "0.1");
  program.LastPlan().delegates.items.back().compile_specs.present = false;
  EXPECT_EQ(*OldestRuntime(program.Open()), "1.3");
}

TEST(RuntimeNeeds, NamesNodesOfXnnpack) {
  const std::string needs = NeedsOf("delegates/xnn_lin.pte");
  EXPECT_NE(needs.find("1.1 XNNPACK node 'Sin'\n"), std::string::npos) << needs;
  EXPECT_NE(needs.find("0.6 XNNPACK constants with a key\n"), std::string::npos) << needs;
  EXPECT_NE(needs.find("0.2 XNNPACK blobs with a header\n"), std::string::npos) << needs;
}

TEST(RuntimeNeeds, NamesOperatorsOfVulkan) {
  const std::string needs = NeedsOf("delegates/vk_lin.pte");
  EXPECT_NE(needs.find("0.3 Vulkan operator 'aten.sin.default'\n"), std::string::npos) << needs;
  EXPECT_NE(needs.find("0.3 Vulkan operator 'aten.gelu.default'\n"), std::string::npos) << needs;
  EXPECT_EQ(needs.find("'aten.add.Tensor'"), std::string::npos) << needs;  // in all
}

TEST(VulkanOperators, AreSorted) { EXPECT_TRUE(std::ranges::is_sorted(VulkanOperators(), {}, &NameInReleases::name)); }

// Whatever the runtimes of 0.4, 0.6, 0.7, 1.0 and 1.1 were seen to refuse.
TEST(OldestRuntime, IsNotOlderThanTheRuntimesThatRefuse) {
  const auto oldest = [](const char* name) { return *OldestRuntime(OpenFile(DataPath(name))); };
  EXPECT_EQ(oldest("delegates/xnn_lin.pte"), "1.1");
  EXPECT_EQ(oldest("delegates/xnn_lin_dq8.pte"), "1.1");
  EXPECT_EQ(oldest("delegates/xnn_conv.pte"), "0.6");
  EXPECT_EQ(oldest("delegates/xnn_conv_q8.pte"), "0.7");
  EXPECT_EQ(oldest("f06/xnn.pte"), "0.7");
  EXPECT_EQ(oldest("f07/gpt_xnn.pte"), "1.0");
  EXPECT_EQ(oldest("f07/gpt_xnn_q8.pte"), "1.0");
  EXPECT_EQ(oldest("f12/8da4w_xnn.pte"), "0.7");
  EXPECT_EQ(oldest("old/0.1_inline_delegate.pte"), "0.2");  // a program as 0.1 wrote it around a newer blob
  EXPECT_EQ(oldest("f14/noweights_segments.pte"), "0.2");
  EXPECT_EQ(oldest("delegates/vk_lin.pte"), "1.0");
  EXPECT_EQ(oldest("delegates/ethosu85_ext.pte"), "1.5");
}

TEST(OldestRuntime, OfAFileIsNotYoungerThanItsExporter) {
  const auto order = [](const std::string& release) {
    const size_t dot = release.find('.');
    return std::pair(std::stoi(release), std::stoi(release.substr(dot + 1)));
  };
  size_t seen = 0;
  for (const std::string& path : test::AllModelFiles()) {
    const std::string name = path.substr(path.rfind('/') + 1);
    const bool has_exporter = std::count(name.begin(), name.end(), '.') == 3;  // 0.4.0_add.pte; others are assembled
    if (path.find("/old/") == std::string::npos || !name.ends_with(".pte") || !has_exporter) continue;
    const std::string oldest = *OldestRuntime(OpenFile(path));
    EXPECT_LE(order(oldest), order(name)) << name << " needs " << oldest;
    ++seen;
  }
  EXPECT_GT(seen, 10U);
}

TEST(StockKernels, AreSortedAndOfKnownReleases) {
  const std::span<const NameInReleases> kernels = StockKernels();
  EXPECT_GT(kernels.size(), 250U);
  EXPECT_TRUE(std::ranges::is_sorted(kernels, std::less_equal(), &NameInReleases::name));
  for (const NameInReleases& kernel : kernels) {
    EXPECT_GE(kernel.first, (RuntimeRelease{0, 1})) << kernel.name;
    EXPECT_LE(kernel.first, (RuntimeRelease{1, 5})) << kernel.name;
  }
}

}  // namespace
}  // namespace pteedit::releases_test
