// Made by tests/models/package_tables.py out of the sources of pytorch/executorch at its tags v0.4.0 to v1.4.1 and,
// for 1.5, at e4576d011453a0849fdc9d622e0ab69a374b5ef5, its branches swiftpm-0.4.0 to swiftpm-1.5.0.20260822, and
// pytorch/ao where those point to it.
#include "needs/package_tables.h"

namespace pteedit {
namespace {

// clang-format off
constexpr std::string_view kList0[] = {"XnnpackBackend"};
constexpr std::string_view kList1[] = {"preprocess::tile_crop.out"};
constexpr std::string_view kList2[] = {"QnnBackend", "XnnpackBackend"};
constexpr std::string_view kList3[] = {"VulkanBackend", "XnnpackBackend"};
constexpr std::string_view kList4[] = {"CoreMLBackend", "MPSBackend", "XnnpackBackend"};
constexpr std::string_view kList5[] = {"torchao::_embedding_1bit.out", "torchao::_embedding_2bit.out", "torchao::_embedding_3bit.out", "torchao::_embedding_4bit.out", "torchao::_embedding_5bit.out", "torchao::_embedding_6bit.out", "torchao::_embedding_7bit.out", "torchao::_embedding_8bit.out", "torchao::_linear_8bit_act_1bit_weight.out", "torchao::_linear_8bit_act_2bit_weight.out", "torchao::_linear_8bit_act_3bit_weight.out", "torchao::_linear_8bit_act_4bit_weight.out", "torchao::_linear_8bit_act_5bit_weight.out", "torchao::_linear_8bit_act_6bit_weight.out", "torchao::_linear_8bit_act_7bit_weight.out", "torchao::_linear_8bit_act_8bit_weight.out", "torchao::_linear_groupwise_1bit_weight_with_lut.out", "torchao::_linear_groupwise_2bit_weight_with_lut.out", "torchao::_linear_groupwise_3bit_weight_with_lut.out", "torchao::_linear_groupwise_4bit_weight_with_lut.out", "torchao::_shared_embedding_1bit.out", "torchao::_shared_embedding_2bit.out", "torchao::_shared_embedding_3bit.out", "torchao::_shared_embedding_4bit.out", "torchao::_shared_embedding_5bit.out", "torchao::_shared_embedding_6bit.out", "torchao::_shared_embedding_7bit.out", "torchao::_shared_embedding_8bit.out"};

// By name.
constexpr PackageRelease kPackages[] = {
    {"android", {0, 4}, {1, 5}, kList0, kList1, {}},
    {"android-qnn", {1, 0}, {1, 5}, kList2, kList1, {}},
    {"android-vulkan", {1, 0}, {1, 5}, kList3, kList1, {}},
    {"ios", {0, 4}, {0, 7}, kList4, kList1, {}},
    {"ios", {1, 0}, {1, 5}, kList4, kList1, kList5},
};
// clang-format on

}  // namespace

std::span<const PackageRelease> PackagesForPhones() { return kPackages; }

}  // namespace pteedit
