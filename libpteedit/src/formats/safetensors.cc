#include "formats/safetensors.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "base/checked.h"
#include "base/load.h"
#include "base/text.h"
#include "formats/json_reader.h"
#include "formats/json_text.h"
#include "pteedit/try.h"

namespace pteedit {
namespace {

constexpr uint64_t kLengthBytes = 8;
constexpr uint64_t kMaxSafetensorsHeaderBytes = 100'000'000;
constexpr size_t kMaxValues = 200'000;  // of a tensor, or of the metadata, in 30 MB
constexpr size_t kMaxDimensions = 64;
constexpr uint64_t kByteBits = 8;

constexpr std::pair<std::string_view, uint64_t> kSafetensorsTypes[] = {
    {"BOOL", 8},    {"U8", 8},          {"I8", 8},          {"F4", 4},   {"F6_E2M3", 6}, {"F6_E3M2", 6},
    {"F8_E5M2", 8}, {"F8_E4M3", 8},     {"F8_E8M0", 8},     {"I16", 16}, {"U16", 16},    {"F16", 16},
    {"BF16", 16},   {"F8_E4M3FNUZ", 8}, {"F8_E5M2FNUZ", 8}, {"I32", 32}, {"U32", 32},    {"F32", 32},
    {"I64", 64},    {"U64", 64},        {"F64", 64},        {"C64", 64}};

std::optional<uint64_t> BitsOf(std::string_view dtype) {
  for (const auto& [name, bits] : kSafetensorsTypes) {
    if (name == dtype) return bits;
  }
  return std::nullopt;
}

// Of a list of counts; nothing where it is anything else.
std::optional<std::vector<uint64_t>> CountsIn(const JsonValue* list) {
  if (list == nullptr || list->kind != JsonValue::Kind::kList) return std::nullopt;
  std::vector<uint64_t> counts;
  for (const JsonValue& item : list->items) {
    if (!item.is_count) return std::nullopt;
    counts.push_back(item.number);
  }
  return counts;
}

// What the sizes take; nothing where that is no whole number of bytes or wraps.
std::optional<uint64_t> BytesOf(const SafetensorsEntry& entry) {
  const std::optional<uint64_t> bits = CheckedProduct(entry.bits, entry.sizes);
  return bits && *bits % kByteBits == 0 ? std::optional(*bits / kByteBits) : std::nullopt;
}

Result<SafetensorsEntry> EntryOf(const std::string& name, const JsonValue& value, Extent data) {
  const std::string where = Text("tensor ", Quoted(name));
  const std::string_view dtype = value.TextOf("dtype");
  const auto sizes = CountsIn(value.Find("shape")), range = CountsIn(value.Find("data_offsets"));
  if (dtype.empty() || !sizes || !range || range->size() != 2) {
    return Malformed(where + " lacks 'dtype', 'shape' or the two 'data_offsets'");
  }
  const std::optional<uint64_t> bits = BitsOf(dtype);
  if (!bits) return Unsupported(Text(where, " has dtype ", Quoted(dtype), ", which is not known"));
  if (sizes->size() > kMaxDimensions) {
    return Unsupported(Text(where, " has ", sizes->size(), " dimensions, at most ", kMaxDimensions));
  }
  const uint64_t begin = (*range)[0], end = (*range)[1];
  if (end < begin) return Malformed(Text(where, " ends at byte ", end, ", before its begin (", begin, ")"));
  if (end > data.size) {
    return Malformed(Text(where, " ends at byte ", end, ", after the end of the data (", data.size, " bytes)"));
  }
  SafetensorsEntry entry{name, std::string(dtype), *bits, *sizes, {data.offset + begin, end - begin}};
  if (BytesOf(entry) == entry.place.size) return entry;
  return Malformed(Text(where, " has ", entry.place.size, " bytes, which are not what its shape and dtype take"));
}

Status CheckApart(const std::vector<SafetensorsEntry>& entries) {
  std::vector<const SafetensorsEntry*> order;
  for (const SafetensorsEntry& entry : entries) {
    if (entry.place.size != 0) order.push_back(&entry);
  }
  std::sort(order.begin(), order.end(), [](const SafetensorsEntry* a, const SafetensorsEntry* b) {
    return std::pair(a->place.offset, a) < std::pair(b->place.offset, b);
  });
  for (size_t i = 1; i < order.size(); ++i) {
    const Extent before = order[i - 1]->place;
    if (before.offset + before.size <= order[i]->place.offset) continue;
    return Malformed(Text("tensor ", Quoted(order[i]->name), " begins at ", Hex(order[i]->place.offset),
                          ", inside tensor ", Quoted(order[i - 1]->name)));
  }
  return {};
}

Result<std::string> ReadHeader(const Source& source) {
  uint8_t head[kLengthBytes];
  if (source.size() < sizeof(head)) return Unsupported(Text("no safetensors file: only ", source.size(), " bytes"));
  PTEEDIT_TRY(source.Read(0, {head, sizeof(head)}));
  const auto length = Load<uint64_t>(head);
  if (length > kMaxSafetensorsHeaderBytes) {
    return Unsupported(Text("no safetensors file: its header would have ", length, " bytes, at most ",
                            kMaxSafetensorsHeaderBytes, " expected"));
  }
  if (!Fits(kLengthBytes, length, source.size())) {
    return Malformed(
        Text("header ends at byte ", kLengthBytes + length, ", after the end of the file (", source.size(), " bytes)"));
  }
  std::string text(static_cast<size_t>(length), '\0');
  PTEEDIT_TRY(source.Read(kLengthBytes, {reinterpret_cast<uint8_t*>(text.data()), text.size()}));
  return text;
}

Status CheckNames(const std::vector<SafetensorsEntry>& entries) {
  std::vector<std::string_view> names;
  for (const SafetensorsEntry& entry : entries) names.push_back(entry.name);
  std::ranges::sort(names);
  const auto twice = std::ranges::adjacent_find(names);
  return twice == names.end() ? Status() : Malformed(Text("header has tensor ", Quoted(*twice), " twice"));
}

SafetensorsMetadata MetadataIn(const JsonValue& texts) {
  SafetensorsMetadata metadata;
  if (texts.kind != JsonValue::Kind::kObject) return metadata;
  for (size_t i = 0; i < texts.items.size(); ++i) {
    if (texts.items[i].kind == JsonValue::Kind::kText) metadata.emplace(texts.names[i], texts.items[i].text);
  }
  return metadata;
}

}  // namespace

Result<SafetensorsHeader> ReadSafetensorsHeader(const Source& source) {
  PTEEDIT_ASSIGN(const std::string text, ReadHeader(source));
  SafetensorsHeader header;
  header.bytes = kLengthBytes + text.size();
  const Extent behind{header.bytes, source.size() - header.bytes};
  const auto take = [&](const std::string& name, const JsonValue& value) -> Status {
    if (name == kSafetensorsMetadata) {
      header.metadata = MetadataIn(value);
      return {};
    }
    PTEEDIT_ASSIGN(SafetensorsEntry entry, EntryOf(name, value, behind));
    header.entries.push_back(std::move(entry));
    return {};
  };
  PTEEDIT_TRY(ForEachJsonMember(text, "header", {kMaxSafetensorsHeaderBytes, kMaxValues, false, {}}, take));
  PTEEDIT_TRY(CheckNames(header.entries));
  PTEEDIT_TRY(CheckApart(header.entries));
  return header;
}

Result<std::vector<uint8_t>> SafetensorsHead(const std::vector<SafetensorsEntry>& entries,
                                             const SafetensorsMetadata& metadata) {
  std::string text = Text("{", JsonText(kSafetensorsMetadata), ":{");
  text += Joined(metadata, ",", [](const auto& item) { return JsonText(item.first) + ":" + JsonText(item.second); });
  text += "}";
  for (const SafetensorsEntry& entry : entries) {
    text += Text(",", JsonText(entry.name), R"(:{"dtype":)", JsonText(entry.dtype), R"(,"shape":[)",
                 Joined(entry.sizes, ","), R"(],"data_offsets":[)", entry.place.offset, ",",
                 entry.place.offset + entry.place.size, "]}");
  }
  text += "}";
  text.resize(AlignUp(text.size(), kLengthBytes), ' ');
  if (text.size() > kMaxSafetensorsHeaderBytes) {
    return Unsupported(
        Text("header would have ", text.size(), " bytes, at most ", kMaxSafetensorsHeaderBytes, " are read"));
  }
  std::vector<uint8_t> head;
  for (unsigned shift = 0; shift < 64; shift += 8) head.push_back(static_cast<uint8_t>(text.size() >> shift));
  head.insert(head.end(), text.begin(), text.end());
  return head;
}

}  // namespace pteedit
