#include "delegates/xnnpack_work.h"

#include <algorithm>
#include <optional>
#include <set>

#include "base/checked.h"
#include "base/text.h"
#include "delegates/xnnpack_rules.h"

namespace pteedit {
namespace {

using Amount = std::optional<uint64_t>;

constexpr uint32_t kFilterTurned = 0x1;  // a filter that has inputs before outputs
constexpr uint32_t kFirstTurned = 0x2;   // a first matrix that is transposed
constexpr uint64_t kChannelScaleBytes = 4, kGroupScaleBytes = 2;

struct Tensor {
  explicit Tensor(const schema::xnnpack::XValue* value) {
    if (value == nullptr) return;
    quantized = value->xvalue_union_as_XNNQuantizedTensorValue();
    tensor = quantized ? quantized->tensor_value() : value->xvalue_union_as_XNNTensorValue();
    // Many values may share one long list, so what no runtime takes is not gone through.
    if (tensor == nullptr || OrEmpty(tensor->dims()).size() > kMaxXnnpackDims) return;
    sizes.emplace(OrEmpty(tensor->dims()).begin(), OrEmpty(tensor->dims()).end());
  }

  Amount Elements() const { return sizes ? CheckedProduct(1, *sizes) : std::nullopt; }
  // Counted from the last one.
  Amount Size(size_t dim) const {
    return sizes && dim < sizes->size() ? Amount((*sizes)[sizes->size() - 1 - dim]) : std::nullopt;
  }

  // With its scales.
  Amount Bytes() const {
    if (!sizes) return std::nullopt;
    // As many numbers as of the type that they are quantized to while running.
    const bool is_dynamic = tensor->datatype() == XnnpackType::xnn_datatype_qdint8;
    const Amount bytes = XnnpackBytesOf(is_dynamic ? XnnpackType::xnn_datatype_qint8 : tensor->datatype(), *sizes);
    const Amount scales = ScaleBytes();
    if (!bytes || !scales || (*bytes == 0 && Elements() != Amount(0))) return std::nullopt;
    return CheckedAdd(*bytes, *scales);
  }

  Amount ScaleBytes() const {
    if (quantized == nullptr) return 0;
    if (const auto* channels = quantized->quant_params_as_PerChannelQuant()) {
      const auto dim = static_cast<size_t>(channels->channel_dim());
      return dim < sizes->size() ? CheckedMultiply((*sizes)[dim], kChannelScaleBytes) : std::nullopt;
    }
    const auto* groups = quantized->quant_params_as_PerChannelGroupQuant();
    if (groups == nullptr) return 0;
    const Amount elements = Elements();
    if (!elements || groups->group_size() <= 0) return std::nullopt;
    return CheckedMultiply(*elements / static_cast<uint64_t>(groups->group_size()), kGroupScaleBytes);
  }

  const schema::xnnpack::XNNQuantizedTensorValue* quantized = nullptr;
  const schema::xnnpack::XNNTensorValue* tensor = nullptr;
  std::optional<std::vector<uint64_t>> sizes;
};

Amount Product(std::initializer_list<Amount> factors) {
  Amount product = 1;
  for (const Amount& factor : factors) product = product && factor ? CheckedMultiply(*product, *factor) : std::nullopt;
  return product;
}

class WorkReader {
 public:
  WorkReader(const XnnpackNode& node, const XnnpackNamedValues& values) : node_(node), values_(values) {}

  OperatorWork Read() const {
    if (FindXnnpackRule(node_.type()) == nullptr) return {{}, {}, false, kUnknownOperator};
    OperatorWork work{Macs(), Bytes(), false, ""};
    if (!work.macs || !work.bytes) work.why_unknown = "its graph tells no shapes that can be multiplied";
    return work;
  }

 private:
  Tensor Of(std::string_view field) const {
    const auto found = std::ranges::find(values_, field, [](const auto& each) { return each.first; });
    return Tensor(found == values_.end() ? nullptr : found->second);
  }
  Amount Number(std::string_view field) const { return node_.Number(field); }
  bool Has(uint32_t flag) const { return (node_.Number("flags") & flag) != 0; }

  Amount Macs() const {
    switch (node_.type()) {
      case XnnpackOperator::XNNFullyConnected:
        return Product({Of("output_id").Elements(), Of("filter_id").Size(Has(kFilterTurned) ? 1 : 0)});
      case XnnpackOperator::XNNBatchMatrixMultiply:
        return Product({Of("output_id").Elements(), Of("input1_id").Size(Has(kFirstTurned) ? 1 : 0)});
      case XnnpackOperator::XNNConv2d:
        return Product({Of("output_id").Elements(), Window(), Number("group_input_channels")});
      case XnnpackOperator::XNNDepthwiseConv2d:
        return Product({Of("output_id").Elements(), Window()});
      case XnnpackOperator::XNNConvTranspose2d:
        return Product({Of("input1_id").Elements(), Window(), Number("group_output_channels")});
      default:
        return 0;
    }
  }

  Amount Window() const { return Product({Number("kernel_height"), Number("kernel_width")}); }

  // A value that is named twice is read once. Of what is cut out only that is read.
  Amount Bytes() const {
    std::set<uint32_t> seen;
    Amount sum = 0;
    for (const auto& [field, value] : values_) {
      if (!seen.insert(node_.Number(field)).second) continue;
      const bool is_cut = node_.type() == XnnpackOperator::XNNStaticSlice && field == "input_id";
      const Amount bytes = is_cut ? Of("output_id").Bytes() : Tensor(value).Bytes();
      sum = sum && bytes ? CheckedAdd(*sum, *bytes) : std::nullopt;
    }
    return sum;
  }

  const XnnpackNode& node_;
  const XnnpackNamedValues& values_;
};

}  // namespace

OperatorWork WorkOf(const XnnpackNode& node, const XnnpackNamedValues& values) {
  return WorkReader(node, values).Read();
}

}  // namespace pteedit
