#include "pteedit/profile/program_listing.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "pteedit/text.h"
#include "pteedit/try.h"
#include "record/etrecord.h"
#include "record/record_arguments.h"
#include "record/record_graph.h"

namespace pteedit {
namespace {

// What makes a program's JSON long and is not listed.
const std::vector<std::string_view> kUnlisted = {
    "module_call_graph", "from_node",     "nn_module_stack",     "source_fn_stack",    "torch_fn",
    "processed_bytes",   "compile_specs", "original_state_dict", "original_constants", "named_data_store"};

struct TypeName {
  uint64_t number;
  std::string_view name;
};
// As torch abbreviates them, by torch.export's numbers.
constexpr std::array<TypeName, 22> kTypes = {
    {{1, "u8"},         {2, "i8"},   {3, "i16"},       {4, "i32"},     {5, "i64"},         {6, "f16"},
     {7, "f32"},        {8, "f64"},  {9, "c32"},       {10, "c64"},    {11, "c128"},       {12, "b8"},
     {13, "bf16"},      {28, "u16"}, {29, "f8e4m3fn"}, {30, "f8e5m2"}, {31, "f8e4m3fnuz"}, {32, "f8e5m2fnuz"},
     {33, "f8e8m0fnu"}, {34, "u32"}, {35, "u64"},      {0, "unknown"}}};

std::string TypeText(uint64_t number) {
  const auto* found =
      std::find_if(kTypes.begin(), kTypes.end(), [&](const TypeName& type) { return type.number == number; });
  return found == kTypes.end() ? Text("type", number) : std::string(found->name);
}

// A number, or an expression of symbols.
std::string SizeText(const JsonValue& size) {
  std::string_view type;
  const JsonValue* chosen = Chosen(size, type);
  if (chosen == nullptr) return "?";
  return chosen->kind == JsonValue::Kind::kObject ? std::string(chosen->TextOf("expr_str")) : chosen->written;
}

const JsonValue* Member(const JsonValue* value, std::string_view name) {
  return value == nullptr ? nullptr : value->Find(name);
}

template <class Visit>
void ForEachItem(const JsonValue* list, Visit visit) {
  if (list == nullptr || list->kind != JsonValue::Kind::kList) return;
  for (const JsonValue& item : list->items) visit(item);
}

class TypeReader {
 public:
  explicit TypeReader(const JsonValue* graph)
      : tensors_(Member(graph, "tensor_values")),
        numbers_(Member(graph, "sym_int_values")),
        truths_(Member(graph, "sym_bool_values")) {}

  ListedValue ValueOf(std::string name) const {
    std::string type = TypeOf(name);
    return {std::move(name), std::move(type)};
  }

 private:
  std::string TypeOf(std::string_view name) const {
    for (const JsonValue* symbols : {numbers_, truths_}) {
      if (const JsonValue* symbol = Member(symbols, name)) return Text("Sym(", SizeText(*symbol), ")");
    }
    const JsonValue* tensor = Member(tensors_, name);
    const JsonValue* dtype = Member(tensor, "dtype");
    if (dtype == nullptr) return {};
    std::string sizes;
    ForEachItem(tensor->Find("sizes"),
                [&](const JsonValue& size) { sizes += (sizes.empty() ? "" : ", ") + SizeText(size); });
    return Text(TypeText(dtype->number), "[", sizes, "]");
  }

