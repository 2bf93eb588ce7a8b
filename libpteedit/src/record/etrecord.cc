#include "record/etrecord.h"

#include <algorithm>

#include "base/damage.h"
#include "base/text.h"
#include "inspect/claimed_tree.h"
#include "pteedit/try.h"
#include "record/zip_contents.h"

namespace pteedit {
namespace {

constexpr uint64_t kHeadBytes = 4;
constexpr std::string_view kEdgeProgram = "edge_dialect_exported_program";
constexpr std::string_view kAtenProgram = "exported_program";
constexpr std::string_view kOnlyMethod = "forward";
constexpr size_t kMaxJsonValues = 1'000'000;
// Those of torch.save, which are named after the program that they belong to.
constexpr std::string_view kStateDict = "_state_dict";
constexpr std::string_view kConstants = "_constants";
constexpr std::string_view kCompanions[] = {kStateDict, kConstants, "_example_inputs"};
constexpr std::string_view kMaps[] = {"debug_handle_map", "delegate_map", "instruction_id_to_num_outs_map",
                                      "export_graph_id"};
constexpr std::string_view kTests[] = {"reference_outputs", "representative_inputs"};

// The name of the program that an entry of such a name would belong to; empty for other names.
std::string_view ProgramOf(std::string_view name) {
  for (const std::string_view end : kCompanions) {
    if (name.ends_with(end)) return name.substr(0, name.size() - end.size());
  }
  return {};
}

template <class Names>
bool Contains(const Names& names, std::string_view name) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

}  // namespace

JsonLimits RecordJsonLimits(std::vector<std::string_view> left_out) {
  return {kMaxRecordJsonBytes, kMaxJsonValues, /*takes_bare_words=*/true, std::move(left_out)};
}

Result<Etrecord> Etrecord::Open(std::shared_ptr<const Source> source) {
  std::vector<uint8_t> head(static_cast<size_t>(std::min(source->size(), kHeadBytes)));
  PTEEDIT_TRY(source->Read(0, {head.data(), head.size()}));
  if (!LooksLikeZip({head.data(), head.size()})) {
    return NotUnderstood("identifier", {}, "not an ETRecord: it does not begin like a zip archive");
  }
  PTEEDIT_ASSIGN(ZipFile zip, ZipFile::Open(std::move(source)));
  if (zip.Find(kEtrecordIdentifier) != nullptr) return Etrecord(std::move(zip));
  return NotUnderstood("identifier", {}, Text("not an ETRecord: the archive has no entry '", kEtrecordIdentifier, "'"));
}

Result<JsonValue> Etrecord::ReadJson(std::string_view name, const std::vector<std::string_view>& left_out) const {
  const ZipEntry* entry = zip_.Find(name);
  if (entry == nullptr) return JsonValue();
  PTEEDIT_ASSIGN(std::string text, ReadContents(zip_, *entry, kMaxRecordJsonBytes));
  return ParseJson(text, Text("entry ", Quoted(name)).c_str(), RecordJsonLimits(left_out));
}

Result<std::shared_ptr<const JsonValue>> Etrecord::ReadMap(const std::string& entry) const {
  std::shared_ptr<const JsonValue>& map = (*maps_)[entry];
  if (map == nullptr) {
    PTEEDIT_ASSIGN(JsonValue read, ReadJson(entry));
    map = std::make_shared<const JsonValue>(std::move(read));
  }
  return map;
}

std::vector<std::string> Etrecord::Methods() const {
  std::vector<std::string> methods;
  for (const ZipEntry& entry : zip_.entries()) {
    std::string_view name = entry.name;
    if (!name.starts_with(kEdgeProgram) || !ProgramOf(name).empty()) continue;
    name.remove_prefix(kEdgeProgram.size());
    if (name.empty()) methods.emplace_back(kOnlyMethod);
    if (name.starts_with('/')) methods.emplace_back(name.substr(1));
  }
  return methods;
}

RecordEntry Etrecord::KindOf(const ZipEntry& entry) const {
  const std::string_view name = entry.name;
  if (name == kEtrecordIdentifier) return RecordEntry::kIdentifier;
  if (name == kNamesEntry) return RecordEntry::kNames;
  if (Contains(kTests, name)) return RecordEntry::kTests;
  if (Contains(kMaps, name)) return RecordEntry::kJson;
  const bool has_companion = std::any_of(std::begin(kCompanions), std::end(kCompanions),
                                         [&](std::string_view end) { return zip_.Find(Text(name, end)) != nullptr; });
  if (has_companion) return RecordEntry::kJson;
  const std::string_view program = ProgramOf(name);
  if (program.empty()) {
    const bool is_program = name == kAtenProgram || name == kEdgeProgram || name.starts_with(Text(kEdgeProgram, '/'));
    return is_program ? RecordEntry::kJson : RecordEntry::kUnknown;
  }
  return zip_.Find(program) == nullptr ? RecordEntry::kUnknown : RecordEntry::kSaved;
}

std::vector<std::string> Etrecord::Programs() const {
  std::vector<std::string> programs;
  for (const ZipEntry& entry : zip_.entries()) {
    const std::string_view name = entry.name;
    const bool is_program = name == kAtenProgram || name == kEdgeProgram || name.find('/') != std::string_view::npos;
    if (is_program && ProgramOf(name).empty()) programs.emplace_back(name);
  }
  return programs;
}

std::vector<const ZipEntry*> Etrecord::Weights(std::string_view program) const {
  std::vector<const ZipEntry*> weights;
  for (const std::string_view end : {kStateDict, kConstants}) {
    const ZipEntry* entry = zip_.Find(Text(program, end));
    if (entry != nullptr && entry->bytes != 0) weights.push_back(entry);
  }
  return weights;
}

std::string Etrecord::EdgeProgramEntry(std::string_view method) const {
  const std::string name = Text(kEdgeProgram, '/', method);
  if (zip_.Find(name) != nullptr) return name;
  const bool is_old = method == kOnlyMethod && zip_.Find(kEdgeProgram) != nullptr;
  return is_old ? std::string(kEdgeProgram) : std::string();
}

std::string Etrecord::GraphEntry(std::string_view graph, std::string_view method) const {
  if (graph.empty() || graph == kEdgeProgram) return EdgeProgramEntry(method);
  const std::vector<std::string> programs = Programs();
  for (const std::string& entry : programs) {
    const bool is_of_method = entry.ends_with(Text('/', method));
    if (entry == Text(graph, '/', method) || (entry == graph && (is_of_method || entry.find('/') == std::string::npos)))
      return entry;
  }
  return {};
}

Error Etrecord::LacksGraph(std::string_view graph) const {
  return InvalidArgument(Text("record has no graph ", Quoted(graph), ", but: ", Joined(Programs(), ", ", Quoted)));
}

Result<SizeNode> MeasureEtrecord(const std::shared_ptr<const Source>& source) {
  PTEEDIT_ASSIGN(const Etrecord record, Etrecord::Open(source));
  ClaimedTree tree(source->size());
  for (const ZipEntry& entry : record.zip().entries()) {
    SizeRow row = NamedRow(entry.name);
    if (entry.bytes != entry.stored.size) row.more.Edit().note = Text("inflates to ", entry.bytes, " bytes");
    tree.ClaimWhole(tree.AddComponent(std::move(row)), entry.stored);
  }
  const ClaimedTree::Owner rest = tree.AddComponent("Zip Structure");
  return std::move(tree).Build([&](Extent) { return rest; });
}

}  // namespace pteedit
