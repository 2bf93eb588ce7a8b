#include "profile/record_nodes.h"

#include <charconv>

#include "text.h"
#include "try.h"

namespace pteedit {
namespace {

constexpr std::string_view kEdgeOperators = "executorch.exir.dialects.edge.ops.";
constexpr std::string_view kTorchOperators = "torch.ops.";
const std::vector<std::string_view> kLeftOut = {
    "tensor_values",     "sym_int_values", "sym_bool_values", "module_call_graph", "inputs",
    "range_constraints", "from_node",      "source_fn_stack", "torch_fn",          "signature"};

std::optional<uint64_t> NumberIn(std::string_view text) {
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// Operators of the edge dialect keep their namespace, others lose it; plain functions keep their last part.
std::string OpTypeFrom(std::string_view target) {
  if (target.starts_with(kEdgeOperators)) return std::string(target.substr(kEdgeOperators.size()));
  if (target.starts_with(kTorchOperators)) {
    const std::string_view rest = target.substr(kTorchOperators.size());
    return std::string(rest.substr(rest.find('.') + 1));
  }
  return std::string(target.substr(target.rfind('.') + 1));
}

// The name of the one tensor that it gives, else its own.
std::string NameOf(const JsonValue& node) {
  const JsonValue* outputs = node.Find("outputs");
  if (outputs != nullptr && outputs->items.size() == 1) {
    const JsonValue* tensor = outputs->items.front().Find("as_tensor");
    if (tensor != nullptr) return std::string(tensor->TextOf("name"));
  }
  return std::string(node.TextOf("name"));
}

SourceNode NodeFrom(const JsonValue& json, const JsonValue& metadata) {
  SourceNode node;
  node.name = NameOf(json) + "_";
  node.op_type = OpTypeFrom(json.TextOf("target"));
  if (const JsonValue* trace = metadata.Find("stack_trace")) node.stack_trace = trace->text;
  if (const JsonValue* modules = metadata.Find("nn_module_stack")) node.modules = ParseModules(modules->text);
  return node;
}

InstructionHandles HandlesFrom(const JsonValue& json) {
  InstructionHandles handles;
  handles.is_list = json.kind == JsonValue::Kind::kList;
  if (json.kind == JsonValue::Kind::kNumber) handles.handles.push_back(json.number);
  for (const JsonValue& item : json.items) handles.handles.push_back(item.number);
  return handles;
}

template <class Visit>
void ForEachMember(const JsonValue* object, Visit visit) {
  if (object == nullptr) return;
  for (size_t i = 0; i < object->names.size() && i < object->items.size(); ++i)
    visit(object->names[i], object->items[i]);
}

}  // namespace

std::optional<std::vector<ModuleLevel>> ParseModules(std::string_view text) {
  std::vector<ModuleLevel> levels;
  std::vector<std::string> parts(1);
  const auto end_level = [&] {
    if (parts.size() != 3) return false;
    levels.push_back({std::move(parts[0]), std::move(parts[1]), std::move(parts[2])});
    parts.assign(1, {});
    return true;
  };
  int depth = 0;
  for (const char c : text) {
    depth += c == '(' || c == '[' ? 1 : c == ')' || c == ']' ? -1 : 0;
    if (c == ';') {
      if (!end_level()) return std::nullopt;
    } else if (c == ',' && depth == 0) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  if (!text.empty() && !end_level()) return std::nullopt;
  return levels;
}

Result<SourceNodes> ReadSourceNodes(const Etrecord& record, std::string_view method) {
  SourceNodes nodes;
  const std::string entry = record.EdgeProgramEntry(method);
  if (entry.empty()) return nodes;
  PTEEDIT_ASSIGN(const JsonValue program, record.ReadJson(entry, kLeftOut));
  const JsonValue* module = program.Find("graph_module");
  const JsonValue* graph = module == nullptr ? nullptr : module->Find("graph");
  const JsonValue* list = graph == nullptr ? nullptr : graph->Find("nodes");
  if (list == nullptr) return Unsupported(Text("entry ", Quoted(entry), " has no graph"));
  for (const JsonValue& json : list->items) {
    const JsonValue* metadata = json.Find("metadata");
    if (metadata == nullptr) continue;
    if (const auto handle = NumberIn(metadata->TextOf("debug_handle")))
      (nodes)[*handle].push_back(NodeFrom(json, *metadata));
  }
  return nodes;
}

Result<std::optional<MethodHandles>> ReadHandles(const Etrecord& record, std::string_view method) {
  PTEEDIT_ASSIGN(const JsonValue handles, record.ReadJson("debug_handle_map"));
  PTEEDIT_ASSIGN(const JsonValue delegates, record.ReadJson("delegate_map"));
  PTEEDIT_ASSIGN(const JsonValue outputs, record.ReadJson("instruction_id_to_num_outs_map"));
  if (handles.Find(method) == nullptr) return std::optional<MethodHandles>();
  MethodHandles read;
  ForEachMember(handles.Find(method), [&](const std::string& name, const JsonValue& value) {
    if (const auto index = NumberIn(name)) read.instructions[*index] = HandlesFrom(value);
  });
  ForEachMember(outputs.Find(method), [&](const std::string& name, const JsonValue& value) {
    const auto index = NumberIn(name);
    if (index && read.instructions.count(*index) != 0) read.instructions[*index].outputs = value.number;
  });
  ForEachMember(delegates.Find(method), [&](const std::string& name, const JsonValue& value) {
    const auto index = NumberIn(name);
    if (!index) return;
    DelegateHandles& delegate = read.delegates[*index];
    delegate.backend = value.TextOf("name");
    ForEachMember(value.Find("delegate_map"), [&](const std::string& identifier, const JsonValue& list) {
      delegate.by_identifier.emplace_back(identifier, HandlesFrom(list));
    });
  });
  return std::optional<MethodHandles>(std::move(read));
}

}  // namespace pteedit
