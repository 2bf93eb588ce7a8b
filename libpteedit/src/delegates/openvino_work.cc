#include "delegates/openvino_work.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "base/text.h"
#include "delegates/blob_reader.h"
#include "delegates/openvino_layers.h"
#include "delegates/work_rules.h"
#include "formats/xml_reader.h"
#include "pteedit/try.h"

namespace pteedit {
namespace {

constexpr size_t kMaxPorts = 400'000;
constexpr size_t kMaxConnected = 256;  // ports of a layer that are told apart by where they are from
constexpr uint32_t kAllPorts = ~uint32_t{0};

struct OpenVinoRow {
  std::string_view type;
  WorkRule rule;
  uint32_t ports = kAllPorts;  // that move, bit by bit from the first; the others say how to compute
  bool is_grouped = false;     // the filter's first two dimensions are those of groups and in each
};

// By type. Bodies of layers have layers of their own.
constexpr OpenVinoRow kOpenVinoRows[] = {
    {"Broadcast", {}, 1},
    {"Convolution", {Work::kConvolution}},
    {"ConvolutionBackpropData", {Work::kTransposedChannelsFirst}, 3},
    {"CumSum", {}, 1},
    {"Einsum", {Work::kUntoldMacs}},
    {"FullyConnected", {Work::kProduct, 0}},
    {"GRUCell", {Work::kUntoldMacs}},
    {"GRUSequence", {Work::kUntoldMacs}},
    {"Gather", {Work::kPart}, 3},
    {"GatherElements", {Work::kPart}},
    {"GatherND", {Work::kPart}},
    {"GroupConvolution", {Work::kConvolution}, kAllPorts, true},
    {"GroupConvolutionBackpropData", {Work::kTransposedChannelsFirst}, 3, true},
    {"If", {Work::kUntoldMacs}},
    {"Interpolate", {}, 1},
    {"LSTMCell", {Work::kUntoldMacs}},
    {"LSTMSequence", {Work::kUntoldMacs}},
    {"Loop", {Work::kUntoldMacs}},
    {"MVN", {}, 1},
    {"MatMul", {Work::kMatrices}},
    {"NormalizeL2", {}, 1},
    {"OneHot", {}, 1},
    {"Pad", {}, 0b1001},
    {"RNNCell", {Work::kUntoldMacs}},
    {"RNNSequence", {Work::kUntoldMacs}},
    {"ReduceL1", {}, 1},
    {"ReduceL2", {}, 1},
    {"ReduceLogicalAnd", {}, 1},
    {"ReduceLogicalOr", {}, 1},
    {"ReduceMax", {}, 1},
    {"ReduceMean", {}, 1},
    {"ReduceMin", {}, 1},
    {"ReduceProd", {}, 1},
    {"ReduceSum", {}, 1},
    {"Reshape", {}, 1},
    {"Roll", {}, 1},
    {"ScaledDotProductAttention", {Work::kAttention, 1}},
    {"ShapeOf", {Work::kNothing}},
    {"Slice", {Work::kPart}, 1},
    {"Split", {}, 1},
    {"Squeeze", {}, 1},
    {"StridedSlice", {Work::kPart}, 1},
    {"TensorIterator", {Work::kUntoldMacs}},
    {"Tile", {}, 1},
    {"TopK", {}, 1},
    {"Transpose", {}, 1},
    {"Unsqueeze", {}, 1},
    {"VariadicSplit", {}, 1},
};
static_assert(std::ranges::is_sorted(kOpenVinoRows, {}, &OpenVinoRow::type));

// No MACs; whole tensors.
// clang-format off
constexpr std::string_view kOpenVinoWhole[] = {
    "Abs", "Acos", "Acosh", "AdaptiveAvgPool", "AdaptiveMaxPool", "Add", "Asin", "Asinh", "Assign", "Atan", "Atanh",
    "AvgPool", "BatchNormInference", "BatchToSpace", "BitwiseAnd", "BitwiseNot", "BitwiseOr", "BitwiseXor", "Ceiling",
    "Clamp", "Concat", "Convert", "ConvertLike", "Cos", "Cosh", "DepthToSpace", "Divide", "Elu", "Equal", "Erf", "Exp",
    "FakeConvert", "FakeQuantize", "Floor", "FloorMod", "Gelu", "Greater", "GreaterEqual", "GridSample",
    "GroupNormalization", "HSigmoid", "HSwish", "HardSigmoid", "IsFinite", "IsInf", "IsNaN", "LRN", "LeakyRelu", "Less",
    "LessEqual", "Log", "LogSoftmax", "LogicalAnd", "LogicalNot", "LogicalOr", "LogicalXor", "MaxPool", "Maximum",
    "Minimum", "Mish", "Mod", "Multiply", "Negative", "NotEqual", "PReLU", "Power", "PowerStatic", "RMS", "RMSNorm",
    "ReLU", "ReadValue", "Relu", "RoPE", "Round", "SELU", "ScatterElementsUpdate", "ScatterNDUpdate", "ScatterUpdate",
    "Select", "Selu", "Sigmoid", "Sign", "Sin", "Sinh", "SoftMax", "SoftPlus", "SoftSign", "Softmax", "SpaceToBatch",
    "SpaceToDepth", "Sqrt", "SquaredDifference", "Subtract", "Swish", "SwishCPU", "Tan", "Tanh"};
// clang-format on
static_assert(std::ranges::is_sorted(kOpenVinoWhole));

std::optional<OpenVinoRow> RowOf(std::string_view type) {
  const auto* row = std::ranges::lower_bound(kOpenVinoRows, type, {}, &OpenVinoRow::type);
  if (row != std::end(kOpenVinoRows) && row->type == type) return *row;
  return std::ranges::binary_search(kOpenVinoWhole, type) ? std::optional(OpenVinoRow{type, {}}) : std::nullopt;
}

// Of "FP32"; 0 of what has no size.
uint64_t BitsOfPrecision(std::string_view precision) {
  if (precision == "BOOL") return 8;
  const size_t digits = precision.find_last_not_of("0123456789") + 1;
  constexpr std::string_view kKinds[] = {"BF", "FP", "I", "U"};
  if (digits == 0 || std::ranges::find(kKinds, precision.substr(0, digits)) == std::end(kKinds)) return 0;
  uint64_t bits = 0;
  std::from_chars(precision.data() + digits, precision.data() + precision.size(), bits);
  return bits <= 64 ? bits : 0;
}

struct Port {
  std::string id;
  uint64_t source = 0;  // equal ones are of the same tensor
  uint64_t bits = 0;
  std::vector<uint64_t> sizes;
  bool is_told = true, is_unbound = false;  // of the sizes
  bool is_output = false;
};

class LayerMeasurer {
 public:
  explicit LayerMeasurer(std::string_view xml) : reader_(xml) {}

