#include "rewrite_output.h"

#include <algorithm>
#include <map>
#include <set>
#include <sstream>
#include <utility>

#include "pteedit/text.h"
#include "sizes_text.h"

namespace pteedit::cli {
namespace {

constexpr size_t kMaxItemsShown = 10;  // the largest, unless all were asked for

uint64_t Sum(const std::vector<ReportedFile>& files) {
  uint64_t sum = 0;
  for (const ReportedFile& file : files) sum += file.role == kDebugRole ? 0 : file.bytes;
  return sum;
}

// "159124 B (159.12 KB)".
std::string Exact(uint64_t bytes) {
  const std::string exact = std::to_string(bytes) + " B";
  const std::string human = HumanSize(bytes);
  return human == exact ? exact : exact + " (" + human + ")";
}

std::string Signed(int64_t bytes) {
  if (bytes >= 0) return Exact(static_cast<uint64_t>(bytes));
  return "-" + Exact(static_cast<uint64_t>(-bytes));
}

std::string Count(size_t count, const std::string& what) {
  const std::string counted = std::to_string(count) + " " + what;
  if (count == 1 || what.back() == 's') return counted;
  if (what.ends_with("ry")) return counted.substr(0, counted.size() - 1) + "ies";
  return counted + "s";
}

// Those that went the same way.
struct ItemGroup {
  std::vector<const MovedItem*> items;
  uint64_t bytes = 0;
  void Add(const MovedItem& item) {
    items.push_back(&item);
    bytes += item.bytes;
  }
};

std::vector<ItemGroup> GroupsOf(const std::vector<MovedItem>& items) {
  std::map<std::pair<SharedText, SharedText>, size_t> known;
  std::vector<ItemGroup> groups;
  for (const MovedItem& item : items) {
    const auto [place, is_new] = known.try_emplace({item.from, item.to}, groups.size());
    if (is_new) groups.emplace_back();
    groups[place->second].Add(item);
  }
  return groups;
}

std::set<const MovedItem*> Largest(const std::vector<MovedItem>& items, size_t most) {
  std::vector<const MovedItem*> order;
  for (const MovedItem& item : items) order.push_back(&item);
  std::stable_sort(order.begin(), order.end(),
                   [](const MovedItem* a, const MovedItem* b) { return a->bytes > b->bytes; });
  order.resize(std::min(order.size(), most));
  return {order.begin(), order.end()};
}

bool IsBase(const RewriteOutput& output, const std::string& file) {
  return std::find(output.bases.begin(), output.bases.end(), file) != output.bases.end();
}

void PrintTitle(std::ostream& out, const ItemGroup& group, const RewriteOutput& output) {
  const MovedItem& first = *group.items.front();
  const bool dry_run = output.dry_run;
  if (IsBase(output, first.to)) {
    out << (dry_run ? "would take" : "took") << " out of " << EscapeControl(first.from) << ", as "
        << EscapeControl(first.to) << " has it: " << Count(group.items.size(), "item") << ", " << Exact(group.bytes)
        << "\n";
    return;
  }
  if (first.from.empty()) {
    out << (dry_run ? "would add" : "added") << " to " << EscapeControl(first.to) << ": "
        << Count(group.items.size(), "item") << ", " << Exact(group.bytes) << "\n";
    return;
  }
  const char* verb = first.to.empty() ? "remove" : "move";
  out << (dry_run ? "would " : "") << verb << (dry_run ? "" : "d") << " from " << EscapeControl(first.from);
  if (!first.to.empty()) out << " to " << EscapeControl(first.to);
  out << ": " << Count(group.items.size(), "item") << ", " << Exact(group.bytes) << "\n";
}

void PrintItem(std::ostream& out, const MovedItem& item) {
  out << " " << item.what << (item.name.empty() ? "" : " ") << EscapeControl(item.name) << ": " << Exact(item.bytes);
  if (!item.key.empty() && item.key != item.name) out << ", key " << EscapeControl(item.key);
  out << "\n";
}

void PrintItems(std::ostream& out, const RewriteOutput& output, bool all) {
  const std::vector<MovedItem>& items = output.report.items;
  if (items.empty() && output.nothing.empty()) {
    out << "nothing to move: " << EscapeControl(output.outputs.front().file) << " is a copy of "
        << EscapeControl(output.inputs.front().file) << "\n";
  } else if (items.empty()) {
    out << output.nothing << "\n";
  }
  const std::set<const MovedItem*> shown = Largest(items, all ? items.size() : kMaxItemsShown);
  for (const ItemGroup& group : GroupsOf(items)) {
    PrintTitle(out, group, output);
    ItemGroup left;
    for (const MovedItem* item : group.items) {
      if (shown.count(item) == 0) left.Add(*item);
      if (shown.count(item) != 0) PrintItem(out, *item);
    }
    if (!left.items.empty()) out << " " << left.items.size() << " more, " << Exact(left.bytes) << "; -v lists them\n";
  }
}

// One line a reason and kind, largest item named: the full list is in the JSON.
void PrintSkipped(std::ostream& out, const std::vector<SkippedItem>& skipped) {
  struct Group {
    size_t count = 0;
    uint64_t bytes = 0;
    const SkippedItem* largest = nullptr;
  };
  std::map<std::pair<std::string_view, std::string>, Group> groups;
  for (const SkippedItem& item : skipped) {
    Group& group = groups[{item.what, item.reason}];
    ++group.count;
    group.bytes += item.bytes;
    if (group.largest == nullptr || item.bytes > group.largest->bytes) group.largest = &item;
  }
  if (!groups.empty()) out << "stayed:\n";
  for (const auto& [key, group] : groups) {
    const auto& [what, reason] = key;
    out << " " << Count(group.count, what == "named-data" ? "key" : std::string(what)) << ", " << Exact(group.bytes)
        << ": " << reason;
    if (!group.largest->name.empty())
      out << " (" << (group.count == 1 ? "" : "largest ") << EscapeControl(group.largest->name) << ")";
    out << "\n";
  }
}

void PrintFiles(std::ostream& out, const char* title, const std::vector<ReportedFile>& files) {
  for (const ReportedFile& file : files) {
    out << (file.role == kDebugRole ? "aside: " : title) << EscapeControl(file.file) << ": " << Exact(file.bytes);
    if (!file.sha256.empty()) out << ", sha256 " << file.sha256;
    out << "\n";
  }
}

}  // namespace

namespace {

// What a base serves.
ItemGroup ServedBy(const RewriteOutput& output, const std::string& base) {
  ItemGroup served;
  for (const MovedItem& item : output.report.items) {
    if (item.to == base) served.Add(item);
  }
  return served;
}

void PrintKept(std::ostream& out, const RewriteOutput& output) {
  for (const ReportedFile& file : output.kept) {
    const bool is_base = IsBase(output, file.file);
    out << (is_base ? "base: " : "unchanged: ") << EscapeControl(file.file) << ": " << Exact(file.bytes);
    const ItemGroup served = ServedBy(output, file.file);
    if (is_base) out << ", unchanged, serves " << Count(served.items.size(), "item") << ", " << Exact(served.bytes);
    out << "\n";
  }
}

void PrintPrevious(std::ostream& out, const ReportedPrevious& previous) {
  const KeptPlaces& kept = previous.kept;
  out << "previous: " << EscapeControl(previous.folder) << ": " << kept.kept_entries << " of "
      << Count(kept.entries, "shared entry") << " where they were, " << Exact(kept.kept_bytes) << "; "
      << kept.new_entries << " new, " << Exact(kept.new_bytes) << "; keeping places costs " << Exact(kept.cost_bytes)
      << "\n";
}

Json PreviousJson(const ReportedPrevious& previous) {
  const KeptPlaces& kept = previous.kept;
  Json json{{"folder", previous.folder}, {"entries", kept.entries}};
  json["kept_entries"] = kept.kept_entries;
  json["kept_bytes"] = kept.kept_bytes;
  json["new_entries"] = kept.new_entries;
  json["new_bytes"] = kept.new_bytes;
  json["cost_bytes"] = kept.cost_bytes;
  return json;
}

Json BasesJson(const RewriteOutput& output) {
  Json list = Json::array();
  for (const ReportedFile& file : output.kept) {
    if (!IsBase(output, file.file)) continue;
    const ItemGroup served = ServedBy(output, file.file);
    list.push_back({{"file", file.file}, {"bytes", file.bytes}, {"items", served.items.size()}});
    list.back()["served_bytes"] = served.bytes;
  }
  return list;
}

}  // namespace

const char* LoadersThatTakeFewer(uint64_t data_files) {
  if (data_files == 0) return nullptr;
  if (data_files == 1) return "the plain Android Module.load takes none";
  return "the Python runtime, LlmModuleConfig, the ASR and multimodal runners take one, the plain Android Module.load "
         "none";
}

namespace {

void PrintNeeds(std::ostream& out, const RewriteReport& report) {
  if (report.min_runtime.empty()) return;  // of packages, which no release loads
  out << "needs ExecuTorch " << report.min_runtime << " or newer and " << Count(report.data_files, "data file");
  if (const char* loaders = LoadersThatTakeFewer(report.data_files)) out << "; " << loaders;
  out << "\n";
}

Json FileJson(const ReportedFile& file) { return {{"file", file.file}, {"bytes", file.bytes}}; }

Json OutputJson(const RewriteOutput& output, const ReportedFile& file) {
  Json json = FileJson(file);
  json["role"] = file.role;
  if (file.data) json["data"] = *file.data;
  if (output.with_sha256) json["sha256"] = file.sha256.empty() ? Json(nullptr) : Json(file.sha256);
  return json;
}

Json BindingJson(const BoundTo& bound) {
  return {{"program", bound.program}, {"data", bound.data}, {"key", bound.key}};
}

Json ItemJson(const MovedItem& item) {
  Json json{{"what", item.what}, {"name", item.name.str()}};
  json["key"] = item.key.str();
  json["bytes"] = item.bytes;
  json["from"] = item.from.empty() ? Json(nullptr) : Json(item.from.str());
  json["to"] = item.to.empty() ? Json(nullptr) : Json(item.to.str());
  return json;
}

Json SkippedJson(const SkippedItem& item) {
  return {{"what", item.what}, {"name", item.name}, {"bytes", item.bytes}, {"reason", item.reason.str()}};
}

// The members before the lists of items, which may be long, and those behind.
Json Head(const RewriteOutput& output) {
  Json json{{"schema_version", kJsonSchemaVersion}, {"tool", output.tool}, {"dry_run", output.dry_run}};
  json["inputs"] = Json::array();
  for (const ReportedFile& file : output.inputs) json["inputs"].push_back(FileJson(file));
  for (const ReportedFile& file : output.kept) json["inputs"].push_back(FileJson(file));
  json["outputs"] = Json::array();
  for (const ReportedFile& file : output.outputs) json["outputs"].push_back(OutputJson(output, file));
  if (!output.bases.empty()) json["bases"] = BasesJson(output);
  if (output.previous) json["previous"] = PreviousJson(*output.previous);
  json["bytes_before"] = output.BytesBefore();
  json["bytes_after"] = output.BytesAfter();
  json["saved_bytes"] = output.SavedBytes();
  return json;
}

Json Tail(const RewriteOutput& output) {
  Json json = Json::object();
  for (const BoundTo& bound : output.report.bindings) json["bindings"].push_back(BindingJson(bound));
  json["notes"] = Json::array();
  for (const std::string& note : output.report.notes) json["notes"].push_back(note);
  json["min_runtime"] = output.report.min_runtime.empty() ? Json(nullptr) : Json(output.report.min_runtime);
  json["data_files"] = output.report.data_files;
  if (!output.release.empty()) json["release"] = output.release;
  return json;
}

}  // namespace

uint64_t RewriteOutput::BytesBefore() const { return Sum(inputs) + Sum(kept); }
uint64_t RewriteOutput::BytesAfter() const { return Sum(outputs) + Sum(kept); }
int64_t RewriteOutput::SavedBytes() const {
  return static_cast<int64_t>(BytesBefore()) - static_cast<int64_t>(BytesAfter());
}

std::string RewriteText(const RewriteOutput& output, bool all) {
  std::ostringstream out;
  PrintFiles(out, "before: ", output.inputs);
  PrintFiles(out, "after: ", output.outputs);
  PrintKept(out, output);
  if (output.previous) PrintPrevious(out, *output.previous);
  out << "total: " << Exact(output.BytesBefore()) << " before, " << Exact(output.BytesAfter()) << " after, saved "
      << Signed(output.SavedBytes()) << "\n";
  const bool has_program = std::any_of(output.outputs.begin(), output.outputs.end(),
                                       [](const ReportedFile& file) { return file.role == "program"; });
  if (has_program) PrintNeeds(out, output.report);
  if (output.dry_run) out << "dry run: nothing was written\n";
  PrintItems(out, output, all);
  PrintSkipped(out, output.report.skipped);
  for (const BoundTo& bound : output.report.bindings) {
    out << (output.dry_run ? "would bind " : "bound ") << EscapeControl(bound.program) << " to "
        << EscapeControl(bound.data) << ", key " << bound.key << "\n";
  }
  for (const std::string& note : output.report.notes) out << "note: " << note << "\n";
  return out.str();
}

Json RewriteJson(const RewriteOutput& output) {
  Json json = Head(output);
  json["items"] = Json::array();
  for (const MovedItem& item : output.report.items) json["items"].push_back(ItemJson(item));
  json["skipped"] = Json::array();
  for (const SkippedItem& item : output.report.skipped) json["skipped"].push_back(SkippedJson(item));
  json.update(Tail(output));
  return json;
}

void PrintRewriteJson(const RewriteOutput& output, std::ostream& out) {
  JsonPrinter printer(out);
  printer.BeginObject();
  printer.AddMembers(Head(output));
  printer.Name("items");
  printer.AddList(output.report.items, ItemJson);
  printer.Name("skipped");
  printer.AddList(output.report.skipped, SkippedJson);
  printer.AddMembers(Tail(output));
  printer.EndObject();
  printer.Finish();
}

}  // namespace pteedit::cli
