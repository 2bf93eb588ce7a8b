// Processed blobs of XNNPACK put together in a line. They are sound unless a test edits them. Needs the library's
// private parts.
#ifndef PTEEDIT_TESTS_SUPPORT_XNNPACK_GRAPHS_H_
#define PTEEDIT_TESTS_SUPPORT_XNNPACK_GRAPHS_H_

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "delegates/xnnpack_schema.h"
#include "small_files.h"

namespace pteedit::test {

namespace xnn = schema::xnnpack;

inline constexpr uint32_t kNoValue = 0xFFFFFFFF;

// One fully connected layer over a weight of 2 x 4 in the blob; a test edits what it says before it is written.
struct SmallGraph {
  xnn::XNNDatatype type = xnn::XNNDatatype::xnn_datatype_fp32;
  std::vector<uint32_t> dims{2, 4};
  uint32_t num_dims = 2;
  uint32_t constant = 1;
  uint64_t offset = 0, size = 32;
  const char* key = nullptr;
  uint32_t external_id = 0, flags = 1, weight_id = 1, filter = 1, bias = kNoValue, output = 2;
  uint8_t node_type = static_cast<uint8_t>(xnn::XNodeUnion::XNNFullyConnected);
  bool has_node = true;
  // Makes the quantization of the weight.
  std::function<std::pair<xnn::XNNQuantParams, flatbuffers::Offset<void>>(flatbuffers::FlatBufferBuilder&)> quantize;

  std::vector<uint8_t> Graph(const char* identifier = "XN01", bool inside = false) const {
    flatbuffers::FlatBufferBuilder builder;
    const auto tensor = [&](xnn::XNNDatatype value_type, const std::vector<uint32_t>& sizes, uint32_t listed,
                            uint32_t index, uint32_t external, uint32_t bits, uint32_t id) {
      return xnn::CreateXNNTensorValue(builder, value_type, listed, builder.CreateVector(sizes), index, external, bits,
                                       id);
    };
    const auto plain = [&](flatbuffers::Offset<xnn::XNNTensorValue> value) {
      return xnn::CreateXValue(builder, xnn::XValueUnion::XNNTensorValue, value.Union());
    };
    std::vector<flatbuffers::Offset<xnn::XValue>> values;
    values.push_back(plain(tensor(xnn::XNNDatatype::xnn_datatype_fp32, {1, 4}, 2, 0, external_id, flags, 0)));
    const auto weight = tensor(type, dims, num_dims, constant, kNoValue, 0, weight_id);
    if (quantize) {
      const auto [params_type, params] = quantize(builder);
      const auto value = xnn::CreateXNNQuantizedTensorValue(builder, weight, params_type, params);
      values.push_back(xnn::CreateXValue(builder, xnn::XValueUnion::XNNQuantizedTensorValue, value.Union()));
    } else {
      values.push_back(plain(weight));
    }
    values.push_back(plain(tensor(xnn::XNNDatatype::xnn_datatype_fp32, {1, 2}, 2, 0, 1, 2, 2)));
    const auto layer = xnn::CreateXNNFullyConnected(builder, 0, filter, bias, output, 0).Union();
    const std::vector<flatbuffers::Offset<xnn::XNode>> nodes{
        xnn::CreateXNode(builder, static_cast<xnn::XNodeUnion>(node_type), has_node ? layer : 0)};
    std::vector<flatbuffers::Offset<xnn::ConstantDataOffset>> entries{xnn::CreateConstantDataOffset(builder)};
    entries.push_back(
        xnn::CreateConstantDataOffset(builder, offset, size, key != nullptr ? builder.CreateString(key) : 0));
    std::vector<flatbuffers::Offset<xnn::Buffer>> buffers{xnn::CreateBuffer(builder)};
    buffers.push_back(xnn::CreateBuffer(builder, builder.CreateVector(std::vector<uint8_t>(size))));
    const auto all_values = builder.CreateVector(values);
    const auto all_nodes = builder.CreateVector(nodes);
    const auto all_buffers = inside ? builder.CreateVector(buffers) : 0;
    const auto all_entries = inside ? 0 : builder.CreateVector(entries);
    builder.Finish(xnn::CreateXNNGraph(builder, 0, all_nodes, all_values, 2, 0, 0, all_buffers, 0, all_entries),
                   identifier);
    return {builder.GetBufferPointer(), builder.GetBufferPointer() + builder.GetSize()};
  }

