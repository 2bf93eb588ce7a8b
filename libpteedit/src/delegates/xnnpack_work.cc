#include "delegates/xnnpack_work.h"

#include <algorithm>

#include "delegates/work_rules.h"
#include "delegates/xnnpack_rules.h"

namespace pteedit {
namespace {

constexpr uint32_t kFilterTurned = 0x1;  // a filter that has inputs before outputs
constexpr uint32_t kFirstTurned = 0x2;   // a first matrix that is transposed
constexpr uint64_t kChannelScaleBytes = 4, kGroupScaleBytes = 2;

Amount ScaleBytesOf(const schema::xnnpack::XNNQuantizedTensorValue& quantized, const WorkValue& value) {
  if (const auto* channels = quantized.quant_params_as_PerChannelQuant())
    return channels->channel_dim() < 0 ? std::nullopt
                                       : Product({SizeOf(value, channels->channel_dim()), kChannelScaleBytes});
  const auto* groups = quantized.quant_params_as_PerChannelGroupQuant();
  if (groups == nullptr) return 0;
  const Amount elements = ElementsOf(value);
  if (!elements || groups->group_size() <= 0) return std::nullopt;
  return Product({*elements / static_cast<uint64_t>(groups->group_size()), kGroupScaleBytes});
}

// With its scales.
WorkValue ValueOf(const schema::xnnpack::XValue& table) {
  WorkValue value = UntoldValue();
  const auto* quantized = table.xvalue_union_as_XNNQuantizedTensorValue();
  const auto* tensor = quantized ? quantized->tensor_value() : table.xvalue_union_as_XNNTensorValue();
  // Many values may share one long list, so what no runtime takes is not gone through.
  if (tensor == nullptr || OrEmpty(tensor->dims()).size() > kMaxXnnpackDims) return value;
  value.sizes.emplace(OrEmpty(tensor->dims()).begin(), OrEmpty(tensor->dims()).end());
  // As many numbers as of the type that they are quantized to while running.
  const bool is_dynamic = tensor->datatype() == XnnpackType::xnn_datatype_qdint8;
  const Amount bytes = XnnpackBytesOf(is_dynamic ? XnnpackType::xnn_datatype_qint8 : tensor->datatype(), *value.sizes);
  if (bytes == Amount(0) && ElementsOf(value) != Amount(0)) return value;
  value.bytes = Sum(bytes, quantized == nullptr ? 0 : ScaleBytesOf(*quantized, value));
  return value;
}

class XnnpackWorkReader {
 public:
  XnnpackWorkReader(const XnnpackNode& node, const XnnpackNamedValues& named) : node_(node) {
    for (const auto& [field, table] : named) values_.emplace_back(field, ValueOf(*table));
  }

  OperatorWork Read() const {
    if (FindXnnpackRule(node_.type()) == nullptr) return {{}, {}, false, kUnknownOperator};
    std::vector<WorkArgument> args;
    for (const auto& [field, value] : values_) args.push_back({node_.Number(field), &value});
    OperatorWork work =
        MeasureOperator({node_.type() == XnnpackOperator::XNNStaticSlice ? Work::kPart : Work::kAll, 0}, args);
    work.macs = Macs();
    if (!work.macs || !work.bytes) work.why_unknown = kUntoldWork;
    return work;
  }

 private:
  const WorkValue& Of(std::string_view field) const {
    static const WorkValue kNone;
    const auto found = std::ranges::find(values_, field, [](const auto& each) { return each.first; });
    return found == values_.end() ? kNone : found->second;
  }
  Amount Elements(std::string_view field) const { return ElementsOf(Of(field)); }
  Amount Number(std::string_view field) const { return node_.Number(field); }
  bool Has(uint32_t flag) const { return (node_.Number("flags") & flag) != 0; }

  Amount Macs() const {
    switch (node_.type()) {
      case XnnpackOperator::XNNFullyConnected:
        return Product({Elements("output_id"), SizeOf(Of("filter_id"), Has(kFilterTurned) ? -2 : -1)});
      case XnnpackOperator::XNNBatchMatrixMultiply:
        return Product({Elements("output_id"), SizeOf(Of("input1_id"), Has(kFirstTurned) ? -2 : -1)});
      case XnnpackOperator::XNNConv2d:
        return Product({Elements("output_id"), Window(), Number("group_input_channels")});
      case XnnpackOperator::XNNDepthwiseConv2d:
        return Product({Elements("output_id"), Window()});
      case XnnpackOperator::XNNConvTranspose2d:
        return Product({Elements("input1_id"), Window(), Number("group_output_channels")});
      default:
        return 0;
    }
  }

  Amount Window() const { return Product({Number("kernel_height"), Number("kernel_width")}); }

  const XnnpackNode& node_;
  std::vector<std::pair<std::string_view, WorkValue>> values_;  // by field
};

}  // namespace

OperatorWork WorkOf(const XnnpackNode& node, const XnnpackNamedValues& values) {
  return XnnpackWorkReader(node, values).Read();
}

}  // namespace pteedit
