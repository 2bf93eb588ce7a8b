#include "delegates/vulkan.h"

#include <set>
#include <string_view>
#include <type_traits>

#include "delegates/graph_reader.h"
#include "delegates/keyed_graph.h"
#include "delegates/vulkan_schema.h"
#include "delegates/vulkan_work.h"
#include "pteedit/try.h"

namespace pteedit {
namespace {

using schema::vulkan::VkBytes;
using schema::vulkan::VkDataType;
using schema::vulkan::VkTensor;
using schema::vulkan::VkValue;

constexpr const char* kGraph = "Vulkan graph";
constexpr const char* kLacksOperators = "Vulkan graph has operators without a name or arguments";
constexpr uint16_t kHeaderLength = 30;
constexpr uint64_t kNamed = ~uint64_t{0};  // offset of a constant that lies in the named data
constexpr size_t kGraphFields = 9, kBytesFields = 3;
constexpr size_t kLongestOperator = 256;  // that any release could have

struct Header {
  Extent graph, constant_data;
};

Result<Header> ReadHeader(const BlobInput& input) {
  PTEEDIT_ASSIGN(const BlobBytes head, ReadPart(input, {0, kHeaderLength}, kHeaderLength, "Vulkan header"));
  if (!HasIdentifier(head.bytes, "VH00")) return Unsupported("Vulkan header does not say 'VH00' at byte 4");
  const uint8_t* bytes = head.bytes.data;
  if (const uint16_t length = Load<uint16_t>(bytes + 8); length != kHeaderLength)
    return Unsupported(Text("Vulkan header says it has ", length, " bytes, ", kHeaderLength, " expected"));
  const Header header{{Load<uint32_t>(bytes + 10), Load<uint32_t>(bytes + 14)},
                      {Load<uint32_t>(bytes + 18), Load<uint64_t>(bytes + 22)}};
  if (!Fits(header.constant_data, input.blob.size)) {
    return Unsupported(Text("constant data of ", Words(header.constant_data), " is not inside the processed blob (",
                            input.blob.size, " bytes)"));
  }
  if (header.graph.offset < kHeaderLength || header.constant_data.offset < header.graph.offset + header.graph.size) {
    return Unsupported(Text("Vulkan graph of ", Words(header.graph), " is not between the header (", kHeaderLength,
                            " bytes) and the constant data (", Words(header.constant_data), ")"));
  }
  return header;
}

// Operators of the other layout lack their last field.
template <class Graph>
bool HasWholeOperators(const Graph* graph) {
  if (graph == nullptr) return false;
  for (const auto* call : OrEmpty(graph->chain())) {
    if (call->name() == nullptr || call->args() == nullptr) return false;
  }
  return true;
}

// What `visit` gives for the graph, of today's layout or that of 0.2, whose operators are whole.
template <class Visit>
auto WithGraph(ByteSpan bytes, Visit visit) -> decltype(visit(*VerifiedRoot<schema::vulkan::VkGraph>(bytes))) {
  if (!HasIdentifier(bytes, "VK00")) return Unsupported("Vulkan graph does not say 'VK00' at byte 4");
  const auto* graph = VerifiedRoot<schema::vulkan::VkGraph>(bytes);
  if (HasWholeOperators(graph)) return visit(*graph);
  const auto* old = VerifiedRoot<schema::vulkan02::VkGraph>(bytes);
  if (HasWholeOperators(old)) return visit(*old);
  PTEEDIT_TRY(SoundRoot<schema::vulkan::VkGraph>(bytes, kGraph));
  return Unsupported(kLacksOperators);
}

template <class Graph>
Status CheckVersion(const Graph& graph) {
  const std::string_view version = ViewOf(graph.version());
  if (version.empty() || version == "0") return {};
  return Unsupported(Text("Vulkan graph has version ", Quoted(version), ", '0' expected"));
}

class GraphReader {
 public:
  GraphReader(uint64_t graph_bytes, Extent constant_data) : unfolding_(graph_bytes), constant_data_(constant_data) {}