  std::vector<uint8_t> Blob(const char* identifier = "XN01") const {
    const std::vector<uint8_t> graph = Graph(identifier);
    std::vector<uint8_t> blob(32 + graph.size());
    std::copy_n("XH00", 4, blob.begin() + 4);
    PutAt<uint16_t>(blob, 8, 30);
    PutAt<uint32_t>(blob, 10, 32);
    PutAt<uint32_t>(blob, 14, static_cast<uint32_t>(graph.size()));
    std::copy(graph.begin(), graph.end(), blob.begin() + 32);
    blob.resize((blob.size() + 15) / 16 * 16);
    PutAt<uint32_t>(blob, 18, static_cast<uint32_t>(blob.size()));
    PutAt<uint64_t>(blob, 22, 32);
    blob.resize(blob.size() + 32);
    return blob;
  }
};

// A graph without header: one transpose of a tensor of 2 x 3, whose order lists `order` for `dims` dimensions.
inline std::vector<uint8_t> TransposeGraph(const std::vector<uint32_t>& order, uint32_t dims) {
  flatbuffers::FlatBufferBuilder builder;
  const auto value = [&](uint32_t id) {
    const auto sizes = builder.CreateVector(std::vector<uint32_t>{2, 3});
    const auto tensor =
        xnn::CreateXNNTensorValue(builder, xnn::XNNDatatype::xnn_datatype_fp32, 2, sizes, 0, id, id + 1, id).Union();
    return xnn::CreateXValue(builder, xnn::XValueUnion::XNNTensorValue, tensor);
  };
  const std::vector<flatbuffers::Offset<xnn::XValue>> values{value(0), value(1)};
  const auto turn = xnn::CreateXNNStaticTranspose(builder, dims, builder.CreateVector(order), 0, 1).Union();
  const std::vector<flatbuffers::Offset<xnn::XNode>> nodes{
      xnn::CreateXNode(builder, xnn::XNodeUnion::XNNStaticTranspose, turn)};
  const auto all_nodes = builder.CreateVector(nodes);
  builder.Finish(xnn::CreateXNNGraph(builder, 0, all_nodes, builder.CreateVector(values), 2), "XN01");
  return {builder.GetBufferPointer(), builder.GetBufferPointer() + builder.GetSize()};
}

// A graph without header of any values and nodes; ids and, of inputs and outputs, numbers are in the order in which
// they are added. Constants are zeros in the graph.
class GraphSketch {
 public:
  using Type = xnn::XNNDatatype;
  static constexpr uint32_t kInput = 1, kOutput = 2;

  // What may be wrong with a value.
  struct Value {
    Type type = Type::xnn_datatype_fp32;
    std::vector<uint32_t> dims = {};
    uint32_t flags = 0;
    uint64_t constant_bytes = 0;  // 0: no constant
    uint32_t external = kNoValue;
    Type dynamic = Type::xnn_datatype_invalid;
    float scale = 0;  // of the whole tensor; 0: none
    int32_t zero_point = 0;
    std::vector<float> scales = {};  // of its channels
    int32_t channel_dim = 0;
    uint32_t group_size = 0;  // of which `scales` has one each
    bool is_dynamic = false;  // quantized while running, over one dimension
  };
  std::vector<Value> values;
  uint32_t externals = 0;
  std::vector<uint32_t> inputs, outputs;  // as the graph lists them

  uint32_t Add(Value value) {
    if (value.flags != 0) value.external = externals++;
    values.push_back(std::move(value));
    return static_cast<uint32_t>(values.size() - 1);
  }
  uint32_t Input(std::vector<uint32_t> dims, Type type = Type::xnn_datatype_fp32) {
    return Add({.type = type, .dims = std::move(dims), .flags = kInput, .scale = ScaleOf(type)});
  }
  uint32_t Output(std::vector<uint32_t> dims, Type type = Type::xnn_datatype_fp32) {
    return Add({.type = type, .dims = std::move(dims), .flags = kOutput, .scale = ScaleOf(type)});
  }
  uint32_t Weight(std::vector<uint32_t> dims, Type type = Type::xnn_datatype_fp32) {
    uint64_t count = 1;
    for (const uint32_t size : dims) count *= size;
    return Add({.type = type, .dims = std::move(dims), .constant_bytes = 4 * count, .scale = ScaleOf(type)});
  }

  // `make` makes the table of the node's type.
  void Node(xnn::XNodeUnion type, std::function<flatbuffers::Offset<void>(flatbuffers::FlatBufferBuilder&)> make,
            std::optional<std::pair<float, float>> bounds = std::nullopt) {
    nodes_.push_back({type, std::move(make), bounds});
  }

