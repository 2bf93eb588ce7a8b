#include "delegates/xnnpack.h"

#include <algorithm>
#include <map>
#include <optional>

#include "base/checked.h"
#include "base/damage.h"
#include "base/text.h"
#include "delegates/blob_reader.h"
#include "delegates/graph_reader.h"
#include "delegates/keyed_graph.h"
#include "delegates/xnnpack_graph.h"
#include "delegates/xnnpack_node.h"
#include "delegates/xnnpack_rules.h"
#include "delegates/xnnpack_schema.h"
#include "program/table_walk.h"
#include "pteedit/try.h"

namespace pteedit {
namespace {

constexpr uint16_t kHeaderLength = 30;  // also the shortest blob that the runtime looks at, with a header or without
constexpr size_t kIdentifierOffset = 4;
constexpr std::string_view kHeaderMagic = "XH00";
constexpr uint32_t kSmallestGraph = 8;  // root offset and identifier
constexpr const char* kGraph = "XNNPACK graph";
constexpr uint64_t kUnfoldFactor = 4;  // how often a graph may share its strings and vectors, on average
constexpr uint64_t kUnfoldBaseBytes = uint64_t{1} << 20;

std::string_view IdentifierAt(const uint8_t* bytes) {
  return {reinterpret_cast<const char*>(bytes) + kIdentifierOffset, kHeaderMagic.size()};
}

struct Header {
  uint16_t length = 0;
  Extent graph, constants;
};

Header ParseHeader(const uint8_t* bytes) {
  return {Load<uint16_t>(bytes + 8),
          {Load<uint32_t>(bytes + 10), Load<uint32_t>(bytes + 14)},
          {Load<uint32_t>(bytes + 18), Load<uint64_t>(bytes + 22)}};
}

std::optional<Finding> CheckHeader(const Header& header, uint64_t blob_size) {
  const auto wrong = [](const char* id, std::string message) {
    return Finding{id, Severity::kError, "header", std::move(message)};
  };
  if (!Fits(header.graph, blob_size)) {
    return wrong("xnnpack-header-graph",
                 Text("graph of ", Words(header.graph), " is not inside the blob (", blob_size, " bytes)"));
  }
  if (header.graph.size < kSmallestGraph) {
    return wrong("xnnpack-header-graph",
                 Text("graph has ", header.graph.size, " bytes, at least ", kSmallestGraph, " expected"));
  }
  if (!Fits(header.constants, blob_size)) {
    return wrong("xnnpack-header-constants",
                 Text("constant data of ", Words(header.constants), " is not inside the blob (", blob_size, " bytes)"));
  }
  if (header.constants.offset < header.graph.offset + header.graph.size) {
    return wrong("xnnpack-header-constants", Text("constant data begins at ", Hex(header.constants.offset),
                                                  ", before the end of the graph (", Words(header.graph), ")"));
  }
  return std::nullopt;
}

DecodedBlob Unreadable(uint64_t blob_size, Finding problem) {
  DecodedBlob decoded;
  if (blob_size != 0) decoded.parts = {{"unreadable", {0, blob_size}}};
  decoded.problems.push_back(std::move(problem));
  return decoded;
}

std::optional<Finding> CheckIdentifier(std::string_view identifier) {
  if (identifier == "XN00" || identifier == "XN01") return std::nullopt;
  return Finding{"xnnpack-identifier", Severity::kError, "graph",
                 Text("identifier is ", Quoted(identifier), ", 'XN00' or 'XN01' expected")};
}

// Operators, constants, keys and problems.
DecodedBlob DecodeGraph(const XnnpackGraphPlace& place) {
  const auto wrong = [](const std::string& id, std::string message) {
    DecodedBlob damaged;
    damaged.problems.push_back({id, Severity::kError, "graph", std::move(message)});
    return damaged;
  };
  if (auto problem = CheckIdentifier(IdentifierAt(place.graph.data))) return wrong(problem->id, problem->message);
  using schema::xnnpack::XNNGraph;
  const XNNGraph* root = VerifiedRoot<XNNGraph>(place.graph);
  const Result<TableWalk> walk = WalkTables(place.graph, *XNNGraph::MiniReflectTypeTable(), "graph",
                                            {place.graph.size * kUnfoldFactor + kUnfoldBaseBytes, kMaxProblems});
  if (!walk) return wrong("xnnpack-graph-damaged", walk.error().message);
  if (root == nullptr) {
    return wrong("xnnpack-graph-damaged", Text("graph (", place.graph.size, " bytes) is no flatbuffer of XNNPACK"));
  }
  DecodedBlob decoded = ReadXnnpackGraph(*root, place);
  for (const std::string& unknown : walk->unknown) {
    // An unknown operator is reported with its place.
    if (unknown.starts_with("union")) continue;
    decoded.problems.push_back(
        {"xnnpack-unknown-fields", Severity::kWarning, "graph", unknown + ", which is not known"});
  }
  return decoded;
}

// Where the scales of a tensor are; 0: in the tables.
uint32_t ScaleConstantOf(const schema::xnnpack::XNNQuantizedTensorValue& value) {
  if (const auto* channels = value.quant_params_as_PerChannelQuant()) return channels->scale_buffer_idx();
  const auto* groups = value.quant_params_as_PerChannelGroupQuant();
  return groups == nullptr ? 0 : groups->scale_buffer_idx();
}

XnnpackForm FormOf(const schema::xnnpack::XNNGraph& graph) {
  XnnpackForm form;
  for (const auto* node : OrEmpty(graph.xnodes())) form.nodes.insert(static_cast<int>(node->xnode_union_type()));
  for (const auto* value : OrEmpty(graph.xvalues())) {
    const auto* quantized = value->xvalue_union_as_XNNQuantizedTensorValue();
    const auto* tensor = quantized ? quantized->tensor_value() : value->xvalue_union_as_XNNTensorValue();
    if (tensor != nullptr) form.datatypes.insert(static_cast<int>(tensor->datatype()));
    if (quantized != nullptr && ScaleConstantOf(*quantized) != 0) form.has_scale_constants = true;
  }
  for (const auto* constant : OrEmpty(graph.constant_data())) {
    if (!ViewOf(constant->named_key()).empty()) form.has_keys = true;
  }
  return form;
}

struct OpenedGraph {
  BlobBytes bytes;  // of the graph
  const schema::xnnpack::XNNGraph* root = nullptr;
  Extent place, constants;  // from the blob's start
  bool has_header = false;
};

// kUnsupported where the blob is too damaged.
Result<OpenedGraph> OpenGraph(const BlobInput& input) {
  uint8_t head[kHeaderLength];
  if (input.blob.size < sizeof(head)) {
    return Unsupported(Text("XNNPACK blob has ", input.blob.size, " bytes, at least ", sizeof(head), " expected"));
  }
  PTEEDIT_TRY(input.source->Read(input.blob.offset, {head, sizeof(head)}));
  OpenedGraph opened;
  opened.has_header = IdentifierAt(head) == kHeaderMagic;
  const Header header = opened.has_header ? ParseHeader(head) : Header{0, {0, input.blob.size}, {input.blob.size, 0}};
  if (const auto problem = CheckHeader(header, input.blob.size)) return Unsupported("XNNPACK " + problem->message);
  PTEEDIT_ASSIGN(opened.bytes, ReadPart(input, header.graph, kMaxGraphBytes, kGraph));
  PTEEDIT_ASSIGN(opened.root, SoundRoot<schema::xnnpack::XNNGraph>(opened.bytes.bytes, kGraph));
  opened.place = header.graph;
  opened.constants = header.constants;
  return opened;
}

// What is wrong with a graph is left out: verification tells it.
class NodeFactsReader {
 public:
  NodeFactsReader(const schema::xnnpack::XNNGraph& graph, Extent constants) : graph_(graph), constants_(constants) {
    for (const auto* value : OrEmpty(graph.xvalues())) {
      const auto* quantized = value->xvalue_union_as_XNNQuantizedTensorValue();
      const auto* tensor = quantized ? quantized->tensor_value() : value->xvalue_union_as_XNNTensorValue();
      if (tensor == nullptr) continue;
      values_[tensor->id_out()] = {value, tensor->datatype(), tensor->constant_buffer_idx(),
                                   quantized == nullptr ? 0 : ScaleConstantOf(*quantized)};
    }
  }

