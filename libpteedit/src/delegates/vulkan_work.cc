#include "delegates/vulkan_work.h"

#include <algorithm>
#include <set>
#include <vector>

#include "delegates/torch_work.h"

namespace pteedit {
namespace {

using schema::vulkan::VkDataType;

// Those beside torch's own, by name without overload: Vulkan's, those that lost their namespace, and sums and products
// of sizes. What a convolution of packed 8-bit numbers multiplies is not in its shapes.
constexpr NamedRule kVulkanRows[] = {
    {"add", {Work::kNothing}},
    {"conv_with_clamp", {Work::kEitherConvolution, 6}},
    {"et_vk.conv1d_dw", {Work::kConvolution}},
    {"et_vk.conv1d_pw", {Work::kConvolution}},
    {"et_vk.conv2d_gemm", {Work::kEitherConvolution, 6}},
    {"et_vk.conv2d_q8csw", {Work::kUntoldMacs}},
    {"et_vk.conv2d_q8ta_q8csw", {Work::kUntoldMacs}},
    {"et_vk.conv2d_q8ta_q8csw_q8to", {Work::kUntoldMacs}},
    {"et_vk.conv2d_q8ta_q8csw_q8to_dw", {Work::kUntoldMacs}},
    {"et_vk.conv_with_clamp", {Work::kEitherConvolution, 6}},
    {"et_vk.embedding_q4gsw", {Work::kRows, 3}},
    {"et_vk.linear_dW", {Work::kUntoldMacs}},
    {"et_vk.linear_dq8ca_q4gsw", {Work::kProduct, 0}},
    {"et_vk.linear_q4gsw", {Work::kProduct, 0}},
    {"et_vk.linear_q4gsw_backward", {Work::kProduct, 0}},
    {"et_vk.linear_q8csw", {Work::kProduct, 0}},
    {"et_vk.linear_q8ta_q8csw", {Work::kProduct, 0}},
    {"et_vk.linear_qcs4w", {Work::kProduct, 0}},
    {"et_vk.linear_weight_int4", {Work::kProduct, 0}},
    {"et_vk.prepack", {Work::kNothing}},
    {"et_vk.q4gsw_linear", {Work::kProduct, 0}},
    {"et_vk.q8ta_conv2d", {Work::kUntoldMacs}},
    {"et_vk.q8ta_conv2d_dw", {Work::kUntoldMacs}},
    {"et_vk.q8ta_conv2d_general", {Work::kUntoldMacs}},
    {"et_vk.q8ta_conv2d_im2col", {Work::kUntoldMacs}},
    {"et_vk.q8ta_conv2d_pw", {Work::kUntoldMacs}},
    {"et_vk.q8ta_conv2d_transposed", {Work::kUntoldMacs}},
    {"et_vk.q8ta_linear", {Work::kProduct, 0}},
    {"et_vk.q8ta_linear_gemv", {Work::kProduct, 0}},
    {"et_vk.sdpa", {Work::kAttention, 1}},
    {"et_vk.select_as_symint", {Work::kNothing}},
    {"floordiv", {Work::kNothing}},
    {"mul", {Work::kNothing}},
    {"sdpa_with_kv_cache", {Work::kCacheAttention, 3}},
    {"sub", {Work::kNothing}},
    {"sym_size", {Work::kNothing}},
    {"update_cache", {Work::kWritten, 0}},
};
static_assert(std::ranges::is_sorted(kVulkanRows, {}, &NamedRule::name));

// Of these, too: no MACs; whole tensors.
// clang-format off
constexpr std::string_view kVulkanWhole[] = {
    "choose_qparams", "choose_qparams_per_token_asymmetric", "dequantize_per_tensor", "dequantize_per_token",
    "et_vk.add_q8ta_q8ta_q8to", "et_vk.apply_rotary_emb", "et_vk.apply_rotary_emb_hf",
    "et_vk.apply_rotary_emb_interleaved", "et_vk.binary_add_with_clamp", "et_vk.binary_div_with_clamp",
    "et_vk.binary_mul_with_clamp", "et_vk.binary_sub_with_clamp", "et_vk.grid_priors", "et_vk.q8ta_add",
    "et_vk.q8ta_pixel_shuffle", "et_vk.q8ta_relu", "et_vk.rms_norm", "etvk.choose_qparams_per_row",
    "quantize_per_tensor", "quantize_per_token"};
// clang-format on
static_assert(std::ranges::is_sorted(kVulkanWhole));

// 0 for a type that nobody knows.
uint64_t BitsOf(VkDataType type) {
  switch (type) {
    case VkDataType::BOOL:
    case VkDataType::UINT8:
    case VkDataType::INT8:
      return 8;
    case VkDataType::FLOAT16:
      return 16;
    case VkDataType::INT32:
    case VkDataType::FLOAT32:
      return 32;
    case VkDataType::FLOAT64:
    case VkDataType::INT64:
      return 64;
    default:
      return 0;
  }
}

WorkValue TensorValue(const schema::vulkan::VkTensor& tensor) {
  WorkValue value = UntoldValue();
  const auto& dims = OrEmpty(tensor.dims());
  // Many values may share one long list, so what no runtime takes is not gone through.
  if (dims.size() > kMaxDims) return value;
  value.sizes.emplace(dims.begin(), dims.end());
  if (const uint64_t bits = BitsOf(tensor.datatype()); bits != 0) value.bytes = BytesOf(value, bits);
  return value;
}

}  // namespace

std::optional<WorkRule> VulkanWorkRule(std::string_view name) {
  if (name.size() > kMaxNameBytes) return std::nullopt;  // many calls may share a long one
  const std::string_view base = name.substr(0, name.rfind('.'));
  const std::optional<WorkRule> rule = FindRule(kVulkanRows, kVulkanWhole, base);
  return rule ? rule : TorchWorkRule(base);
}

OperatorWork VulkanWork::Of(std::string_view name, const flatbuffers::Vector<int32_t>& args) {
  const std::optional<WorkRule> rule = VulkanWorkRule(name);
  if (!rule || !unfolding_.Take(uint64_t{args.size()} * sizeof(uint64_t))) return {{}, {}, false, kUnknownOperator};
  std::vector<WorkArgument> arguments;
  for (const int32_t arg : args) arguments.push_back({static_cast<uint32_t>(arg), &At(arg)});
  return MeasureOperator(*rule, arguments);
}

const WorkValue& VulkanWork::At(int32_t index) {
  const auto found = read_.find(index);
  if (found != read_.end()) return found->second;
  const bool exists = index >= 0 && static_cast<uint32_t>(index) < values_.size();
  const WorkValue value = exists ? Read(*values_.Get(static_cast<uint32_t>(index))) : UntoldValue();
  return read_.emplace(index, value).first->second;
}

WorkValue VulkanWork::Read(const schema::vulkan::VkValue& value) {
  if (const auto* tensor = value.value_as_VkTensor()) return TensorValue(*tensor);
  WorkValue read;
  if (const auto* flag = value.value_as_Bool()) read.flag = flag->bool_val();
  const auto* list = value.value_as_ValueList();
  if (list == nullptr) return read;
  const auto& items = OrEmpty(list->items());
  if (!unfolding_.Take(uint64_t{items.size()} * sizeof(uint64_t))) return read;
  for (const int32_t item : std::set<int32_t>(items.begin(), items.end())) {
    const bool exists = item >= 0 && static_cast<uint32_t>(item) < values_.size();
    const auto* one = exists ? values_.Get(static_cast<uint32_t>(item)) : nullptr;
    const auto* tensor = one == nullptr ? nullptr : one->value_as_VkTensor();
    const bool is_list = one != nullptr && one->value_as_ValueList() != nullptr;
    if (tensor != nullptr) read.bytes = Sum(read.bytes, TensorValue(*tensor).bytes);
    if (one == nullptr || is_list) read.bytes = std::nullopt;
  }
  return read;
}

}  // namespace pteedit
