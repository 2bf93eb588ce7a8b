// The view -h: identifiers, versions, offsets, alignments, counts.
#include "json.h"
#include "text/format.h"
#include "text/table.h"
#include "views/view.h"

namespace pteedit::cli {
namespace {

std::string HeaderLines(const Container& file, const std::string& indent) {
  const FileHeader& header = file.header();
  std::string text;
  const auto add = [&](const char* name, const std::string& value) { text += indent + name + ": " + value + "\n"; };
  add("Kind", KindName(file.kind()));
  add("Identifier", header.identifier);
  if (file.kind() == FileKind::kNative) return text;
  add("Version", std::to_string(header.version));
  add("Tables", std::to_string(file.tables().size) + " bytes");
  if (header.layout_06) add("Layout", "of release 0.6");
  if (!header.has_extended_header) return text;
  add("Extended Header", std::to_string(header.extended_header_length) + " bytes");
  add("Segment Base", HexText(header.segment_base_offset));
  add("Segment Data", std::to_string(header.segment_data_size) + " bytes");
  return text;
}

size_t NamedDataOf(const Inspection& inspection) {
  const Container* program = inspection.container.program();
  return (program != nullptr ? *program : inspection.container).named_data().size();
}

std::string HeaderText(const Inspection& inspection, const Style& style) {
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
  add("Named Data", NamedDataOf(inspection));
  return FieldsIn(style, text);
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

void PrintHeader(const Inspection& inspection, JsonPrinter& printer) {
  const Description& description = inspection.description;
  const Container& file = inspection.container;
  const uint64_t alignment = CommonAlignment(description);
  Json object = HeaderJson(file);
  object["segment_alignment"] = alignment != 0 ? Json(alignment) : Json();
  object["segments"] = description.segments.size();
  object["methods"] = description.methods.size();
  object["named_data"] = NamedDataOf(inspection);
  if (file.program() != nullptr) {
    object["program"] = HeaderJson(*file.program());
    object["program"]["offset"] = file.program_extent().offset;
    object["program"]["size"] = file.program_extent().size;
  }
  printer.Add(object);
}

}  // namespace

extern const View kHeadersView;
const View kHeadersView = {"-h",
                           "Show headers: identifiers, versions, offsets, alignments, counts",
                           "Headers",
                           "header",
                           kNeedsMethods | kNeedsSegments,
                           HeaderText,
                           PrintHeader};

}  // namespace pteedit::cli