  std::vector<XnnpackNodeFacts> Read() const {
    std::vector<XnnpackNodeFacts> nodes;
    for (const auto* node : OrEmpty(graph_.xnodes())) {
      nodes.emplace_back();
      nodes.back().type = node->xnode_union_type();
      nodes.back().debug_handle = node->debug_handle();
      const bool is_known = nodes.back().type != XnnpackOperator::NONE && nodes.back().type <= XnnpackOperator::MAX;
      if (is_known && node->xnode_union() != nullptr) AddValues(XnnpackNode(*node), nodes.back());
    }
    return nodes;
  }

 private:
  struct Value {
    const schema::xnnpack::XValue* table = nullptr;
    XnnpackType type = XnnpackType::xnn_datatype_invalid;
    uint32_t constant = 0, scales = 0;  // 0 for none
  };

  void AddValues(const XnnpackNode& node, XnnpackNodeFacts& facts) const {
    const XnnpackRule* rule = FindXnnpackRule(facts.type);
    XnnpackNamedValues named;
    for (const std::string_view field : node.ValueFields(rule == nullptr ? 0 : rule->inputs)) {
      const auto found = values_.find(node.Number(field));
      if (found == values_.end()) continue;
      named.emplace_back(field, found->second.table);
      facts.types.push_back(found->second.type);
      if (field == "filter_id") facts.filter = found->second.type;
      AddConstant(found->second.constant, facts);
      AddConstant(found->second.scales, facts);
    }
    facts.work = WorkOf(node, named);
  }