  template <class Graph>
  Result<DecodedBlob> Read(const Graph& graph) {
    PTEEDIT_TRY(CheckVersion(graph));
    out_.facts.push_back({"graph_version", "0"});
    if (HasNewerFields(graph, kGraphFields)) out_.problems.push_back(NewerFields("VkGraph"));
    for (const auto* call : OrEmpty(graph.chain())) out_.operators.push_back(unfolding_.Copy(call->name()));
    for (const VkBytes* constant : OrEmpty(graph.constants())) PTEEDIT_TRY(AddConstant(*constant));
    for (const VkBytes* shader : OrEmpty(graph.shaders())) {
      if (!ViewOf(shader->named_key()).empty()) keys_.insert(unfolding_.Copy(shader->named_key()));
    }
    PTEEDIT_TRY(AddTypes(OrEmpty(graph.values())));
    AddReads(graph);
    PTEEDIT_TRY(unfolding_.Check(kGraph));
    out_.keys.assign(keys_.begin(), keys_.end());
    out_.arguments = size_t{OrEmpty(graph.input_ids()).size()} + OrEmpty(graph.output_ids()).size();
    return std::move(out_);
  }

 private:
  Status AddConstant(const VkBytes& bytes) {
    BlobConstant constant;
    constant.bytes = bytes.length();
    constant.key = unfolding_.Copy(bytes.named_key());
    const size_t index = out_.constants.size();
    if (!constant.key.empty()) keys_.insert(constant.key);
    if (bytes.offset() != kNamed) {
      if (!Fits(bytes.offset(), bytes.length(), constant_data_.size)) {
        return Unsupported(Text("constant ", index, " of the Vulkan graph has ", bytes.length(), " bytes at ",
                                Hex(bytes.offset()), " of the constant data, which has ", constant_data_.size,
                                " bytes"));
      }
      constant.key.clear();
      constant.extent = {constant_data_.offset + bytes.offset(), bytes.length()};
    } else if (ViewOf(bytes.named_key()).empty()) {
      return Unsupported(Text("constant ", index, " of the Vulkan graph has neither a place nor a key"));
    }
    if (!notes_newer_bytes_ && HasNewerFields(bytes, kBytesFields)) {
      notes_newer_bytes_ = true;
      out_.problems.push_back(NewerFields("VkBytes"));
    }
    out_.constants.push_back(std::move(constant));
    return {};
  }

  // A constant is of the type of the first tensor that names it.
  Status AddTypes(const flatbuffers::Vector<flatbuffers::Offset<VkValue>>& values) {
    size_t index = 0;
    for (const VkValue* value : values) {
      const size_t number = index++;
      const VkTensor* tensor = value->value_as_VkTensor();
      if (tensor == nullptr || tensor->constant_id() < 0) continue;
      const auto id = static_cast<size_t>(tensor->constant_id());
      if (id >= out_.constants.size()) {
        return Unsupported(Text("value ", number, " of the Vulkan graph is constant ", id,
                                ", which does not exist: there are ", out_.constants.size()));
      }
      BlobConstant& constant = out_.constants[id];
      if (!constant.dtype.empty()) continue;
      const std::string_view name = EnumNameVkDataType(tensor->datatype());
      constant.dtype = name.empty() ? Text("datatype ", static_cast<int>(tensor->datatype())) : std::string(name);
      constant.sizes = unfolding_.CopySizes(tensor->dims());
    }
    return {};
  }

  // None where an operator takes a list, of which it is not known what is in it.
  template <class Graph>
  void AddReads(const Graph& graph) {
    const auto& values = OrEmpty(graph.values());
    std::vector<std::vector<size_t>> reads;
    for (const auto* call : OrEmpty(graph.chain())) {
      if (!unfolding_.Take(uint64_t{call->args()->size()} * sizeof(uint64_t))) return;
      std::set<size_t> constants;
      for (const int32_t arg : *call->args()) {
        if (arg < 0 || static_cast<uint32_t>(arg) >= values.size()) continue;
        const VkValue& value = *values.Get(static_cast<uint32_t>(arg));
        if (value.value_type() == schema::vulkan::GraphTypes::ValueList) return;
        const VkTensor* tensor = value.value_as_VkTensor();
        if (tensor != nullptr && tensor->constant_id() >= 0)
          constants.insert(static_cast<size_t>(tensor->constant_id()));
      }
      reads.emplace_back(constants.begin(), constants.end());
    }
    out_.operator_constants = std::move(reads);
  }

