// Processed blobs of XNNPACK put together in a line. They are sound unless a test edits them. Needs the library's
// private parts.
#ifndef PTEEDIT_TESTS_SUPPORT_XNNPACK_GRAPHS_H_
#define PTEEDIT_TESTS_SUPPORT_XNNPACK_GRAPHS_H_

#include <algorithm>
#include <cstdint>
#include <functional>
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

}  // namespace pteedit::test

#endif  // PTEEDIT_TESTS_SUPPORT_XNNPACK_GRAPHS_H_
