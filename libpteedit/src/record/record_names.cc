#include "record/record_names.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/text.h"
#include "formats/json_text.h"
#include "io/digest.h"
#include "pteedit/container.h"
#include "pteedit/dtypes.h"
#include "pteedit/try.h"
#include "record/torch_archive.h"

namespace pteedit {
namespace {

constexpr uint64_t kTableVersion = 1;

Status AddNames(const ZipFile& zip, const ZipEntry& entry, std::vector<ContentName>& names) {
  Result<TorchValues> values = ReadTorchEntry(zip, entry);
  if (!values) {
    if (values.error().code == ErrorCode::kUnsupported) return {};
    return Malformed(Text("entry ", Quoted(entry.name), ": ", values.error().message));
  }
  for (auto& [name, value] : values->entries) {
    if (value.kind != DebugValue::Kind::kTensor || value.tensor.data == nullptr) continue;
    const std::vector<uint64_t> sizes(value.tensor.sizes.begin(), value.tensor.sizes.end());
    names.push_back({std::move(name),
                     value.tensor.bytes,
                     {},
                     sizes,
                     std::move(value.tensor.data),
                     CommonDtype(ScalarTypeName(value.tensor.scalar_type))});
  }
  return {};
}

}  // namespace

Result<std::vector<ContentName>> NamesInRecord(const Etrecord& record) {
  std::vector<ContentName> names;
  for (const std::string& program : record.Programs()) {
    for (const ZipEntry* entry : record.Weights(program)) PTEEDIT_TRY(AddNames(record.zip(), *entry, names));
  }
  if (record.zip().Find(kNamesEntry) == nullptr) return names;
  PTEEDIT_ASSIGN(const JsonValue table, record.ReadJson(kNamesEntry));
  PTEEDIT_ASSIGN(std::vector<ContentName> kept, ReadNamesTable(table));
  for (ContentName& name : kept) names.push_back(std::move(name));
  return names;
}

std::string NamesTable(const std::vector<ContentName>& hashed) {
  std::string text = Text("{\"schema_version\": ", kTableVersion, ", \"names\": [");
  std::set<std::pair<std::string_view, std::string_view>> seen;
  for (const ContentName& one : hashed) {
    if (!seen.emplace(one.name, one.sha256).second) continue;
    text += Text(seen.size() == 1 ? "" : ",", "\n {\"name\": ", JsonText(one.name), ", \"sha256\": \"", one.sha256,
                 "\", \"bytes\": ", one.bytes, ", \"sizes\": [", Joined(one.sizes, ", "), "]}");
  }
  return text + "\n]}\n";
}

Result<std::vector<ContentName>> ReadNamesTable(const JsonValue& table) {
  const JsonValue* version = table.Find("schema_version");
  const JsonValue* list = table.Find("names");
  if (version == nullptr || list == nullptr || list->kind != JsonValue::Kind::kList) {
    return Malformed("table of names lacks 'schema_version' or 'names'");
  }
  if (!version->is_count || version->number != kTableVersion) {
    return Unsupported(Text("table of names has version ", version->number, ", ", kTableVersion, " expected"));
  }
  std::vector<ContentName> names;
  for (size_t i = 0; i < list->items.size(); ++i) {
    const JsonValue& item = list->items[i];
    const JsonValue *bytes = item.Find("bytes"), *sizes = item.Find("sizes");
    ContentName name;
    name.name = item.TextOf("name");
    name.sha256 = item.TextOf("sha256");
    if (bytes == nullptr || !bytes->is_count || name.sha256.size() != kSha256Digits) {
      return Malformed(Text("name ", i, " of the table lacks 'bytes' or the 64 digits of 'sha256'"));
    }
    name.bytes = bytes->number;
    const bool are_counts = sizes == nullptr || (sizes->kind == JsonValue::Kind::kList &&
                                                 std::all_of(sizes->items.begin(), sizes->items.end(),
                                                             [](const JsonValue& size) { return size.is_count; }));
    if (!are_counts) return Malformed(Text("name ", i, " of the table has 'sizes' that are no list of counts"));
    if (sizes != nullptr) {
      for (const JsonValue& size : sizes->items) name.sizes.push_back(size.number);
    }
    names.push_back(std::move(name));
  }
  return names;
}

}  // namespace pteedit