  void AddConstant(uint32_t index, XnnpackNodeFacts& facts) const {
    const auto& placed = OrEmpty(graph_.constant_data());
    const auto& inside = OrEmpty(graph_.constant_buffer());
    if (index == 0) return;
    if (index < placed.size()) {
      const auto& entry = *placed.Get(index);
      if (entry.named_key() != nullptr) {
        facts.constants.insert({entry.named_key()->c_str(), {}});
      } else if (Fits(entry.offset(), entry.size(), constants_.size)) {
        facts.constants.insert({"", {constants_.offset + entry.offset(), entry.size()}});
      }
    } else if (index < inside.size() && inside.Get(index)->storage() != nullptr) {
      facts.constants.insert({"", {index, inside.Get(index)->storage()->size()}});
    }
  }

  const schema::xnnpack::XNNGraph& graph_;
  const Extent constants_;
  std::map<uint32_t, Value> values_;  // by id
};

}  // namespace

Result<DecodedBlob> DecodeXnnpack(const BlobInput& input) {
  const Extent blob = input.blob;
  uint8_t head[kHeaderLength];
  if (blob.size < sizeof(head)) {
    return Unreadable(blob.size, {"xnnpack-too-short", Severity::kError, "header",
                                  Text("blob has ", blob.size, " bytes, at least ", sizeof(head), " expected")});
  }
  PTEEDIT_TRY(input.source->Read(blob.offset, {head, sizeof(head)}));
  if (IdentifierAt(head) != kHeaderMagic) {
    if (auto problem = CheckIdentifier(IdentifierAt(head))) return Unreadable(blob.size, *std::move(problem));
    PTEEDIT_ASSIGN(const BlobBytes graph, ReadPart(input, {0, blob.size}, kMaxGraphBytes, kGraph));
    DecodedBlob decoded = DecodeGraph({graph.bytes, 0, std::nullopt});
    decoded.parts = {{"graph", {0, blob.size}}};
    return decoded;
  }
  const Header header = ParseHeader(head);
  if (std::optional<Finding> problem = CheckHeader(header, blob.size))
    return Unreadable(blob.size, *std::move(problem));
  PTEEDIT_ASSIGN(const BlobBytes graph, ReadPart(input, header.graph, kMaxGraphBytes, kGraph));
  DecodedBlob decoded = DecodeGraph({graph.bytes, header.graph.offset, header.constants});
  const uint64_t header_size = std::min<uint64_t>(kHeaderLength, header.graph.offset);
  decoded.parts =
      FillGaps({{"header", {0, header_size}}, {"graph", header.graph}, {"constant data", header.constants}}, blob.size);
  if (header.length != kHeaderLength) {
    decoded.problems.push_back({"xnnpack-header-length", Severity::kWarning, "header",
                                Text("header says it has ", header.length, " bytes, ", kHeaderLength, " expected")});
  }
  return decoded;
}

Result<KeyedGraph> OpenXnnpackGraph(const BlobInput& input) {
  PTEEDIT_ASSIGN(OpenedGraph opened, OpenGraph(input));
  if (opened.has_header && opened.place.offset < kHeaderLength) return Unsupported("XNNPACK graph lies in the header");
  if (const auto problem = CheckIdentifier(IdentifierAt(opened.bytes.bytes.data))) return Unsupported(problem->message);
  KeyedGraph graph{std::move(opened.bytes), opened.place, opened.constants, {}};
  AddKeys(opened.root->constant_data(), graph);
  return graph;
}

Result<XnnpackForm> ReadXnnpackForm(const BlobInput& input) {
  PTEEDIT_ASSIGN(const OpenedGraph opened, OpenGraph(input));
  XnnpackForm form = FormOf(*opened.root);
  form.has_header = opened.has_header;
  return form;
}

Result<std::vector<XnnpackNodeFacts>> ReadXnnpackNodes(const BlobInput& input) {
  PTEEDIT_ASSIGN(const OpenedGraph opened, OpenGraph(input));
  return NodeFactsReader(*opened.root, opened.constants).Read();
}

Result<std::vector<OperatorWork>> MeasureXnnpack(const BlobInput& input) {
  PTEEDIT_ASSIGN(const std::vector<XnnpackNodeFacts> nodes, ReadXnnpackNodes(input));
  std::vector<OperatorWork> work;
  for (const XnnpackNodeFacts& node : nodes) work.push_back(node.work);
  return work;
}

}  // namespace pteedit
