#include "render_text.h"

#include <cstdio>

#include "pteedit/text.h"
#include "sections.h"
#include "size_tree.h"
#include "table.h"

namespace pteedit::inspect {
namespace {

constexpr size_t kNearMatches = 3;

std::string HexText(uint64_t value) {
  char text[19] = {};
  std::snprintf(text, sizeof(text), "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

template <class Items, class ToText>
std::string Join(const Items& items, const char* separator, ToText to_text) {
  std::string text;
  for (const auto& item : items) text += (text.empty() ? "" : separator) + to_text(item);
  return text;
}

template <class Number>
std::string NumbersText(const std::vector<Number>& numbers) {
  return Join(numbers, ",", [](Number number) { return std::to_string(number); });
}

// "float32[2,16]".
std::string TypeText(const TensorLayout& layout) {
  return ScalarTypeName(layout.scalar_type) + "[" + NumbersText(layout.sizes) + "]";
}

std::string ValuesText(const std::vector<ValueDescription>& values) {
  return Join(values, ", ", [](const ValueDescription& value) {
    return value.layout != nullptr ? TypeText(*value.layout) : std::string(value.type);
  });
}

std::string EscapedList(const std::vector<std::string>& names) { return Join(names, ", ", EscapeControl); }

std::string HeaderLines(const Container& file, const std::string& indent) {
  const FileHeader& header = file.header();
  std::string text;
  const auto add = [&](const char* name, const std::string& value) { text += indent + name + ": " + value + "\n"; };
  add("Kind", KindName(file.kind()));
  add("Identifier", header.identifier);
  add("Version", std::to_string(header.version));
  add("Tables", std::to_string(file.tables().size) + " bytes");
  if (header.layout_06) add("Layout", "of release 0.6");
  if (!header.has_extended_header) return text;
  add("Extended Header", std::to_string(header.extended_header_length) + " bytes");
  add("Segment Base", HexText(header.segment_base_offset));
  add("Segment Data", std::to_string(header.segment_data_size) + " bytes");
  return text;
}

std::string HeaderText(const Inspection& inspection) {
  const Description& description = inspection.description;
  const Container* program = inspection.container.program();
  std::string text = HeaderLines(inspection.container, "");
  if (program != nullptr) {
    text += "Program: at " + HexText(inspection.container.program_extent().offset) + "\n" + HeaderLines(*program, " ");
  }
  const std::string indent = program != nullptr ? " " : "";
  const auto add = [&](const char* name, uint64_t value) {
    text += indent + name + ": " + std::to_string(value) + "\n";
  };
  if (CommonAlignment(description) != 0) add("Segment Alignment", CommonAlignment(description));
  add("Segments", description.segments.size());
  if (inspection.container.kind() != FileKind::kData) add("Methods", description.methods.size());
  add("Named Data", description.named_data.size());
  return text;
}

std::string MethodsText(const Description& description, bool exact) {
  Table table({{"Name"},
               {"Inputs"},
               {"Outputs"},
               {"Instructions", Align::kRight},
               {"Kernel Calls", Align::kRight},
               {"Delegate Calls", Align::kRight},
               {"Planned Memory", Align::kRight}});
  for (const MethodDescription& method : description.methods) {
    table.AddRow({EscapeControl(method.name), ValuesText(method.inputs), ValuesText(method.outputs),
                  std::to_string(method.instructions), std::to_string(method.kernel_calls),
                  std::to_string(method.delegate_calls), SizeText(method.planned_bytes, exact)});
  }
  return table.Text();
}

std::string TensorsText(const Description& description, bool exact) {
  Table table(
      {{"Name"}, {"Method"}, {"Value", Align::kRight}, {"Type"}, {"Dim Order"}, {"Size", Align::kRight}, {"Store"}});
  for (const TensorDescription& tensor : description.tensors) {
    const bool has_name = !tensor.name.empty();
    const bool has_method = !tensor.method.empty();
    table.AddRow({has_name ? NameText(tensor.name, tensor.aliases) : "-",
                  has_method ? EscapeControl(tensor.method) : "-", has_method ? std::to_string(tensor.value) : "-",
                  TypeText(tensor.layout), NumbersText(tensor.layout.dim_order),
                  tensor.bytes ? SizeText(*tensor.bytes, exact) : "?", tensor.store});
  }
  return table.Text();
}

std::string SegmentsText(const Description& description, bool exact) {
  Table table({{"Index", Align::kRight},
               {"Offset", Align::kRight},
               {"Size", Align::kRight},
               {"Alignment", Align::kRight},
               {"Users"}});
  for (const SegmentDescription& segment : description.segments) {
    table.AddRow({std::to_string(segment.index), HexText(segment.extent.offset), SizeText(segment.extent.size, exact),
                  std::to_string(segment.alignment), EscapedList(segment.users)});
  }
  return table.Text();
}

std::string NamedDataText(const Description& description, bool exact) {
  Table table({{"Key"}, {"Type"}, {"Dim Order"}, {"Size", Align::kRight}, {"Sharers", Align::kRight}});
  for (const NamedDataDescription& entry : description.named_data) {
    table.AddRow({EscapeControl(entry.key), entry.layout ? TypeText(*entry.layout) : "-",
                  entry.layout ? NumbersText(entry.layout->dim_order) : "-", SizeText(entry.bytes, exact),
                  std::to_string(entry.sharers)});
  }
  return table.Text();
}

std::string OperatorsText(const Description& description) {
  Table table({{"Name"}, {"Calls", Align::kRight}, {"Methods"}});
  for (const OperatorDescription& op : description.operators) {
    table.AddRow({EscapeControl(op.name), std::to_string(op.calls), EscapedList(op.methods)});
  }
  return table.Text();
}

Error NoSuchComponent(const SizeNode& root, const std::string& name) {
  std::string message = "no component '" + EscapeControl(name) + "'";
  const std::vector<std::string> near = NearMatches(root, name, kNearMatches);
  const std::string names =
      Join(near, " or ", [](const std::string& match) { return "'" + EscapeControl(match) + "'"; });
  return InvalidArgument(message + (names.empty() ? ", see -l for those that exist" : ", did you mean " + names + "?"));
}

Result<std::string> SizesText(const SizeNode& root, const Views& views) {
  std::vector<const SizeNode*> open;
  for (const std::string& name : views.components) {
    open.push_back(FindComponent(root, name));
    if (open.back() == nullptr) return NoSuchComponent(root, name);
  }
  if (views.list) return ListText(root, open, views.exact_bytes);
  std::string text;
  for (const SizeNode* component : open) text += ComponentText(*component, views.exact_bytes);
  return text;
}

}  // namespace

Result<std::string> RenderText(const Inspection& inspection, const Views& views) {
  const Description& description = inspection.description;
  const bool exact = views.exact_bytes;
  Sections sections(views.count());
  if (views.sizes()) {
    const Result<std::string> sizes = SizesText(inspection.sizes, views);
    if (!sizes) return Error(sizes.error()).In(inspection.file);
    sections.Add("Sizes", *sizes);
  }
  if (views.headers) sections.Add("Headers", HeaderText(inspection));
  if (views.methods) sections.Add("Methods", MethodsText(description, exact));
  if (views.tensors) sections.Add("Tensors", TensorsText(description, exact));
  if (views.segments) sections.Add("Segments", SegmentsText(description, exact));
  if (views.named_data) sections.Add("Named Data", NamedDataText(description, exact));
  if (views.operators) sections.Add("Operators", OperatorsText(description));
  return std::move(sections).Take();
}

}  // namespace pteedit::inspect
