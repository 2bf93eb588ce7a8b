#include "delegates/mps.h"

#include "base/checked.h"
#include "base/text.h"
#include "delegates/blob_reader.h"
#include "delegates/graph_reader.h"
#include "mps_generated.h"
#include "pteedit/try.h"

namespace pteedit {
namespace {

using namespace schema::mps;  // NOLINT: the graph's tables

constexpr uint64_t kHeaderBytes = 24;
constexpr size_t kMaxConstants = 100'000;

std::string OperatorName(MPSNodeUnion type) {
  const std::string_view name = EnumNameMPSNodeUnion(type);
  return type == MPSNodeUnion::NONE || name.empty() ? Text("op #", static_cast<int>(type)) : std::string(name);
}

std::string TypeName(MPSDataType type) {
  constexpr std::string_view kPrefix = "mps_data_type_";
  const std::string_view name = EnumNameMPSDataType(type);
  return name.empty() ? Text("type ", static_cast<int>(type)) : std::string(name.substr(kPrefix.size()));
}

Result<BlobConstant> ConstantOf(const MPSGraph& graph, int32_t id, Extent data) {
  const auto& values = OrEmpty(graph.mps_values());
  if (id < 0 || static_cast<uint32_t>(id) >= values.size()) {
    return Unsupported(
        Text("constant is value ", id, " of the graph, which does not exist: there are ", values.size()));
  }
  const MPSTensor& tensor = *values.Get(static_cast<uint32_t>(id));
  if (!Fits(tensor.segment_offset(), tensor.constant_buffer_size(), data.size)) {
    return Unsupported(Text("value ", id, " has ", tensor.constant_buffer_size(), " bytes at ",
                            Hex(tensor.segment_offset()), " of the constant data, which has ", data.size, " bytes"));
  }
  BlobConstant constant;
  constant.dtype = TypeName(tensor.datatype());
  constant.bytes = tensor.constant_buffer_size();
  constant.extent = {data.offset + tensor.segment_offset(), constant.bytes};
  for (const int32_t size : OrEmpty(tensor.dims())) {
    if (constant.sizes.size() == kMaxDims) break;
    constant.sizes.push_back(size < 0 ? 0 : static_cast<uint64_t>(size));
  }
  return constant;
}

// Operators and constants.
Result<DecodedBlob> ReadGraph(const MPSGraph& graph, Extent data) {
  DecodedBlob decoded;
  const auto& nodes = OrEmpty(graph.mps_nodes());
  const auto& constants = OrEmpty(graph.constant_ids());
  if (nodes.size() > kMaxOperators || constants.size() > kMaxConstants) {
    return Unsupported(Text("graph has ", nodes.size(), " operators and ", constants.size(), " constants, at most ",
                            kMaxOperators, " and ", kMaxConstants, " are looked into"));
  }
  for (const MPSNode* node : nodes) decoded.operators.push_back(OperatorName(node->mpsnode_union_type()));
  for (const int32_t id : constants) {
    PTEEDIT_ASSIGN(BlobConstant constant, ConstantOf(graph, id, data));
    decoded.constants.push_back(std::move(constant));
  }
  return decoded;
}

}  // namespace

Result<DecodedBlob> DecodeMps(const BlobInput& input) {
  PTEEDIT_ASSIGN(const BlobBytes header, ReadPart(input, {0, kHeaderBytes}, kHeaderBytes, "header"));
  if (Load<uint32_t>(header.bytes.data) != 0 || !HasIdentifier(header.bytes, "MP00")) {
    return Unsupported("blob does not begin with four zero bytes and 'MP00', as blobs have since 0.4");
  }
  const Extent data{Load<uint64_t>(header.bytes.data + 8), Load<uint64_t>(header.bytes.data + 16)};
  if (data.offset < kHeaderBytes || !Fits(data, input.blob.size)) {
    return Unsupported(Text("constant data of ", Words(data), " is not inside the processed blob (", input.blob.size,
                            " bytes) behind its header"));
  }
  const Extent graph{kHeaderBytes, data.offset - kHeaderBytes};
  PTEEDIT_ASSIGN(const BlobBytes bytes, ReadPart(input, graph, kMaxGraphBytes, "graph"));
  if (graph.size < kHeaderBytes) {
    return Unsupported(Text("MPS graph has ", graph.size, " bytes, at least ", kHeaderBytes, " expected"));
  }
  PTEEDIT_ASSIGN(const MPSGraph* root, SoundRoot<MPSGraph>(bytes.bytes, "MPS graph"));
  PTEEDIT_ASSIGN(DecodedBlob decoded, ReadGraph(*root, data));
  decoded.parts = FillGaps({{"header", {0, kHeaderBytes}}, {"graph", graph}, {"constant data", data}}, input.blob.size);
  return decoded;
}

}  // namespace pteedit