  const JsonValue *tensors_, *numbers_, *truths_;
};

std::string Upper(std::string_view text) {
  std::string upper(text);
  for (char& letter : upper) letter = letter >= 'a' && letter <= 'z' ? static_cast<char>(letter - 32) : letter;
  return upper;
}

// torch calls these other than its own file does.
std::string KindOf(std::string_view type) {
  if (type == "tensor_constant") return "CONSTANT_TENSOR";
  return type == "constant_input" ? "USER_INPUT" : Upper(type);
}

ListedSpec SpecOf(const JsonValue& json) {
  ListedSpec spec;
  std::string_view type;
  const JsonValue* chosen = Chosen(json, type);
  if (chosen == nullptr) return {"?", "?", {}, {}};
  spec.kind = KindOf(type);
  spec.name = chosen->TextOf("name");
  if (const JsonValue* arg = chosen->Find("arg"); arg != nullptr && spec.name.empty()) {
    spec.name = arg->TextOf("name");
    if (spec.name.empty()) spec.name = ArgumentText(*arg, ArgumentStyle::kCode);
  }
  for (size_t i = 0; i < chosen->names.size() && i < chosen->items.size(); ++i) {
    if (chosen->names[i].ends_with("_name")) spec.target = chosen->items[i].text;
    if (chosen->names[i] == "persistent") spec.persistent = chosen->items[i].number != 0;
  }
  return spec;
}

// Of a bound of a range: what is not there is infinite.
std::string BoundText(const JsonValue* bound, const char* infinite) {
  if (bound == nullptr || bound->kind == JsonValue::Kind::kNull) return infinite;
  if (bound->kind == JsonValue::Kind::kNumber) return bound->written;
  return bound->text == "inf" ? "int_oo" : bound->text == "-inf" ? "-int_oo" : bound->text;
}

std::vector<ListedSpec> SpecsOf(const JsonValue* list) {
  std::vector<ListedSpec> specs;
  ForEachItem(list, [&](const JsonValue& spec) { specs.push_back(SpecOf(spec)); });
  return specs;
}

std::string_view Trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

// "model.py:26 in forward, code: return x" of a line 'File "model.py", line 26, in forward' and the one after it.
std::string FrameText(std::string_view line, std::string_view code) {
  constexpr std::string_view kFile = "File \"", kLine = "\", line ", kIn = ", in ";
  const size_t number = line.find(kLine), name = line.find(kIn, number);
  if (!line.starts_with(kFile) || number == std::string_view::npos || name == std::string_view::npos) return {};
  const std::string_view file = line.substr(kFile.size(), number - kFile.size());
  const std::string_view digits = line.substr(number + kLine.size(), name - number - kLine.size());
  return Text(file, ":", digits, " in ", line.substr(name + kIn.size()), ", code: ", code);
}

// Of the innermost frame of a trace.
std::string SourceIn(std::string_view trace) {
  std::string source;
  std::string_view previous;
  while (!trace.empty()) {
    const size_t end = std::min(trace.find('\n'), trace.size());
    const std::string_view line = Trimmed(trace.substr(0, end));
    if (std::string found = FrameText(previous, line); !found.empty()) source = std::move(found);
    previous = line;
    trace.remove_prefix(std::min(end + 1, trace.size()));
  }
  return source;
}

// The graph has one node for each of the JSON's.
void AddNodes(const RecordGraph& graph, const JsonValue& json, const TypeReader& types, ProgramListing& listing) {
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    const RecordNode& node = graph.nodes[i];
    const JsonValue* metadata = json.items[i].Find("metadata");
    const std::string source = metadata == nullptr ? "" : SourceIn(metadata->TextOf("stack_trace"));
    const std::vector<std::string>& keywords = node.keyword_arguments;
    listing.nodes.push_back({types.ValueOf(node.name), node.target, node.arguments, keywords, {}, source});
    for (const RecordGetitem& output : node.getitems)
      listing.nodes.push_back({types.ValueOf(output.name), "", {node.name}, {}, output.index, source});
  }
}

Result<ProgramListing> ListingOf(const Etrecord& record, const std::string& entry) {
  PTEEDIT_ASSIGN(const JsonValue program, record.ReadJson(entry, kUnlisted));
  const auto lacks = [&](const char* what) { return Unsupported(Text("entry ", Quoted(entry), " has no ", what)); };
  const JsonValue* module = program.Find("graph_module");
  const JsonValue* graph_json = Member(module, "graph");
  if (graph_json == nullptr) return lacks("graph");
  const JsonValue* nodes = Member(graph_json, "nodes");
  if (nodes == nullptr) return lacks("nodes");
  const JsonValue* signature = Member(module, "signature");
  if (signature == nullptr) return lacks("signature");
  PTEEDIT_ASSIGN(RecordGraph graph, GraphOf(program, ArgumentStyle::kCode));
  const TypeReader types(graph_json);
  ProgramListing listing;
  listing.graph = entry;
  for (std::string& input : graph.inputs) listing.inputs.push_back(types.ValueOf(std::move(input)));
  AddNodes(graph, *nodes, types, listing);
  listing.outputs = std::move(graph.outputs);
  listing.input_specs = SpecsOf(signature->Find("input_specs"));
  listing.output_specs = SpecsOf(signature->Find("output_specs"));
  const JsonValue* ranges = program.Find("range_constraints");
  for (size_t i = 0; ranges != nullptr && i < ranges->names.size() && i < ranges->items.size(); ++i) {
    listing.range_constraints.push_back({ranges->names[i], BoundText(ranges->items[i].Find("min_val"), "-int_oo"),
                                         BoundText(ranges->items[i].Find("max_val"), "int_oo")});
  }
  return listing;
}

// As torch writes what a node calls: operators of the edge dialect are no attributes of torch.
std::string TargetText(std::string_view target) {
  if (!target.starts_with(kEdgeOperators)) return std::string(target);
  std::string text = Text("executorch_exir_dialects_edge__ops_", target.substr(kEdgeOperators.size()));
  std::replace(text.begin(), text.end(), '.', '_');
  return text;
}

constexpr const char* kIndent = "            ";  // of the lines of a function in a class

std::string ValueText(const ListedValue& value) {
  return value.type.empty() ? value.name : Text(value.name, ": \"", value.type, "\"");
}

std::string NodeText(const ListedNode& node) {
  const std::string value = ValueText(node.value);
  if (node.output) return Text(value, " = ", node.arguments.front(), "[", *node.output, "]");
  std::vector<std::string> arguments = node.arguments;
  arguments.insert(arguments.end(), node.keyword_arguments.begin(), node.keyword_arguments.end());
  return Text(value, " = ", TargetText(node.target), "(", Joined(arguments, ", "), ")");
}

std::string SpecText(const ListedSpec& spec) {
  std::string text = Text(spec.name, ": ", spec.kind);
  if (spec.target) text += Text(" target='", *spec.target, "'");
  if (spec.persistent) text += *spec.persistent ? " persistent=True" : " persistent=False";
  return text;
}

}  // namespace

