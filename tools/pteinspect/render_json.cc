#include "render_json.h"

namespace pteedit::inspect {
namespace {

using cli::AddKey;
using cli::Json;
using cli::JsonText;

// Null rather than an empty text, where there is no name.
Json TextOrNull(const std::string& text) { return text.empty() ? Json() : JsonText(text); }

template <class Items, class ToJson>
Json ListOf(const Items& items, ToJson to_json) {
  Json list = Json::array();
  for (const auto& item : items) list.push_back(to_json(item));
  return list;
}

Json TextsOf(const std::vector<std::string>& texts) { return ListOf(texts, JsonText); }

void AddLayout(Json& object, const TensorLayout& layout) {
  object["dtype"] = ScalarTypeName(layout.scalar_type);
  object["sizes"] = layout.sizes;
  object["dim_order"] = Json::array();
  for (const uint8_t dimension : layout.dim_order) object["dim_order"].push_back(dimension);
}

Json ReferenceJson(const SizeNode::Reference& reference) {
  Json object = Json::object();
  AddKey(object, reference.key);
  object["bytes"] = reference.bytes;
  return object;
}

Json SizesJson(const SizeNode& node) {
  Json object;
  object["name"] = JsonText(node.name);
  object["size"] = node.size;
  if (!node.aliases.empty()) object["aliases"] = TextsOf(node.aliases);
  if (!node.note.empty()) object["note"] = JsonText(node.note);
  if (!node.refers_to.empty()) object["refers_to"] = ListOf(node.refers_to, ReferenceJson);
  object["components"] = ListOf(node.components, SizesJson);
  return object;
}

Json HeaderJson(const Container& file) {
  const FileHeader& header = file.header();
  Json object;
  object["identifier"] = header.identifier;
  object["version"] = header.version;
  object["layout"] = header.layout_06 ? "0.6" : "current";
  object["tables_size"] = file.tables().size;
  object["extended_header"] = nullptr;
  if (!header.has_extended_header) return object;
  object["extended_header"] = {{"length", header.extended_header_length},
                               {"tables_offset", header.tables_offset},
                               {"tables_size", header.tables_size},
                               {"segment_base_offset", header.segment_base_offset},
                               {"segment_data_size", header.segment_data_size}};
  return object;
}

Json WholeHeaderJson(const Inspection& inspection) {
  const Description& description = inspection.description;
  const Container& file = inspection.container;
  const uint64_t alignment = CommonAlignment(description);
  Json object = HeaderJson(file);
  object["segment_alignment"] = alignment != 0 ? Json(alignment) : Json();
  object["segments"] = description.segments.size();
  object["methods"] = description.methods.size();
  object["named_data"] = description.named_data.size();
  if (file.program() == nullptr) return object;
  object["program"] = HeaderJson(*file.program());
  object["program"]["offset"] = file.program_extent().offset;
  object["program"]["size"] = file.program_extent().size;
  return object;
}

Json ValueJson(const ValueDescription& value) {
  Json object;
  object["value"] = value.value;
  object["type"] = value.type;
  if (value.layout != nullptr) AddLayout(object, *value.layout);
  return object;
}

Json MethodJson(const MethodDescription& method) {
  return {{"name", JsonText(method.name)},
          {"inputs", ListOf(method.inputs, ValueJson)},
          {"outputs", ListOf(method.outputs, ValueJson)},
          {"instructions", method.instructions},
          {"kernel_calls", method.kernel_calls},
          {"delegate_calls", method.delegate_calls},
          {"planned_bytes", method.planned_bytes}};
}

Json TensorJson(const TensorDescription& tensor) {
  Json object;
  object["name"] = TextOrNull(tensor.name);
  object["aliases"] = TextsOf(tensor.aliases);
  object["method"] = TextOrNull(tensor.method);
  object["value"] = tensor.method.empty() ? Json() : Json(tensor.value);
  AddLayout(object, tensor.layout);
  object["bytes"] = tensor.bytes ? Json(*tensor.bytes) : Json();
  object["store"] = tensor.store;
  object["key"] = nullptr;
  if (!tensor.key.empty()) AddKey(object, tensor.key);
  return object;
}

Json SegmentJson(const SegmentDescription& segment) {
  return {{"index", segment.index},
          {"offset", segment.extent.offset},
          {"bytes", segment.extent.size},
          {"alignment", segment.alignment},
          {"users", TextsOf(segment.users)}};
}

Json NamedDataJson(const NamedDataDescription& entry) {
  Json object;
  AddKey(object, entry.key);
  object["bytes"] = entry.bytes;
  if (entry.layout) AddLayout(object, *entry.layout);
  object["sharers"] = entry.sharers;
  return object;
}

Json OperatorJson(const OperatorDescription& op) {
  return {{"name", JsonText(op.name)}, {"calls", op.calls}, {"methods", TextsOf(op.methods)}};
}

}  // namespace

Json RenderJson(const Inspection& inspection, const Views& views) {
  const Description& description = inspection.description;
  Json object;
  object["schema_version"] = cli::kJsonSchemaVersion;
  object["file"] = JsonText(inspection.file);
  object["kind"] = KindName(inspection.container.kind());
  object["bytes"] = inspection.sizes.size;
  object["sizes"] = SizesJson(inspection.sizes);
  if (views.headers) object["header"] = WholeHeaderJson(inspection);
  if (views.methods) object["methods"] = ListOf(description.methods, MethodJson);
  if (views.tensors) object["tensors"] = ListOf(description.tensors, TensorJson);
  if (views.segments) object["segments"] = ListOf(description.segments, SegmentJson);
  if (views.named_data) object["named_data"] = ListOf(description.named_data, NamedDataJson);
  if (views.operators) object["operators"] = ListOf(description.operators, OperatorJson);
  return object;
}

Json RenderJsonDamaged(const std::string& file) {
  Json object;
  object["schema_version"] = cli::kJsonSchemaVersion;
  object["file"] = JsonText(file);
  return object;
}

Json RenderJsonError(const std::optional<std::string>& file, const Error& error) {
  Json object;
  object["schema_version"] = cli::kJsonSchemaVersion;
  object["file"] = file ? JsonText(*file) : Json();
  object["error"] = {{"code", cli::CodeName(error.code)}, {"message", JsonText(error.message)}};
  return object;
}

}  // namespace pteedit::inspect
