#include "record/record_graph.h"

#include <algorithm>
#include <charconv>

#include "base/text.h"
#include "pteedit/try.h"
#include "record/record_arguments.h"

namespace pteedit {
namespace {

constexpr std::string_view kTorchOperators = "torch.ops.";
constexpr std::string_view kCallDelegate = "torch.ops.higher_order.executorch_call_delegate";
// Outputs that nothing takes are called so: "aten_native_layer_norm_default_unused_1".
constexpr std::string_view kUnused = "unused";
// What makes a program's JSON long and is not needed here.
const std::vector<std::string_view> kLeftOut = {
    "tensor_values",       "sym_int_values",     "sym_bool_values",  "module_call_graph",
    "range_constraints",   "from_node",          "stack_trace",      "nn_module_stack",
    "source_fn_stack",     "torch_fn",           "processed_bytes",  "compile_specs",
    "original_state_dict", "original_constants", "named_data_store", "signature"};

std::optional<uint64_t> NumberIn(std::string_view text) {
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

const JsonValue* Path(const JsonValue* value, std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) value = value == nullptr ? nullptr : value->Find(name);
  return value;
}

// An empty list where there is none.
const std::vector<JsonValue>& ItemsOf(const JsonValue* list) {
  static const std::vector<JsonValue> kNone;
  return list != nullptr && list->kind == JsonValue::Kind::kList ? list->items : kNone;
}

std::string_view TrimmedTarget(std::string_view target) {
  for (const std::string_view prefix : {kEdgeOperators, kTorchOperators}) {
    if (target.starts_with(prefix)) return target.substr(prefix.size());
  }
  return target;
}

// As the exporter names the nodes of an operator; those of torch go without namespace.
std::string NameFromTarget(const std::string& target) {
  std::string_view rest = TrimmedTarget(target);
  const bool is_edge = target.starts_with(kEdgeOperators);
  if (const size_t dot = rest.find('.'); !is_edge && dot != std::string_view::npos) rest = rest.substr(dot + 1);
  std::string name(rest);
  for (char& letter : name)
    letter = letter == '.' ? '_' : letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter + 32) : letter;
  return name;
}

class GraphReader {
 public:
  static Result<RecordGraph> Read(const JsonValue& program, ArgumentStyle style, int depth = 0) {
    const JsonValue* graph = Path(&program, {"graph_module", "graph"});
    if (graph == nullptr) return Unsupported("program of the record has no graph");
    GraphReader reader(style, depth);
    for (const JsonValue& input : ItemsOf(graph->Find("inputs"))) AddNames(input, reader.graph_.inputs);
    for (const JsonValue& output : ItemsOf(graph->Find("outputs"))) AddNames(output, reader.graph_.outputs);
    for (const JsonValue& node : ItemsOf(graph->Find("nodes"))) PTEEDIT_TRY(reader.AddNode(node));
    return std::move(reader.graph_);
  }

 private:
  GraphReader(ArgumentStyle style, int depth) : style_(style), depth_(depth) {}

  Status AddNode(const JsonValue& json) {
    RecordNode node;
    node.target = json.TextOf("target");
    node.debug_handle = DebugHandleOf(json);
    AddOutputs(json, node);
    if (node.target == kCallDelegate) {
      PTEEDIT_TRY(AddLowered(json, node));
    }
    AddArguments(json, node);
    graph_.nodes.push_back(std::move(node));
    return {};
  }

  void AddOutputs(const JsonValue& json, RecordNode& node) {
    const std::vector<JsonValue>& outputs = ItemsOf(json.Find("outputs"));
    std::vector<std::string> names;
    for (const JsonValue& output : outputs) AddNames(output, names);
    if (outputs.size() == 1 && names.size() == 1 && !IsList(outputs.front())) {
      node.name = names.front();
      return;
    }
    node.name = json.TextOf("name");
    const bool has_own_name = style_ == ArgumentStyle::kCode || outputs.empty();
    if (!has_own_name || node.name.empty()) node.name = Numbered(NameFromTarget(node.target));
    for (size_t i = 0; i < names.size(); ++i) {
      if (style_ == ArgumentStyle::kCode || names[i].find(kUnused) == std::string::npos)
        node.getitems.push_back({std::move(names[i]), i});
    }
  }

