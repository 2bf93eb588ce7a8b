#include "delegates/xnnpack_rules.h"

#include <algorithm>

namespace pteedit {
namespace {

using Op = XnnpackOperator;
using Shape = XnnpackShape;
using enum schema::xnnpack::XNNDatatype;

// Sets of element types.
constexpr XnnpackTypes kFloats{xnn_datatype_fp32, xnn_datatype_fp16};
constexpr XnnpackTypes kReals{xnn_datatype_fp32, xnn_datatype_fp16, xnn_datatype_bf16, xnn_datatype_qint8,
                              xnn_datatype_quint8};
constexpr XnnpackTypes kNumbers{xnn_datatype_fp32,  xnn_datatype_fp16,   xnn_datatype_bf16,
                                xnn_datatype_qint8, xnn_datatype_quint8, xnn_datatype_int32};
constexpr XnnpackTypes kImages{xnn_datatype_fp32, xnn_datatype_fp16, xnn_datatype_qint8, xnn_datatype_quint8};

constexpr XnnpackTypes kBias32{xnn_datatype_fp32};
constexpr XnnpackTypes kBias16{xnn_datatype_fp32, xnn_datatype_fp16};
constexpr XnnpackTypes kBiasOne{xnn_datatype_qint32};
constexpr XnnpackTypes kBiasEach{xnn_datatype_qcint32};
constexpr XnnpackTypes kBiasAny{xnn_datatype_qint32, xnn_datatype_qcint32};

// Types of layers: input, filter, output, biases.
constexpr XnnpackLayerTypes kLinear[] = {
    {xnn_datatype_fp32, xnn_datatype_fp32, xnn_datatype_fp32, kBias32},
    {xnn_datatype_fp32, xnn_datatype_fp16, xnn_datatype_fp32, kBias16},
    {xnn_datatype_fp32, xnn_datatype_qcint8, xnn_datatype_fp32, kBias32},
    {xnn_datatype_fp32, xnn_datatype_qcint4, xnn_datatype_fp32, kBias32},
    {xnn_datatype_fp16, xnn_datatype_fp32, xnn_datatype_fp16, kBias32},
    {xnn_datatype_fp16, xnn_datatype_fp16, xnn_datatype_fp16, kBias16},
    {xnn_datatype_bf16, xnn_datatype_bf16, xnn_datatype_fp32, kBias32},
    {xnn_datatype_bf16, xnn_datatype_bf16, xnn_datatype_bf16, kBias32},
    {xnn_datatype_qint8, xnn_datatype_qint8, xnn_datatype_qint8, kBiasOne},
    {xnn_datatype_qint8, xnn_datatype_qcint8, xnn_datatype_qint8, kBiasAny},
    {xnn_datatype_qint8, xnn_datatype_qcint4, xnn_datatype_qint8, kBiasAny},
    {xnn_datatype_quint8, xnn_datatype_quint8, xnn_datatype_quint8, kBiasOne},
    {xnn_datatype_qdint8, xnn_datatype_qcint8, xnn_datatype_fp32, kBias32},
    {xnn_datatype_qdint8, xnn_datatype_qcint8, xnn_datatype_fp16, kBias32},
    {xnn_datatype_qdint8, xnn_datatype_qcint4, xnn_datatype_fp32, kBias32},
    {xnn_datatype_qdint8, xnn_datatype_qcint4, xnn_datatype_fp16, kBias32},
    {xnn_datatype_qdint8, xnn_datatype_qbint4, xnn_datatype_fp32, kBias32},
    {xnn_datatype_qdint8, xnn_datatype_qbint4, xnn_datatype_fp16, kBias32},
    {xnn_datatype_qdint8, xnn_datatype_qbint4, xnn_datatype_bf16, kBias32},
};
constexpr XnnpackLayerTypes kConvolution[] = {
    {xnn_datatype_fp32, xnn_datatype_fp32, xnn_datatype_fp32, kBias32},
    {xnn_datatype_fp32, xnn_datatype_fp16, xnn_datatype_fp32, kBias16},
    {xnn_datatype_fp16, xnn_datatype_fp32, xnn_datatype_fp16, kBias32},
    {xnn_datatype_fp16, xnn_datatype_fp16, xnn_datatype_fp16, kBias16},
    {xnn_datatype_qint8, xnn_datatype_qint8, xnn_datatype_qint8, kBiasOne},
    {xnn_datatype_qint8, xnn_datatype_qcint8, xnn_datatype_qint8, kBiasEach},
    {xnn_datatype_quint8, xnn_datatype_quint8, xnn_datatype_quint8, kBiasOne},
    {xnn_datatype_qdint8, xnn_datatype_qcint8, xnn_datatype_fp32, kBias32},
    {xnn_datatype_qdint8, xnn_datatype_qcint8, xnn_datatype_fp16, kBias32},
};
constexpr std::span<const XnnpackLayerTypes> kDepthwise(kConvolution, 7);  // none of a dynamically quantized input
constexpr XnnpackLayerTypes kTransposed[] = {
    {xnn_datatype_fp32, xnn_datatype_fp32, xnn_datatype_fp32, kBias32},
    {xnn_datatype_fp32, xnn_datatype_fp16, xnn_datatype_fp32, kBias16},
    {xnn_datatype_fp16, xnn_datatype_fp32, xnn_datatype_fp16, kBias32},
    {xnn_datatype_qint8, xnn_datatype_qint8, xnn_datatype_qint8, kBiasOne},
    {xnn_datatype_qint8, xnn_datatype_qcint8, xnn_datatype_qint8, kBiasEach},
    {xnn_datatype_quint8, xnn_datatype_quint8, xnn_datatype_quint8, kBiasOne},
    {xnn_datatype_qdint8, xnn_datatype_qcint8, xnn_datatype_fp32, kBias32},
};
// The second matrix is the filter.
constexpr XnnpackLayerTypes kMatrices[] = {
    {xnn_datatype_fp32, xnn_datatype_fp32, xnn_datatype_fp32, {}},
    {xnn_datatype_fp32, xnn_datatype_qcint8, xnn_datatype_fp32, {}},
    {xnn_datatype_fp16, xnn_datatype_fp16, xnn_datatype_fp16, {}},
    {xnn_datatype_bf16, xnn_datatype_bf16, xnn_datatype_fp32, {}},
    {xnn_datatype_qint8, xnn_datatype_qint8, xnn_datatype_qint8, {}},
    {xnn_datatype_qdint8, xnn_datatype_qcint8, xnn_datatype_fp32, {}},
};

// Fields that are not 0.
constexpr std::string_view kWindow[] = {
    "kernel_height",  "kernel_width", "subsampling_height",   "subsampling_width",     "dilation_height",
    "dilation_width", "groups",       "group_input_channels", "group_output_channels",
};
constexpr std::string_view kPool[] = {"pooling_height", "pooling_width", "stride_height", "stride_width"};
constexpr std::string_view kDilatedPool[] = {"pooling_height", "pooling_width",   "stride_height",
                                             "stride_width",   "dilation_height", "dilation_width"};
constexpr std::string_view kBarePool[] = {"pooling_height", "pooling_width"};
constexpr std::string_view kNewSize[] = {"new_height", "new_width"};

// XNNPACK's flags of nodes have one meaning for each kind, and several names for one bit. Some kinds refuse others than
// their own, most take all that there are (0x1 to 0x80, 0x1000, 0x2000); what lies between is for internal use.
constexpr uint32_t kFlags = 0x30FF;
constexpr uint32_t kConvolutionFlags = 0x24;  // TensorFlow's padding, a buffer for a while
constexpr uint32_t kResizeFlags = 0x2C;       // TensorFlow's mode, aligned corners, a buffer for a while

constexpr XnnpackRule Alone(Op type, XnnpackTypes types) { return {.type = type, .types = types, .flags = kFlags}; }
constexpr XnnpackRule Pair(Op type, XnnpackTypes types, bool is_bounded) {
  return {.type = type, .types = types, .flags = kFlags, .is_bounded = is_bounded};
}
constexpr XnnpackRule Moved(Op type, Shape shape) {
  return {.type = type, .types = kNumbers, .flags = kFlags, .keeps_quantization = true, .shape = shape};
}
constexpr XnnpackRule Concatenated(Op type, uint32_t inputs) {
  XnnpackRule rule = Moved(type, Shape::kConcatenation);
  rule.inputs = inputs;
  return rule;
}
constexpr XnnpackRule Layer(Op type, std::span<const XnnpackLayerTypes> layers, uint32_t flags, Shape shape) {
  const bool is_window = shape != Shape::kFullyConnected;
  return {.type = type,
          .layers = layers,
          .positive = is_window ? std::span<const std::string_view>(kWindow) : std::span<const std::string_view>(),
          .flags = flags,
          .is_bounded = true,
          .rank = is_window ? 4U : 0U,
          .shape = shape};
}
constexpr XnnpackRule Pooling(Op type, XnnpackTypes types, std::span<const std::string_view> positive,
                              bool is_bounded) {
  return {.type = type,
          .types = types,
          .positive = positive,
          .flags = kFlags,
          .is_bounded = is_bounded,
          .keeps_quantization = true,
          .rank = 4};
}

// In the order of the union.
constexpr XnnpackRule kRules[] = {
    Pair(Op::XNNAdd, kNumbers, true),
    Layer(Op::XNNFullyConnected, kLinear, kFlags, Shape::kFullyConnected),
    Alone(Op::XNNSoftmax, kFloats),
    Alone(Op::XNNSigmoid, kReals),
    Moved(Op::XNNStaticTranspose, Shape::kTranspose),
    Pair(Op::XNNClamp, kNumbers, true),
    Layer(Op::XNNConv2d, kConvolution, kConvolutionFlags, Shape::kConvolution),
    Pair(Op::XNNDiv, kNumbers, true),
    {.type = Op::XNNStaticResizeBilinear2D,
     .types = kImages,
     .positive = kNewSize,
     .flags = kResizeFlags,
     .keeps_quantization = true,
     .rank = 4},
    Moved(Op::XNNStaticConstantPad, Shape::kPadding),
    Pooling(Op::XNNAvgPooling2d, kFloats, kPool, true),
    Pair(Op::XNNMinimum, kNumbers, false),
    Layer(Op::XNNDepthwiseConv2d, kDepthwise, kConvolutionFlags, Shape::kDepthwise),
    Pooling(Op::XNNMaxPooling2d, kImages, kDilatedPool, true),
    Pair(Op::XNNMultiply, kNumbers, true),
    Pair(Op::XNNSubtract, kNumbers, true),
    Alone(Op::XNNFloor, kReals),
    Alone(Op::XNNConvert, kNumbers),
    {.type = Op::XNNGlobalAvgPooling2d, .types = kImages, .flags = kFlags, .is_bounded = true, .rank = 4},
    Moved(Op::XNNStaticReshape, Shape::kReshape),
    Pooling(Op::XNNArgMaxPooling2d, {xnn_datatype_fp32}, kBarePool, false),
    Alone(Op::XNNSquareRoot, kReals),
    Alone(Op::XNNCeiling, kReals),
    Alone(Op::XNNHardswish, kReals),
    Alone(Op::XNNLeakyReLU, kReals),
    Pair(Op::XNNMaximum, kNumbers, false),
    Alone(Op::XNNNegate, kNumbers),
    Alone(Op::XNNSquare, kNumbers),
    Alone(Op::XNNELU, kReals),
    Alone(Op::XNNAbs, kNumbers),
    Pair(Op::XNNPReLU, kReals, false),
    Concatenated(Op::XNNConcatenate2, 2),
    Concatenated(Op::XNNConcatenate3, 3),
    Concatenated(Op::XNNConcatenate4, 4),
    Moved(Op::XNNStaticSlice, Shape::kSlice),
    {.type = Op::XNNBatchMatrixMultiply, .layers = kMatrices, .flags = kFlags, .shape = Shape::kMatrixMultiply},
    Concatenated(Op::XNNConcatenate5, 5),
    Layer(Op::XNNConvTranspose2d, kTransposed, kFlags, Shape::kConvolution),
    Alone(Op::XNNReciprocalSquareRoot, kReals),
    Alone(Op::XNNLog, kReals),
    Alone(Op::XNNGelu, kReals),
    Alone(Op::XNNTanh, kReals),
    Alone(Op::XNNExp, kReals),
    Alone(Op::XNNSin, kReals),
    Moved(Op::XNNCopy, Shape::kAny),
    Alone(Op::XNNCos, kReals),
};

}  // namespace

const XnnpackRule* FindXnnpackRule(XnnpackOperator type) {
  const auto* found =
      std::find_if(std::begin(kRules), std::end(kRules), [type](const XnnpackRule& rule) { return rule.type == type; });
  return found == std::end(kRules) ? nullptr : found;
}

}  // namespace pteedit
