#include "delegates/mlx.h"

#include <algorithm>
#include <set>
#include <utility>

#include "delegates/graph_reader.h"
#include "delegates/mlx_schema.h"
#include "program/layout.h"
#include "pteedit/try.h"

namespace pteedit {
namespace {

using namespace schema::mlx;  // NOLINT: the graph's tables

constexpr const char* kGraph = "MLX graph";
constexpr uint64_t kHeaderLength = 24;
constexpr size_t kGraphFields = 15, kSlotFields = 2;

struct Header {
  Extent graph, data;
};

Result<Header> ReadHeader(const BlobInput& input) {
  PTEEDIT_ASSIGN(const BlobBytes head, ReadPart(input, {0, kHeaderLength}, kHeaderLength, "MLX header"));
  if (!HasIdentifier(head.bytes, "MLX0")) return Unsupported("MLX header does not say 'MLX0' at byte 4");
  const Extent data{Load<uint64_t>(head.bytes.data + 8), Load<uint64_t>(head.bytes.data + 16)};
  if (!Fits(data, input.blob.size)) {
    return Unsupported(
        Text("MLX data of ", Words(data), " is not inside the processed blob (", input.blob.size, " bytes)"));
  }
  if (data.offset <= kHeaderLength) {
    return Unsupported(Text("MLX data begins at ", Hex(data.offset), ", which leaves no room for a graph behind the ",
                            kHeaderLength, " bytes of the header"));
  }
  return Header{{kHeaderLength, data.offset - kHeaderLength}, data};
}

std::string OperatorName(OpNode type) {
  const std::string_view name = EnumNameOpNode(type);
  return type == OpNode::NONE || name.empty() ? Text("op #", static_cast<int>(type)) : std::string(name);
}

// "a78f/fc.weight" is the fc.weight of one method.
std::string NameOf(const std::string& key) {
  constexpr size_t kDigits = 4;
  const bool has_prefix = key.size() > kDigits + 1 && key[kDigits] == '/' &&
                          std::all_of(key.begin(), key.begin() + kDigits, [](char letter) {
                            return (letter >= '0' && letter <= '9') || (letter >= 'a' && letter <= 'f');
                          });
  return has_prefix ? key.substr(kDigits + 1) : key;
}

class GraphReader {
 public:
  explicit GraphReader(uint64_t graph_bytes) : unfolding_(graph_bytes) {}

  Result<DecodedBlob> Read(const MLXGraph& graph) {
    const std::string_view version = ViewOf(graph.version());
    if (!version.empty() && version != "1")
      return Unsupported(Text("MLX graph has version ", Quoted(version), ", '1' expected"));
    out_.facts.push_back({"graph_version", "1"});
    if (HasNewerFields(graph, kGraphFields)) out_.problems.push_back(NewerFields("MLXGraph"));
    ReadOperators(graph);
    bool has_newer_slot = false;
    for (const NamedSlot* slot : OrEmpty(graph.named_slots())) {
      has_newer_slot = has_newer_slot || HasNewerFields(*slot, kSlotFields);
      AddSlot(graph, *slot);
    }
    if (has_newer_slot) out_.problems.push_back(NewerFields("NamedSlot"));
    PTEEDIT_TRY(unfolding_.Check(kGraph));
    out_.keys.assign(keys_.begin(), keys_.end());
    out_.arguments = size_t{OrEmpty(graph.input_map()).size()} + OrEmpty(graph.output_map()).size();
    return std::move(out_);
  }

 private:
  void ReadOperators(const MLXGraph& graph) {
    std::set<OpNode> unknown;
    for (const InstructionChain* chain : *graph.instruction_chains()) {
      for (const Instruction* instruction : *chain->instructions()) {
        const OpNode type = instruction->op_type();
        out_.operators.push_back(OperatorName(type));
        if (type > OpNode::MAX) unknown.insert(type);
      }
    }
    for (const OpNode type : unknown) {
      out_.problems.push_back(
          {"blob-unknown-operator", Severity::kWarning, "graph",
           Text("has operators of type ", static_cast<int>(type), ", which no release up to 1.5 knows")});
    }
  }

  // Slots of inputs, outputs and buffers have names, too, but no data.
  void AddSlot(const MLXGraph& graph, const NamedSlot& named) {
    const uint32_t index = named.slot()->idx();
    if (named.slot()->slot_type() != SlotType::TensorSlot || index >= graph.num_constant_tensors()) return;
    BlobConstant constant;
    constant.key = unfolding_.Copy(named.name());
    constant.name = NameOf(constant.key);
    const auto& metas = OrEmpty(graph.tensor_meta());
    if (index < metas.size()) AddMeta(*metas.Get(index), constant);
    keys_.insert(constant.key);
    out_.constants.push_back(std::move(constant));
  }

  // Sizes of constants are always known.
  void AddMeta(const TensorMeta& meta, BlobConstant& constant) {
    constant.dtype = ScalarTypeName(meta.scalar_type());
    std::optional<uint64_t> bytes = ElementSize(meta.scalar_type());
    if (!unfolding_.Take(uint64_t{meta.shape()->size()} * sizeof(uint64_t))) return;
    for (const ShapeDim* size : *meta.shape()) {
      constant.sizes.push_back(size->value() > 0 ? static_cast<uint64_t>(size->value()) : 0);
      if (bytes) bytes = CheckedMultiply(*bytes, constant.sizes.back());
    }
    constant.bytes = bytes.value_or(0);
  }

  Unfolding unfolding_;
  DecodedBlob out_;
  std::set<std::string> keys_;
};

struct Graph {
  Header header;
  BlobBytes bytes;
  const MLXGraph* root = nullptr;  // in the bytes
};

Result<Graph> ReadGraph(const BlobInput& input) {
  PTEEDIT_ASSIGN(const Header header, ReadHeader(input));
  PTEEDIT_ASSIGN(BlobBytes bytes, ReadPart(input, header.graph, kMaxGraphBytes, kGraph));
  PTEEDIT_ASSIGN(const MLXGraph* root, SoundRoot<MLXGraph>(bytes.bytes, kGraph));
  return Graph{header, std::move(bytes), root};
}

}  // namespace

Result<std::set<int>> ReadMlxNodes(const BlobInput& input) {
  PTEEDIT_ASSIGN(const Graph graph, ReadGraph(input));
  std::set<int> nodes;
  for (const InstructionChain* chain : *graph.root->instruction_chains()) {
    for (const Instruction* instruction : *chain->instructions())
      nodes.insert(static_cast<int>(instruction->op_type()));
  }
  return nodes;
}

Result<DecodedBlob> DecodeMlx(const BlobInput& input) {
  PTEEDIT_ASSIGN(const Graph graph, ReadGraph(input));
  PTEEDIT_ASSIGN(DecodedBlob decoded, GraphReader(graph.bytes.bytes.size).Read(*graph.root));
  const Header& header = graph.header;
  decoded.parts =
      FillGaps({{"header", {0, kHeaderLength}}, {"graph", header.graph}, {"data", header.data}}, input.blob.size);
  return decoded;
}

}  // namespace pteedit