  // The graph's names are all different.
  std::string Numbered(const std::string& name) {
    const uint64_t number = numbers_[name]++;
    return number == 0 ? name : Text(name, '_', number);
  }

  // The first argument of a delegate's call is a program of its own, as text.
  Status AddLowered(const JsonValue& json, RecordNode& node) {
    const std::vector<JsonValue>& inputs = ItemsOf(json.Find("inputs"));
    const JsonValue* arg = inputs.empty() ? nullptr : inputs.front().Find("arg");
    if (arg == nullptr || depth_ == kMaxDepth)
      return Unsupported("program of the record calls a delegate without a module");
    PTEEDIT_ASSIGN(const JsonValue module,
                   ParseJson(arg->TextOf("as_string"), "lowered module of the record", RecordJsonLimits(kLeftOut)));
    const JsonValue* original = module.Find("original_module");
    if (original == nullptr) return Unsupported("lowered module of the record has no original module");
    PTEEDIT_ASSIGN(RecordGraph graph, Read(*original, style_, depth_ + 1));
    node.lowered = graph_.lowered.size();
    graph_.lowered.push_back(
        {std::string(inputs.front().TextOf("name")), std::string(module.TextOf("backend_id")), std::move(graph)});
    return {};
  }

  // Records of some releases do not tell; in code then those are that never are anything else.
  bool IsKeyword(const JsonValue& input, const JsonValue& arg) const {
    constexpr uint64_t kKeyword = 2;  // of the schema's ArgumentKind
    if (const JsonValue* kind = input.Find("kind")) return kind->number == kKeyword;
    std::string_view type;
    Chosen(arg, type);
    const bool is_how =
        type == "as_scalar_type" || type == "as_layout" || type == "as_device" || type == "as_memory_format";
    return style_ == ArgumentStyle::kCode && (is_how || input.TextOf("name") == "pin_memory");
  }

  void AddArguments(const JsonValue& json, RecordNode& node) const {
    for (const JsonValue& input : ItemsOf(json.Find("inputs"))) {
      const JsonValue* arg = input.Find("arg");
      if (arg == nullptr) continue;
      const bool is_module = node.lowered && node.arguments.empty();
      const bool is_code = style_ == ArgumentStyle::kCode;
      const std::string text =
          is_module ? Text(is_code ? "" : "%", graph_.lowered.back().name) : ArgumentText(*arg, style_);
      if (IsKeyword(input, *arg)) {
        node.keyword_arguments.push_back(Text(input.TextOf("name"), is_code ? " = " : ": ", text));
      } else {
        node.arguments.push_back(text);
      }
    }
  }

  static constexpr int kMaxDepth = 4;  // of delegates in delegates
  ArgumentStyle style_;
  int depth_;
  RecordGraph graph_;
  std::map<std::string, uint64_t> numbers_;
};

// Of a member of an object with numbers as names.
std::vector<std::pair<uint64_t, const JsonValue*>> ByInstruction(const JsonValue* object) {
  std::vector<std::pair<uint64_t, const JsonValue*>> members;
  if (object == nullptr) return members;
  for (size_t i = 0; i < object->names.size() && i < object->items.size(); ++i) {
    if (const auto number = NumberIn(object->names[i])) members.emplace_back(*number, &object->items[i]);
  }
  return members;
}

HandleList HandlesIn(const JsonValue& json) {
  HandleList list;
  list.is_list = json.kind == JsonValue::Kind::kList;
  if (json.kind == JsonValue::Kind::kNumber) list.handles.push_back(json.number);
  for (const JsonValue& item : ItemsOf(&json)) list.handles.push_back(item.number);
  return list;
}

bool IsHandle(const JsonValue& value) { return value.kind != JsonValue::Kind::kNumber || value.is_count; }

// {"instruction": handle or list of handles}
Status CheckHandles(const JsonValue* map) {
  for (size_t i = 0; map != nullptr && i < map->names.size() && i < map->items.size(); ++i) {
    const JsonValue& value = map->items[i];
    const bool are_handles = IsHandle(value) && std::all_of(value.items.begin(), value.items.end(), IsHandle);
    if (NumberIn(map->names[i]) && are_handles) continue;
    return Malformed(Text("entry 'debug_handle_map': ", Quoted(map->names[i]),
                          are_handles ? " is no instruction" : " has a debug handle that is no whole number"));
  }
  return {};
}

}  // namespace

