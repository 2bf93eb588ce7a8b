#include "text/file_json.h"

#include <algorithm>
#include <map>

#include "text/format.h"

namespace pteedit::cli {
namespace {

Json ReferenceJson(const SizeNode::Reference& reference) {
  Json object = Json::object();
  object["key"] = reference.key;
  if (!reference.name->empty()) object["name"] = *reference.name;
  object["bytes"] = reference.bytes;
  return object;
}

// Without what is in it.
Json NodeJson(const SizeNode& node) {
  Json object = NewRow();
  object["name"] = node.name;
  object["size"] = node.size;
  const SizeNode::Details& more = *node.more;
  if (node.compressed->size) object["compressed_bytes"] = *node.compressed->size;
  if (node.compressed->planes_size) object["planes_bytes"] = *node.compressed->planes_size;
  if (!more.aliases.empty()) object["aliases"] = TextsOf(more.aliases);
  if (!more.note.empty()) object["note"] = more.note;
  if (!node.dtype.empty()) object["dtype"] = node.dtype.str();
  if (!node.module().empty()) object["module"] = node.module();
  return object;
}

// As deep as trees are.
void PrintNode(const SizeNode& node, bool has_offsets, JsonPrinter& printer) {  // NOLINT(misc-no-recursion)
  printer.AddMembers(NodeJson(node));
  if (!node.more->refers_to.empty()) {
    printer.Name("refers_to");
    printer.AddList(node.more->refers_to, ReferenceJson);
  }
  if (has_offsets && node.place) printer.AddMember("offset", node.place->offset);
  printer.Name("components");
  printer.AddObjects(node.components, [&](const SizeNode& component) { PrintNode(component, has_offsets, printer); });
}

struct ModuleSum {
  uint64_t size = 0, contents = 0;
};

// By module, with those around it.
void AddModules(const SizeNode& node, std::map<std::string, ModuleSum>& modules) {  // NOLINT(misc-no-recursion)
  const std::string path(node.module());
  for (size_t end = 0; end < path.size(); ++end) {
    end = std::min(path.find('.', end), path.size());
    ModuleSum& sum = modules[path.substr(0, end)];
    sum.size += node.size;
    ++sum.contents;
  }
  if (!path.empty()) return;
  for (const SizeNode& component : node.components) AddModules(component, modules);
}

}  // namespace

Json ModulesJson(const SizeNode& sizes) {
  std::map<std::string, ModuleSum> modules;
  AddModules(sizes, modules);
  Json list = Json::array();
  for (const auto& [name, sum] : modules)
    list.push_back({{"name", name}, {"size", sum.size}, {"contents", sum.contents}});
  return list;
}

Json FileJson(const std::string& file, const char* kind, uint64_t bytes) {
  Json object = RenderJsonDamaged(file);
  object["kind"] = kind;
  object["bytes"] = bytes;
  return object;
}

void PrintSizesJson(const std::string& file, const char* kind, const SizeNode& sizes, JsonPrinter& printer,
                    bool has_offsets) {
  printer.AddMembers(FileJson(file, kind, sizes.size));
  printer.AddObject("sizes", [&] { PrintNode(sizes, has_offsets, printer); });
}

Json RenderJsonDamaged(const std::string& file) {
  Json object;
  object["schema_version"] = kJsonSchemaVersion;
  object["file"] = file;
  return object;
}

Json ErrorJson(const Error& error) { return {{"code", CodeName(error.code)}, {"message", error.message}}; }

Json RenderJsonError(const std::optional<std::string>& file, const Error& error) {
  Json object;
  object["schema_version"] = kJsonSchemaVersion;
  object["file"] = file ? Json(*file) : Json();
  object["error"] = ErrorJson(error);
  return object;
}

}  // namespace pteedit::cli
