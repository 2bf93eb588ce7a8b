#include "schema_facts.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <stdexcept>

#include "flatbuffers/idl.h"

namespace pteedit::test {
namespace {

std::string Quoted(const std::string& text) { return "'" + text + "'"; }

// The library's own table of these names has changed its place between releases.
std::string BaseTypeText(flatbuffers::BaseType type) {
  switch (type) {
    case flatbuffers::BASE_TYPE_UTYPE:
      return "type of";
    case flatbuffers::BASE_TYPE_BOOL:
      return "bool";
    case flatbuffers::BASE_TYPE_CHAR:
      return "byte";
    case flatbuffers::BASE_TYPE_UCHAR:
      return "ubyte";
    case flatbuffers::BASE_TYPE_SHORT:
      return "short";
    case flatbuffers::BASE_TYPE_USHORT:
      return "ushort";
    case flatbuffers::BASE_TYPE_INT:
      return "int";
    case flatbuffers::BASE_TYPE_UINT:
      return "uint";
    case flatbuffers::BASE_TYPE_LONG:
      return "long";
    case flatbuffers::BASE_TYPE_ULONG:
      return "ulong";
    case flatbuffers::BASE_TYPE_FLOAT:
      return "float";
    case flatbuffers::BASE_TYPE_DOUBLE:
      return "double";
    case flatbuffers::BASE_TYPE_STRING:
      return "string";
    case flatbuffers::BASE_TYPE_UNION:
      return "union";
    default:
      return "type " + std::to_string(static_cast<int>(type));
  }
}

std::string TypeText(const flatbuffers::Type& type) {
  if (type.base_type == flatbuffers::BASE_TYPE_VECTOR) return "[" + TypeText(type.VectorType()) + "]";
  std::string text = BaseTypeText(type.base_type);
  if (type.struct_def != nullptr) text = type.struct_def->name;
  if (type.enum_def != nullptr) text += " " + type.enum_def->name;
  return text;
}

std::string FieldText(const flatbuffers::FieldDef& field) {
  std::string text = Quoted(field.name) + " " + TypeText(field.value.type);
  if (flatbuffers::IsScalar(field.value.type.base_type)) text += " default " + field.value.constant;
  if (field.IsScalarOptional()) text += " optional";
  if (field.IsRequired()) text += " required";
  if (const flatbuffers::Value* align = field.attributes.Lookup("force_align"))
    text += " force_align " + align->constant;
  return text;
}

void AddTable(const flatbuffers::StructDef& table, SchemaFacts& facts) {
  const std::string label = std::string(table.fixed ? "struct " : "table ") + Quoted(table.name);
  facts[label] = "exists";
  for (const flatbuffers::FieldDef* field : table.fields.vec) {
    const int number = (field->value.offset - flatbuffers::FieldIndexToOffset(0)) / 2;
    facts[label + " field " + std::to_string(number)] = FieldText(*field);
  }
}

void AddEnum(const flatbuffers::EnumDef& values, SchemaFacts& facts) {
  const std::string label = (values.is_union ? "union " : "enum ") + Quoted(values.name);
  facts[label] = BaseTypeText(values.underlying_type.base_type);
  for (const flatbuffers::EnumVal* value : values.Vals()) {
    std::string text = Quoted(value->name);
    if (value->union_type.struct_def != nullptr) text += " table " + Quoted(value->union_type.struct_def->name);
    facts[label + " value " + values.ToString(*value)] = text;
  }
}

}  // namespace

SchemaFacts ReadSchemaFacts(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + path);
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  const std::string folder = std::filesystem::path(path).parent_path().string();
  const char* include_paths[] = {folder.c_str(), nullptr};
  flatbuffers::Parser parser;
  if (!parser.Parse(text.c_str(), include_paths, path.c_str())) throw std::runtime_error(parser.error_);

  SchemaFacts facts;
  for (const flatbuffers::StructDef* table : parser.structs_.vec) AddTable(*table, facts);
  for (const flatbuffers::EnumDef* values : parser.enums_.vec) AddEnum(*values, facts);
  facts["file identifier"] = Quoted(parser.file_identifier_);
  facts["file extension"] = Quoted(parser.file_extension_);
  facts["root table"] = parser.root_struct_def_ != nullptr ? Quoted(parser.root_struct_def_->name) : "none";
  return facts;
}

std::vector<std::string> FindDrift(const SchemaFacts& ours, const SchemaFacts& theirs) {
  std::set<std::string> labels;
  for (const auto& [label, text] : ours) labels.insert(label);
  for (const auto& [label, text] : theirs) labels.insert(label);
  const auto look_up = [](const SchemaFacts& facts, const std::string& label) {
    const auto found = facts.find(label);
    return found != facts.end() ? found->second : "missing";
  };
  std::vector<std::string> drift;
  for (const std::string& label : labels) {
    const std::string our_text = look_up(ours, label);
    const std::string their_text = look_up(theirs, label);
    if (our_text != their_text) drift.push_back(label + " drifted: ours is " + our_text + ", theirs is " + their_text);
  }
  return drift;
}

std::vector<std::string> FindDriftOfPart(const SchemaFacts& ours, const SchemaFacts& theirs) {
  const auto without_table = [](const SchemaFacts::value_type& fact) {
    const bool is_union = fact.first.starts_with("union ");
    return std::pair(fact.first, is_union ? fact.second.substr(0, fact.second.find(" table ")) : fact.second);
  };
  SchemaFacts our_part, their_part;
  for (const auto& fact : ours) our_part.insert(without_table(fact));
  for (const auto& fact : theirs) {
    const size_t value = fact.first.find(" value ");
    const bool is_value_of_ours = value != std::string::npos && ours.contains(fact.first.substr(0, value));
    if (is_value_of_ours || ours.contains(fact.first)) their_part.insert(without_table(fact));
  }
  return FindDrift(our_part, their_part);
}

}  // namespace pteedit::test