std::optional<uint64_t> DebugHandleOf(const JsonValue& node) {
  const JsonValue* metadata = node.Find("metadata");
  return metadata == nullptr ? std::nullopt : NumberIn(metadata->TextOf("debug_handle"));
}

std::string InspectorTypeOf(std::string_view target) {
  const std::string_view rest = TrimmedTarget(target);
  if (target.starts_with(kEdgeOperators)) return std::string(rest);
  return std::string(rest.substr((rest.size() != target.size() ? rest.find('.') : rest.rfind('.')) + 1));
}

std::string OpTypeOf(std::string_view name) {
  const size_t digits = name.find_last_not_of("0123456789") + 1;
  const bool has_number = digits != 0 && digits < name.size() && name[digits - 1] == '_';
  return std::string(has_number ? name.substr(0, digits - 1) : name);
}

std::string OperatorOf(const RecordNode& node) {
  std::string_view rest = TrimmedTarget(node.target);
  const size_t dot = rest.find('.');
  const bool is_operator = rest.size() != node.target.size() && dot != std::string_view::npos;
  if (is_operator) return Text(rest.substr(0, dot), "::", rest.substr(dot + 1));
  return std::string(rest.substr(rest.rfind('.') + 1));
}

Result<RecordGraph> GraphOf(const JsonValue& program, ArgumentStyle style) { return GraphReader::Read(program, style); }

Result<std::optional<RecordGraph>> ReadGraph(const Etrecord& record, std::string_view method) {
  const std::string entry = record.EdgeProgramEntry(method);
  if (entry.empty()) return std::optional<RecordGraph>();
  PTEEDIT_ASSIGN(const JsonValue program, record.ReadJson(entry, kLeftOut));
  PTEEDIT_ASSIGN(RecordGraph graph, GraphReader::Read(program, ArgumentStyle::kGraph));
  return std::optional<RecordGraph>(std::move(graph));
}

Result<std::optional<RecordMaps>> ReadMaps(const Etrecord& record, std::string_view method) {
  PTEEDIT_ASSIGN(const auto handles, record.ReadMap("debug_handle_map"));
  PTEEDIT_TRY(CheckHandles(handles->Find(method)));
  PTEEDIT_ASSIGN(const auto backends, record.ReadMap("delegate_map"));
  PTEEDIT_ASSIGN(const auto outputs, record.ReadMap("instruction_id_to_num_outs_map"));
  if (handles->Find(method) == nullptr) return std::optional<RecordMaps>();
  RecordMaps maps;
  for (const auto& [index, value] : ByInstruction(handles->Find(method))) {
    HandleList list = HandlesIn(*value);
    if (!list.is_list) maps.single.insert(index);
    maps.handles[index] = std::move(list.handles);
  }
  for (const auto& [index, value] : ByInstruction(outputs->Find(method))) maps.delegate_outputs[index] = value->number;
  for (const auto& [index, value] : ByInstruction(backends->Find(method))) {
    maps.backends[index] = value->TextOf("name");
    const JsonValue* nodes = value->Find("delegate_map");
    for (size_t i = 0; nodes != nullptr && i < nodes->names.size() && i < nodes->items.size(); ++i)
      maps.delegate_handles[index].emplace_back(nodes->names[i], HandlesIn(nodes->items[i]));
  }
  return std::optional<RecordMaps>(std::move(maps));
}

}  // namespace pteedit
