#include "delegates/torch_work.h"

#include <algorithm>

namespace pteedit {
namespace {

// By name.
constexpr NamedRule kTorchRows[] = {
    {"aten._cdist_forward", {Work::kUntoldMacs}},
    {"aten._fft_c2r", {Work::kUntoldMacs}},
    {"aten._fft_r2c", {Work::kUntoldMacs}},
    {"aten._pdist_forward", {Work::kUntoldMacs}},
    {"aten._weight_int4pack_mm", {Work::kProduct, 0}},
    {"aten._weight_int8pack_mm", {Work::kProduct, 0}},
    {"aten.addmm", {Work::kProduct, 1}},
    {"aten.as_strided_copy", {Work::kPart}},
    {"aten.bmm", {Work::kProduct, 0}},
    {"aten.convolution", {Work::kEitherConvolution, 6}},
    {"aten.convolution_backward", {Work::kUntoldMacs}},
    {"aten.diagonal_copy", {Work::kPart}},
    {"aten.embedding", {Work::kRows, 1}},
    {"aten.empty", {Work::kNothing}},
    {"aten.gather", {Work::kPart}},
    {"aten.index", {Work::kPart}},
    {"aten.index_select", {Work::kPart}},
    {"aten.linear", {Work::kProduct, 0}},
    {"aten.matmul", {Work::kProduct, 0}},
    {"aten.mm", {Work::kProduct, 0}},
    {"aten.narrow_copy", {Work::kPart}},
    {"aten.scaled_dot_product_attention", {Work::kAttention, 1}},
    {"aten.select", {Work::kPart}},
    {"aten.select_copy", {Work::kPart}},
    {"aten.slice", {Work::kPart}},
    {"aten.slice_copy", {Work::kPart}},
    {"aten.sym_numel", {Work::kNothing}},
    {"aten.sym_size", {Work::kNothing}},
    {"executorch_prim.et_copy_index", {Work::kWritten, 1}},
    {"executorch_prim.et_view", {Work::kNothing}},
    {"llama.channelwise_gated_delta_rule", {Work::kUntoldMacs}},
    {"llama.custom_quantized_sdpa", {Work::kUntoldMacs}},
    {"llama.custom_sdpa", {Work::kCacheAttention, 1}},
    {"llama.fallback", {Work::kUntoldMacs}},
    {"llama.fast_hadamard_transform", {Work::kUntoldMacs}},
    {"llama.gated_delta_rule", {Work::kUntoldMacs}},
    {"llama.quantized_moe_ffn", {Work::kUntoldMacs}},
    {"llama.sdpa", {Work::kUntoldMacs}},
    {"llama.sdpa_with_kv_cache", {Work::kCacheAttention, 3}},
    {"llama.update_cache", {Work::kWritten, 0}},
    {"llama.update_cache_with_indices", {Work::kWritten, 0}},
    {"quantized_decomposed.embedding_2bit", {Work::kRows, 5}},
    {"quantized_decomposed.embedding_4bit", {Work::kRows, 5}},
    {"quantized_decomposed.embedding_byte", {Work::kRows, 5}},
    {"quantized_decomposed.mixed_linear", {Work::kProduct, 0}},
    {"quantized_decomposed.mixed_mm", {Work::kProduct, 0}},
};
static_assert(std::ranges::is_sorted(kTorchRows, {}, &NamedRule::name));

// No MACs; whole tensors.
// clang-format off
constexpr std::string_view kTorchWhole[] = {
    "aten._adaptive_avg_pool2d", "aten._adaptive_avg_pool3d", "aten._log_softmax",
    "aten._native_batch_norm_legit_no_training", "aten._softmax", "aten._to_copy", "aten.abs", "aten.acos",
    "aten.acosh", "aten.adaptive_avg_pool1d", "aten.add", "aten.alias_copy", "aten.all", "aten.amax", "aten.amin",
    "aten.any", "aten.arange", "aten.argmax", "aten.argmin", "aten.asin", "aten.asinh", "aten.atan", "aten.atan2",
    "aten.atanh", "aten.avg_pool1d", "aten.avg_pool2d", "aten.avg_pool3d", "aten.bitwise_and",
    "aten.bitwise_left_shift", "aten.bitwise_not", "aten.bitwise_or", "aten.bitwise_right_shift", "aten.bitwise_xor",
    "aten.cat", "aten.ceil", "aten.clamp", "aten.clone", "aten.constant_pad_nd", "aten.cos", "aten.cosh", "aten.cumsum",
    "aten.detach_copy", "aten.div", "aten.elu", "aten.eq", "aten.erf", "aten.exp", "aten.expand_copy", "aten.expm1",
    "aten.flip", "aten.floor", "aten.floor_divide", "aten.fmod", "aten.full", "aten.full_like", "aten.ge", "aten.gelu",
    "aten.glu", "aten.grid_sampler_2d", "aten.gt", "aten.hardshrink", "aten.hardsigmoid", "aten.hardswish",
    "aten.hardtanh", "aten.isinf", "aten.isnan", "aten.le", "aten.leaky_relu", "aten.log", "aten.log10", "aten.log1p",
    "aten.log2", "aten.logical_and", "aten.logical_not", "aten.logical_or", "aten.logical_xor", "aten.lt",
    "aten.masked_fill", "aten.max", "aten.max_pool2d", "aten.max_pool2d_with_indices", "aten.max_pool3d_with_indices",
    "aten.maximum", "aten.mean", "aten.min", "aten.minimum", "aten.mul", "aten.native_group_norm",
    "aten.native_layer_norm", "aten.ne", "aten.neg", "aten.ones", "aten.ones_like", "aten.permute", "aten.permute_copy",
    "aten.pixel_shuffle", "aten.pixel_unshuffle", "aten.pow", "aten.prod", "aten.reciprocal", "aten.reflection_pad1d",
    "aten.reflection_pad2d", "aten.reflection_pad3d", "aten.relu", "aten.relu6", "aten.remainder", "aten.repeat",
    "aten.repeat_interleave", "aten.replication_pad1d", "aten.replication_pad2d", "aten.replication_pad3d", "aten.roll",
    "aten.round", "aten.rsqrt", "aten.scalar_tensor", "aten.sigmoid", "aten.sign", "aten.sin", "aten.sinh",
    "aten.softmax", "aten.sort", "aten.split", "aten.split_copy", "aten.split_with_sizes_copy", "aten.sqrt",
    "aten.squeeze_copy", "aten.stack", "aten.sub", "aten.sum", "aten.t_copy", "aten.tan", "aten.tanh", "aten.topk",
    "aten.transpose", "aten.transpose_copy", "aten.trunc", "aten.unbind_copy", "aten.unfold_copy",
    "aten.unsqueeze_copy", "aten.upsample_bilinear2d", "aten.upsample_nearest2d", "aten.var", "aten.view_copy",
    "aten.where", "aten.zeros", "aten.zeros_like", "dim_order_ops._clone_dim_order", "dim_order_ops._to_dim_order_copy",
    "quantized_decomposed.choose_qparams", "quantized_decomposed.choose_qparams_per_token_asymmetric",
    "quantized_decomposed.dequantize_per_channel", "quantized_decomposed.dequantize_per_tensor",
    "quantized_decomposed.dequantize_per_token", "quantized_decomposed.quantize_per_channel",
    "quantized_decomposed.quantize_per_tensor", "quantized_decomposed.quantize_per_token",
    "torchao.choose_qparams_affine", "torchao.dequantize_affine", "torchao.quantize_affine"};
// clang-format on
static_assert(std::ranges::is_sorted(kTorchWhole));

}  // namespace

std::optional<WorkRule> TorchWorkRule(std::string_view name) { return FindRule(kTorchRows, kTorchWhole, name); }

}  // namespace pteedit
