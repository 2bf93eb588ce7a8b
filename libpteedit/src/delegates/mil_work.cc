#include "delegates/mil_work.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "delegates/blob_reader.h"
#include "delegates/mil_fields.h"
#include "formats/protobuf_reader.h"
#include "pteedit/try.h"

namespace pteedit {
namespace {

// Arguments that are data; the others say how to compute. What rules look at comes first, in their order.
constexpr std::string_view kMilData[] = {"x",
                                         "query",
                                         "data",
                                         "a",
                                         "values",
                                         "input",
                                         "state",
                                         "weight",
                                         "key",
                                         "y",
                                         "indices",
                                         "b",
                                         "value",
                                         "bias",
                                         "attn_mask",
                                         "weight_ih",
                                         "weight_hh",
                                         "initial_h",
                                         "mean",
                                         "variance",
                                         "gamma",
                                         "beta",
                                         "alpha",
                                         "bias_back",
                                         "boxes",
                                         "cond",
                                         "coordinates",
                                         "initial_c",
                                         "ls",
                                         "peephole",
                                         "roi",
                                         "scale",
                                         "scores",
                                         "update",
                                         "updates",
                                         "weight_hh_back",
                                         "weight_ih_back",
                                         "peephole_back",
                                         "zero_point",
                                         "probabilities",
                                         "transform_matrix"};

// By type.
constexpr NamedRule kMilRows[] = {
    {"cond", {Work::kUntoldMacs}},  // runs a block, which has operators of its own
    {"constexpr_affine_dequantize", {Work::kNothing}},
    {"constexpr_blockwise_shift_scale", {Work::kNothing}},
    {"constexpr_cast", {Work::kNothing}},
    {"constexpr_lut_to_dense", {Work::kNothing}},
    {"constexpr_lut_to_sparse", {Work::kNothing}},
    {"constexpr_sparse_blockwise_shift_scale", {Work::kNothing}},
    {"constexpr_sparse_to_dense", {Work::kNothing}},
    {"conv", {Work::kConvolution}},
    {"conv_transpose", {Work::kTransposedChannelsFirst}},
    {"coreml_update_state", {Work::kWritten, 1}},
    {"crop", {Work::kPart}},
    {"einsum", {Work::kUntoldMacs}},
    {"gather", {Work::kPart}},
    {"gather_along_axis", {Work::kPart}},
    {"gather_nd", {Work::kPart}},
    {"gru", {Work::kUntoldMacs}},
    {"linear", {Work::kProduct, 0}},
    {"lstm", {Work::kUntoldMacs}},
    {"matmul", {Work::kMatrices}},
    {"non_maximum_suppression", {Work::kUntoldMacs}},
    {"rnn", {Work::kUntoldMacs}},
    {"scaled_dot_product_attention", {Work::kAttention, 1}},
    {"shape", {Work::kNothing}},
    {"slice_by_index", {Work::kPart}},
    {"slice_by_size", {Work::kPart}},
    {"while_loop", {Work::kUntoldMacs}},
};
static_assert(std::ranges::is_sorted(kMilRows, {}, &NamedRule::name));

// No MACs; whole tensors.
// clang-format off
constexpr std::string_view kMilWhole[] = {
    "abs", "acos", "add", "affine", "argsort", "asin", "atan", "atanh", "avg_pool", "band_part", "batch_norm",
    "batch_to_space", "cast", "ceil", "clamped_relu", "classify", "clip", "concat", "cos", "cosh", "crop_resize",
    "cumsum", "depth_to_space", "dequantize", "elu", "equal", "erf", "exp", "exp2", "expand_dims", "fill",
    "fill_like", "flatten2d", "floor", "floor_div", "gelu", "greater", "greater_equal", "identity",
    "instance_norm", "inverse", "l2_norm", "l2_pool", "layer_norm", "leaky_relu", "less", "less_equal",
    "linear_activation", "list_gather", "list_length", "list_read", "list_scatter", "list_write",
    "local_response_norm", "log", "logical_and", "logical_not", "logical_or", "logical_xor", "make_list",
    "max_pool", "maximum", "minimum", "mod", "mul", "non_zero", "not_equal", "one_hot", "pad", "pixel_shuffle",
    "pixel_unshuffle", "pow", "prelu", "quantize", "random_bernoulli", "random_categorical", "random_normal",
    "random_uniform", "range_1d", "read_state", "real_div", "reduce_argmax", "reduce_argmin", "reduce_l1_norm",
    "reduce_l2_norm", "reduce_log_sum", "reduce_log_sum_exp", "reduce_max", "reduce_mean", "reduce_min",
    "reduce_prod", "reduce_sum", "reduce_sum_square", "relu", "relu6", "resample", "reshape", "reshape_like",
    "resize", "resize_bilinear", "resize_nearest_neighbor", "reverse", "reverse_sequence", "round", "rsqrt",
    "scaled_tanh", "scatter", "scatter_along_axis", "scatter_nd", "select", "sigmoid", "sigmoid_hard", "sign",
    "silu", "sin", "sinh", "slice_update", "sliding_windows", "softmax", "softplus", "softplus_parametric",
    "softsign", "space_to_batch", "space_to_depth", "split", "sqrt", "square", "squeeze", "stack", "sub", "tan",
    "tanh", "threshold", "thresholded_relu", "tile", "topk", "transpose", "upsample_bilinear",
    "upsample_nearest_neighbor"};
// clang-format on
static_assert(std::ranges::is_sorted(kMilWhole));

// As MIL.proto numbers them; 0 of what has no size.
uint64_t MilBitsOf(uint64_t type) {
  switch (type) {
    case 37:
      return 1;
    case 36:
      return 2;
    case 39:
      return 3;
    case 25:
    case 35:
      return 4;
    case 38:
      return 6;
    case 1:
    case 21:
    case 31:
    case 40:
    case 41:
      return 8;
    case 10:
    case 13:
    case 22:
    case 32:
      return 16;
    case 11:
    case 23:
    case 33:
      return 32;
    case 12:
    case 24:
    case 34:
      return 64;
    default:
      return 0;
  }
}

// Of a ValueType: of a tensor, or of a state, which holds one. Nothing is known of lists and the like.
Result<WorkValue> MilValueOf(ByteSpan type) {
  PTEEDIT_ASSIGN(const ProtobufField state, FindField(type, kTypeState));
  PTEEDIT_ASSIGN(const ProtobufField held, FindField(state.bytes, kStateHeld));
  PTEEDIT_ASSIGN(const ProtobufField tensor, FindField(held.number == 0 ? type : held.bytes, kTypeTensor));
  WorkValue value = UntoldValue();
  if (tensor.number == 0) return value;
  PTEEDIT_ASSIGN(const ProtobufField element, FindField(tensor.bytes, kTensorElement));
  PTEEDIT_ASSIGN(MilShape shape, MilShapeOf(tensor.bytes));
  value.is_unbound = !shape.is_known;
  if (value.is_unbound) return value;
  value.sizes = std::move(shape.sizes);
  if (const uint64_t bits = MilBitsOf(element.value); bits != 0) value.bytes = BytesOf(value, bits);
  return value;
}

// One number says how to compute, and takes no reading.
Result<WorkValue> MilConstantOf(ByteSpan type) {
  PTEEDIT_ASSIGN(WorkValue value, MilValueOf(type));
  if (value.sizes && value.sizes->empty()) value.bytes = 0;
  return value;
}

}  // namespace

std::optional<WorkRule> MilWorkRule(std::string_view type) { return FindRule(kMilRows, kMilWhole, type); }

Status MilWork::Learn(std::string_view name, ByteSpan type, bool is_constant) {
  PTEEDIT_ASSIGN(WorkValue value, is_constant ? MilConstantOf(type) : MilValueOf(type));
  values_.insert_or_assign(name, Known{values_.size(), std::move(value)});
  return {};
}

WorkArgument MilWork::Find(std::string_view name) const {
  static const WorkValue kUnknown = UntoldValue();
  const auto found = values_.find(name);
  return found == values_.end() ? WorkArgument{values_.size(), &kUnknown}
                                : WorkArgument{found->second.id, &found->second.value};
}

void MilWork::Add(std::string_view argument, WorkArgument value) {
  const auto* place = std::ranges::find(kMilData, argument);
  if (place != std::end(kMilData)) taken_.push_back({static_cast<size_t>(place - std::begin(kMilData)), value});
}

void MilWork::Take(std::string_view argument, std::string_view name) { Add(argument, Find(name)); }

Status MilWork::TakeConstant(std::string_view argument, ByteSpan type) {
  PTEEDIT_ASSIGN(WorkValue value, MilConstantOf(type));
  constants_.push_back(std::move(value));
  Add(argument, {values_.size() + constants_.size(), &constants_.back()});
  return {};
}

OperatorWork MilWork::Of(std::string_view type, const std::vector<std::string_view>& outputs) {
  std::ranges::stable_sort(taken_, {}, &Taken::place);
  std::vector<WorkArgument> args;
  for (const Taken& taken : taken_) args.push_back(taken.argument);
  for (const std::string_view output : outputs) args.push_back(Find(output));
  const std::optional<WorkRule> rule = MilWorkRule(type);
  OperatorWork work = rule ? MeasureOperator(*rule, args) : OperatorWork{{}, {}, false, kUnknownOperator};
  taken_.clear();
  constants_.clear();
  return work;
}

}  // namespace pteedit