  Unfolding unfolding_;
  Extent constant_data_;
  DecodedBlob out_;
  std::set<std::string> keys_;
  bool notes_newer_bytes_ = false;
};

template <class Graph>
Result<std::vector<OperatorWork>> MeasureGraph(const Graph& graph, uint64_t graph_bytes) {
  PTEEDIT_TRY(CheckVersion(graph));
  Unfolding unfolding(graph_bytes);
  VulkanWork measurer(OrEmpty(graph.values()), unfolding);
  std::vector<OperatorWork> work;
  for (const auto* call : OrEmpty(graph.chain())) work.push_back(measurer.Of(ViewOf(call->name()), *call->args()));
  PTEEDIT_TRY(unfolding.Check(kGraph));
  return work;
}

template <class Graph>
VulkanForm FormOf(const Graph& graph) {
  VulkanForm form;
  form.has_node_ids = std::is_same_v<Graph, schema::vulkan::VkGraph>;
  for (const auto* call : OrEmpty(graph.chain())) {
    const std::string_view name = ViewOf(call->name());
    if (name.size() <= kLongestOperator) form.operators.emplace(name);
  }
  for (const auto* list : {graph.constants(), graph.shaders()}) {
    for (const VkBytes* bytes : OrEmpty(list)) form.has_keys = form.has_keys || !ViewOf(bytes->named_key()).empty();
  }
  for (const VkValue* value : OrEmpty(graph.values())) {
    form.has_symbols = form.has_symbols || value->value_type() == schema::vulkan::GraphTypes::SymInt;
    const VkTensor* tensor = value->value_as_VkTensor();
    if (tensor == nullptr) continue;
    form.has_wide_types =
        form.has_wide_types || tensor->datatype() == VkDataType::FLOAT64 || tensor->datatype() == VkDataType::INT64;
  }
  return form;
}

}  // namespace

Result<DecodedBlob> DecodeVulkan(const BlobInput& input) {
  PTEEDIT_ASSIGN(const Header header, ReadHeader(input));
  PTEEDIT_ASSIGN(const BlobBytes graph, ReadPart(input, header.graph, kMaxGraphBytes, kGraph));
  GraphReader reader(graph.bytes.size, header.constant_data);
  PTEEDIT_ASSIGN(DecodedBlob decoded, WithGraph(graph.bytes, [&](const auto& root) { return reader.Read(root); }));
  decoded.parts =
      FillGaps({{"header", {0, kHeaderLength}}, {"graph", header.graph}, {"constant data", header.constant_data}},
               input.blob.size);
  return decoded;
}

Result<KeyedGraph> OpenVulkanGraph(const BlobInput& input) {
  PTEEDIT_ASSIGN(const Header header, ReadHeader(input));
  PTEEDIT_ASSIGN(BlobBytes bytes, ReadPart(input, header.graph, kMaxGraphBytes, kGraph));
  if (!HasIdentifier(bytes.bytes, "VK00")) return Unsupported("Vulkan graph does not say 'VK00' at byte 4");
  PTEEDIT_ASSIGN(const schema::vulkan::VkGraph* root, SoundRoot<schema::vulkan::VkGraph>(bytes.bytes, kGraph));
  if (!HasWholeOperators(root)) return Unsupported(kLacksOperators);
  KeyedGraph graph{std::move(bytes), header.graph, header.constant_data, {}};
  AddKeys(root->constants(), graph);
  AddKeys(root->shaders(), graph);
  return graph;
}

Result<std::vector<OperatorWork>> MeasureVulkan(const BlobInput& input) {
  PTEEDIT_ASSIGN(const Header header, ReadHeader(input));
  PTEEDIT_ASSIGN(const BlobBytes graph, ReadPart(input, header.graph, kMaxGraphBytes, kGraph));
  return WithGraph(graph.bytes, [&](const auto& root) { return MeasureGraph(root, graph.bytes.size); });
}

Result<VulkanForm> ReadVulkanForm(const BlobInput& input) {
  PTEEDIT_ASSIGN(const Header header, ReadHeader(input));
  PTEEDIT_ASSIGN(const BlobBytes graph, ReadPart(input, header.graph, kMaxGraphBytes, kGraph));
  return WithGraph(graph.bytes, [](const auto& root) -> Result<VulkanForm> { return FormOf(root); });
}

}  // namespace pteedit