  Result<std::vector<OperatorWork>> Run() && {
    while (true) {
      PTEEDIT_ASSIGN(const XmlTag tag, reader_.Next());
      if (tag.kind == XmlTag::Kind::kNone) break;
      PTEEDIT_TRY(Read(tag));
    }
    std::vector<OperatorWork> work;
    for (const Operator& one : operators_) work.push_back(Measure(one));
    return work;
  }

 private:
  struct Operator {
    std::optional<OpenVinoRow> row;
    std::vector<Port> ports;
  };
  struct Layer {
    std::optional<size_t> computes;  // its place in operators_
    bool gives = false;              // its ports are those of outputs now
  };

  Status Read(const XmlTag& tag) {
    const bool is_open = tag.kind != XmlTag::Kind::kClose;
    if (tag.name == "layer") return ReadLayer(tag);
    if (tag.name == "layers" && is_open) numbered_[layers_.level()].clear();
    if (tag.name == "edge" && is_open) Connect(tag);
    if (layers_.empty() || !is_open || !layers_.back().computes) return {};
    std::vector<Port>& ports = operators_[*layers_.back().computes].ports;
    if (tag.name == "input" || tag.name == "output") layers_.back().gives = tag.name == "output";
    if (tag.name == "port") return AddPort(tag, ports);
    if (tag.name == "dim" && !ports.empty()) AddSize(ports.back());
    return {};
  }