  std::vector<uint8_t> Blob() const {
    flatbuffers::FlatBufferBuilder builder;
    std::vector<flatbuffers::Offset<xnn::XValue>> all_values;
    std::vector<flatbuffers::Offset<xnn::Buffer>> buffers{xnn::CreateBuffer(builder)};
    for (size_t i = 0; i < values.size(); ++i) all_values.push_back(Write(builder, i, buffers));
    std::vector<flatbuffers::Offset<xnn::XNode>> nodes;
    for (const NodeToBe& node : nodes_) {
      const auto content = node.make(builder);
      const auto bounds = node.bounds ? xnn::CreateOutputMinMax(builder, node.bounds->first, node.bounds->second) : 0;
      nodes.push_back(xnn::CreateXNode(builder, node.type, content, 0, bounds));
    }
    const auto node_list = builder.CreateVector(nodes);
    const auto value_list = builder.CreateVector(all_values);
    const auto input_list = builder.CreateVector(inputs), output_list = builder.CreateVector(outputs);
    const auto buffer_list = builder.CreateVector(buffers);
    builder.Finish(
        xnn::CreateXNNGraph(builder, 0, node_list, value_list, externals, input_list, output_list, buffer_list),
        "XN01");
    return {builder.GetBufferPointer(), builder.GetBufferPointer() + builder.GetSize()};
  }

 private:
  struct NodeToBe {
    xnn::XNodeUnion type;
    std::function<flatbuffers::Offset<void>(flatbuffers::FlatBufferBuilder&)> make;
    std::optional<std::pair<float, float>> bounds;
  };

  static float ScaleOf(Type type) {
    const bool has_one =
        type == Type::xnn_datatype_qint8 || type == Type::xnn_datatype_quint8 || type == Type::xnn_datatype_qint32;
    return has_one ? 0.5F : 0;
  }

  flatbuffers::Offset<xnn::XValue> Write(flatbuffers::FlatBufferBuilder& builder, size_t id,
                                         std::vector<flatbuffers::Offset<xnn::Buffer>>& buffers) const {
    const Value& value = values[id];
    uint32_t constant = 0;
    if (value.constant_bytes != 0) {
      constant = static_cast<uint32_t>(buffers.size());
      const auto bytes = builder.CreateVector(std::vector<uint8_t>(value.constant_bytes));
      buffers.push_back(xnn::CreateBuffer(builder, bytes));
    }
    const auto dims = builder.CreateVector(value.dims);
    const auto tensor =
        xnn::CreateXNNTensorValue(builder, value.type, static_cast<uint32_t>(value.dims.size()), dims, constant,
                                  value.external, value.flags, static_cast<uint32_t>(id), value.dynamic);
    const auto [kind, params] = Quantization(builder, value);
    if (kind == xnn::XNNQuantParams::NONE) {
      return xnn::CreateXValue(builder, xnn::XValueUnion::XNNTensorValue, tensor.Union());
    }
    const auto quantized = xnn::CreateXNNQuantizedTensorValue(builder, tensor, kind, params);
    return xnn::CreateXValue(builder, xnn::XValueUnion::XNNQuantizedTensorValue, quantized.Union());
  }

  static std::pair<xnn::XNNQuantParams, flatbuffers::Offset<void>> Quantization(flatbuffers::FlatBufferBuilder& builder,
                                                                                const Value& value) {
    using Kind = xnn::XNNQuantParams;
    if (value.is_dynamic) {
      return {Kind::PerTokenDynamicQuant, xnn::CreatePerTokenDynamicQuant(builder, 1).Union()};
    }
    if (value.scale != 0) {
      return {Kind::PerTensorQuant, xnn::CreatePerTensorQuant(builder, value.scale, value.zero_point).Union()};
    }
    if (value.scales.empty()) return {Kind::NONE, 0};
    const auto scales = builder.CreateVector(value.scales);
    if (value.group_size != 0) {
      return {Kind::PerChannelGroupQuant,
              xnn::CreatePerChannelGroupQuant(builder, scales, value.channel_dim, static_cast<int>(value.group_size))
                  .Union()};
    }
    return {Kind::PerChannelQuant, xnn::CreatePerChannelQuant(builder, scales, value.channel_dim).Union()};
  }

  std::vector<NodeToBe> nodes_;
};

}  // namespace pteedit::test

#endif  // PTEEDIT_TESTS_SUPPORT_XNNPACK_GRAPHS_H_
