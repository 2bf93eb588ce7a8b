#include "delegates/tensorrt.h"

#include <set>

#include "base/text.h"
#include "delegates/blob_reader.h"
#include "delegates/compile_specs.h"
#include "formats/json_reader.h"
#include "pteedit/try.h"

namespace pteedit {
namespace {

constexpr uint64_t kTensorRtHeaderBytes = 32;
constexpr uint64_t kEngineAlignment = 16;
constexpr uint64_t kMaxTensorRtMetadataBytes = uint64_t{8} << 20;
constexpr std::string_view kAliased = "TR02";
constexpr uint64_t kEngineHeadBytes = 28;
constexpr uint32_t kEngineTag = 0x74727466;
constexpr size_t kVersionAt = 24;  // of the engine, for its serialization version 0

struct Header {
  std::string_view magic;
  Extent metadata, engine;
};

Result<Header> ReadHeader(const BlobInput& input, const BlobBytes& head) {
  const uint8_t* bytes = head.bytes.data;
  Header header{ViewOf(head).substr(0, kAliased.size()),
                {Load<uint32_t>(bytes + 4), Load<uint32_t>(bytes + 8)},
                {Load<uint32_t>(bytes + 12), Load<uint64_t>(bytes + 16)}};
  if (header.magic != "TR01" && header.magic != kAliased)
    return Unsupported(Text("blob begins with ", Quoted(header.magic), ", 'TR01' or 'TR02' expected"));
  if (!Fits(header.metadata, input.blob.size) || header.metadata.offset < kTensorRtHeaderBytes)
    return Unsupported(Text("metadata of ", Words(header.metadata), " is not between header and end of the blob (",
                            input.blob.size, " bytes)"));
  if (!Fits(header.engine, input.blob.size) || header.engine.offset < header.metadata.offset + header.metadata.size)
    return Unsupported(Text("engine of ", Words(header.engine), " is not between metadata and end of the blob (",
                            input.blob.size, " bytes)"));
  if (header.engine.offset % kEngineAlignment != 0)
    return Unsupported(Text("engine is at ", Hex(header.engine.offset), ", a multiple of 16 expected"));
  return header;
}

std::string ShownBinding(const JsonValue& binding) {
  std::string sizes;
  if (const JsonValue* shape = binding.Find("shape"))
    sizes = Joined(shape->items, ", ", [](const JsonValue& size) { return size.written; });
  return Text(binding.TextOf("name"), ": ", binding.TextOf("dtype"), '[', sizes, ']');
}

// Inputs and outputs, each list as long as there is room for.
Status AddBindings(const JsonValue& metadata, std::vector<BlobFact>& facts) {
  const JsonValue* bindings = metadata.Find("io_bindings");
  if (bindings == nullptr || bindings->kind != JsonValue::Kind::kList)
    return Unsupported("metadata has no list of io_bindings");
  std::set<std::string_view> names;
  std::vector<std::string> inputs, outputs;
  for (size_t i = 0; i < bindings->items.size(); ++i) {
    const JsonValue& binding = bindings->items[i];
    const JsonValue* is_input = binding.Find("is_input");
    const std::string_view name = binding.TextOf("name");
    if (name.empty()) return Unsupported(Text("binding ", i, " has no name"));
    if (is_input == nullptr || is_input->kind != JsonValue::Kind::kBoolean)
      return Unsupported(Text("binding ", Quoted(name), " does not say whether it is an input"));
    if (!names.insert(name).second) return Unsupported(Text("two bindings are called ", Quoted(name)));
    (is_input->number != 0 ? inputs : outputs).push_back(ShownBinding(binding));
  }
  for (const auto& [what, list] : {std::pair("inputs", &inputs), std::pair("outputs", &outputs)})
    facts.push_back(
        {what, Text(list->size(), list->empty() ? "" : ": ", Joined(*list, ", ")).substr(0, kMaxFactBytes)});
  return {};
}

Status AddMetadata(const JsonValue& metadata, const Header& header, std::vector<BlobFact>& facts) {
  PTEEDIT_TRY(AddBindings(metadata, facts));
  const JsonValue* aliased = metadata.Find("aliased_io");
  const size_t count = aliased == nullptr ? 0 : aliased->items.size();
  if (header.magic == kAliased && count == 0) return Unsupported("blob is 'TR02', but its metadata has no aliased_io");
  if (count != 0) facts.push_back({"aliased_outputs", Text(count)});
  for (const char* name : {"hardware_compatible", "device_id"}) {
    const JsonValue* value = metadata.Find(name);
    if (value == nullptr) continue;
    const bool is_number = value->kind == JsonValue::Kind::kNumber;
    facts.push_back({name, is_number            ? value->written.substr(0, kMaxFactBytes)
                           : value->number != 0 ? "true"
                                                : "false"});
  }
  return {};
}

Status AddRelease(const BlobInput& input, const Header& header, std::vector<BlobFact>& facts) {
  if (header.engine.size < kEngineHeadBytes) return {};
  PTEEDIT_ASSIGN(const BlobBytes engine,
                 ReadPart(input, {header.engine.offset, kEngineHeadBytes}, kEngineHeadBytes, "engine"));
  const uint8_t* bytes = engine.bytes.data;
  if (Load<uint32_t>(bytes) != kEngineTag || Load<uint32_t>(bytes + 4) != 0) return {};
  std::vector<unsigned> numbers(bytes + kVersionAt, bytes + kEngineHeadBytes);
  facts.push_back({"tensorrt_version", Joined(numbers, ".")});
  return {};
}

// The options of the exporter, a JSON of their own.
void AddOptions(const BlobInput& input, std::vector<BlobFact>& facts) {
  const auto text = SpecText(input, "tensorrt_compile_spec");
  if (!text) return;
  const Result<JsonValue> options = ParseJson(*text, "options");
  if (!options) return;
  if (!options->TextOf("precision").empty())
    facts.push_back({"precision", std::string(options->TextOf("precision").substr(0, kMaxFactBytes))});
  const JsonValue* core = options->Find("dla_core");
  if (core != nullptr && core->is_count) facts.push_back({"dla_core", Text(core->number)});
}

}  // namespace

Result<DecodedBlob> DecodeTensorrt(const BlobInput& input) {
  PTEEDIT_ASSIGN(const BlobBytes head, ReadPart(input, {0, kTensorRtHeaderBytes}, kTensorRtHeaderBytes, "header"));
  PTEEDIT_ASSIGN(const Header header, ReadHeader(input, head));
  PTEEDIT_ASSIGN(const BlobBytes json, ReadPart(input, header.metadata, kMaxTensorRtMetadataBytes, "metadata"));
  PTEEDIT_ASSIGN(const JsonValue metadata, ParseJson(ViewOf(json), "metadata"));
  DecodedBlob decoded;
  decoded.facts.push_back({"blob_version", std::string(header.magic)});
  PTEEDIT_TRY(AddRelease(input, header, decoded.facts));
  PTEEDIT_TRY(AddMetadata(metadata, header, decoded.facts));
  AddOptions(input, decoded.facts);
  decoded.parts =
      FillGaps({{"header", {0, kTensorRtHeaderBytes}}, {"bindings", header.metadata}, {"engine", header.engine}},
               input.blob.size);
  return decoded;
}

}  // namespace pteedit