Result<std::vector<ProgramListing>> ListPrograms(const std::shared_ptr<const Source>& record,
                                                 const std::string& graph) {
  PTEEDIT_ASSIGN(const Etrecord opened, Etrecord::Open(record));
  std::vector<ProgramListing> listings;
  for (const std::string& entry : opened.Programs()) {
    if (entry != graph && !entry.starts_with(graph + "/")) continue;
    PTEEDIT_ASSIGN(ProgramListing listing, ListingOf(opened, entry));
    listings.push_back(std::move(listing));
  }
  if (!listings.empty()) return listings;
  return opened.LacksGraph(graph);
}

std::string TextOfListing(const ProgramListing& program) {
  const auto shown = [](const ListedSpec& spec) { return "    " + EscapeControl(SpecText(spec)) + "\n"; };
  std::string text = "ExportedProgram:\n    class GraphModule(torch.nn.Module):\n        def forward(self";
  for (const ListedValue& input : program.inputs) text += ", " + EscapeControl(ValueText(input));
  text += "):\n";
  const std::string* source = nullptr;
  for (const ListedNode& node : program.nodes) {
    if (source == nullptr || node.source != *source) {
      const std::string place =
          node.source.empty() ? "No stacktrace found for following nodes" : "File: " + node.source;
      text += Text(kIndent, "# ", EscapeControl(place), "\n");
    }
    source = &node.source;
    text += Text(kIndent, EscapeControl(NodeText(node)), "\n");
  }
  const char* comma = program.outputs.size() == 1 ? "," : "";
  text += Text(kIndent, "return (", EscapeControl(Joined(program.outputs, ", ")), comma, ")\n    \n");
  text += "Graph signature: \n    # inputs\n";
  for (const ListedSpec& spec : program.input_specs) text += shown(spec);
  text += "    \n    # outputs\n";
  for (const ListedSpec& spec : program.output_specs) text += shown(spec);
  const auto range = [](const RangeConstraint& one) { return Text(one.symbol, ": VR[", one.min, ", ", one.max, "]"); };
  return Text(text, "    \nRange constraints: {", EscapeControl(Joined(program.range_constraints, ", ", range)), "}\n");
}

}  // namespace pteedit