  Status ReadLayer(const XmlTag& tag) {
    if (tag.kind == XmlTag::Kind::kClose) return layers_.End();
    Layer layer;
    if (const std::string type = tag.Attribute("type").value_or(""); IsOpenVinoOperator(type)) {
      layer.computes = operators_.size();
      numbered_[layers_.level()][tag.Attribute("id").value_or("").substr(0, kMaxNameBytes)] = operators_.size();
      operators_.push_back({RowOf(type), {}});
    }
    return layers_.Begin(tag, layer);
  }

  Status AddPort(const XmlTag& tag, std::vector<Port>& ports) {
    if (++port_count_ > kMaxPorts) return Unsupported(Text("model has more than ", kMaxPorts, " ports"));
    Port port;
    port.id = tag.Attribute("id").value_or("").substr(0, kMaxNameBytes);
    port.source = port_count_;
    port.bits = BitsOfPrecision(tag.Attribute("precision").value_or(""));
    port.is_output = layers_.back().gives;
    ports.push_back(std::move(port));
    return {};
  }

  // What is no number is known only while running.
  void AddSize(Port& port) const {
    const std::string_view digits = reader_.TextBehind();
    uint64_t size = 0;
    const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), size);
    const bool is_number = read.ec == std::errc() && read.ptr == digits.data() + digits.size();
    port.is_unbound = port.is_unbound || !is_number;
    port.is_told = port.is_told && port.sizes.size() < kMaxDims;
    if (port.is_told) port.sizes.push_back(size);
  }

  // Edges stand behind the layers that they connect. What comes from the same place is the same tensor.
  void Connect(const XmlTag& edge) {
    const auto& layers = numbered_[layers_.level()];
    const auto to = layers.find(edge.Attribute("to-layer").value_or(""));
    if (to == layers.end()) return;
    const std::string from =
        Text(layers_.level(), ' ', edge.Attribute("from-layer").value_or("").substr(0, kMaxNameBytes), ' ',
             edge.Attribute("from-port").value_or("").substr(0, kMaxNameBytes));
    const std::string port = edge.Attribute("to-port").value_or("");
    std::vector<Port>& ports = operators_[to->second].ports;
    for (size_t i = 0; i < std::min(ports.size(), kMaxConnected); ++i) {
      Port& one = ports[i];
      if (one.is_output || one.id != port) continue;
      one.source = sources_.try_emplace({to->second, from}, one.source).first->second;
      return;
    }
  }

  static OperatorWork Measure(const Operator& one) {
    if (!one.row) return {{}, {}, false, kUnknownOperator};
    std::vector<WorkValue> values;
    std::vector<uint64_t> sources;
    size_t input = 0;
    for (const Port& port : one.ports) {
      const size_t bit = std::min<size_t>(port.is_output ? 0 : input++, 31);
      if (!port.is_output && (one.row->ports >> bit & 1) == 0) continue;
      sources.push_back(port.source);
      values.push_back(ValueOf(port, one.row->is_grouped && !port.is_output && bit == 1));
    }
    std::vector<WorkArgument> args;
    for (size_t i = 0; i < values.size(); ++i) args.push_back({sources[i], &values[i]});
    return MeasureOperator(one.row->rule, args);
  }

  // Of a filter in groups, with one dimension for the groups and what is in each.
  static WorkValue ValueOf(const Port& port, bool is_grouped) {
    WorkValue value = UntoldValue();
    value.is_unbound = port.is_unbound;
    if (port.is_unbound || !port.is_told) return value;
    value.sizes = port.sizes;
    if (port.bits != 0) value.bytes = BytesOf(value, port.bits);
    if (!is_grouped || port.sizes.size() < 2) return value;
    const Amount channels = Product({port.sizes[0], port.sizes[1]});
    if (!channels) return UntoldValue();
    value.sizes->erase(value.sizes->begin());
    value.sizes->front() = *channels;
    return value;
  }

  XmlReader reader_;
  OpenLayers<Layer> layers_;
  size_t port_count_ = 0;
  std::array<std::map<std::string, size_t>, kMaxOpenVinoLevels + 1> numbered_;  // operators, by level and id
  std::map<std::pair<size_t, std::string>, uint64_t> sources_;                  // by operator and where it is from
  std::vector<Operator> operators_;
};

}  // namespace

Result<std::vector<OperatorWork>> MeasureOpenVinoLayers(std::string_view xml) { return LayerMeasurer(xml).Run(); }

}  // namespace pteedit
