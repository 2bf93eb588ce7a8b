// Metadata of blobs as JSON: reading it with every number checked, and writing it.
#include "pteedit/delegate_metadata.h"

#include <algorithm>
#include <initializer_list>

#include "base/checked.h"
#include "base/text.h"
#include "formats/json_reader.h"
#include "io/digest.h"
#include "pteedit/try.h"

namespace pteedit {
namespace {

// A program of billions of weights has some ten thousand constants, of ten values each.
const JsonLimits kFileLimits{uint64_t{32} << 20, 1'000'000, false, {}};

using Kind = JsonValue::Kind;

// An object of the text, and how messages call it: "delegates[2].parts[0]".
struct Object {
  const JsonValue& json;
  std::string place;

  std::string Place(std::string_view member) const {
    return place.empty() ? std::string(member) : Text(place, '.', member);
  }
  // Null where the member is not there or null.
  const JsonValue* Find(std::string_view member) const {
    const JsonValue* found = json.Find(member);
    return found == nullptr || found->kind == Kind::kNull ? nullptr : found;
  }
};

Error Wrong(const std::string& place, const char* problem) { return Malformed(Text("'", place, "' ", problem)); }

Status ExpectObject(const JsonValue& json, const std::string& place, std::initializer_list<std::string_view> members) {
  if (json.kind != Kind::kObject)
    return place.empty() ? Malformed("the JSON is no object") : Wrong(place, "is no object");
  for (const std::string& name : json.names) {
    if (std::find(members.begin(), members.end(), name) != members.end()) continue;
    return Malformed(Text(place.empty() ? "" : "'" + place + "': ", "there is no member ", Quoted(name)));
  }
  return {};
}

Result<std::string> TextOf(const JsonValue& json, const std::string& place) {
  if (json.kind != Kind::kText) return Wrong(place, "is no text");
  return json.text;
}

Result<uint64_t> CountOf(const JsonValue& json, const std::string& place) {
  if (!json.is_count) return Wrong(place, "is no whole number from 0 to 18446744073709551615");
  return json.number;
}

Result<std::string> OptionalText(const Object& object, std::string_view member) {
  const JsonValue* found = object.Find(member);
  return found == nullptr ? std::string() : TextOf(*found, object.Place(member));
}

Result<std::optional<uint64_t>> OptionalCount(const Object& object, std::string_view member) {
  const JsonValue* found = object.Find(member);
  if (found == nullptr) return std::optional<uint64_t>();
  PTEEDIT_ASSIGN(const uint64_t count, CountOf(*found, object.Place(member)));
  return std::optional(count);
}

// The elements of a list as `read(json, place)` reads them; nothing where there is no list.
template <class T, class Read>
Result<std::optional<std::vector<T>>> OptionalList(const Object& object, std::string_view member, Read read) {
  const JsonValue* found = object.Find(member);
  if (found == nullptr) return std::optional<std::vector<T>>();
  if (found->kind != Kind::kList) return Wrong(object.Place(member), "is no list");
  std::vector<T> list;
  list.reserve(found->items.size());
  for (size_t i = 0; i < found->items.size(); ++i) {
    PTEEDIT_ASSIGN(T item, read(found->items[i], Text(object.Place(member), '[', i, ']')));
    list.push_back(std::move(item));
  }
  return std::optional(std::move(list));
}

std::optional<uint8_t> Digit(char letter) {
  if (letter >= '0' && letter <= '9') return static_cast<uint8_t>(letter - '0');
  if (letter >= 'a' && letter <= 'f') return static_cast<uint8_t>(letter - 'a' + 10);
  return std::nullopt;
}

bool IsHex(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char letter) { return Digit(letter).has_value(); });
}

std::string BytesOfHex(std::string_view digits) {
  std::string bytes;
  for (size_t i = 0; i + 1 < digits.size(); i += 2) {
    bytes += static_cast<char>(*Digit(digits[i]) << 4 | *Digit(digits[i + 1]));
  }
  return bytes;
}

// The member "key", or "key_hex" where JSON cannot have the key.
Result<std::string> OptionalKey(const Object& object) {
  PTEEDIT_ASSIGN(const std::string hex, OptionalText(object, "key_hex"));
  if (!IsHex(hex) || hex.size() % 2 != 0)
    return Wrong(object.Place("key_hex"), "is no even number of lower-case hex digits");
  return hex.empty() ? OptionalText(object, "key") : BytesOfHex(hex);
}

Result<std::string> ReadKey(const JsonValue& json, const std::string& place) {
  if (json.kind == Kind::kText) return json.text;
  PTEEDIT_TRY(ExpectObject(json, place, {"key", "key_hex"}));
  return OptionalKey({json, place});
}

Result<BlobConstant> ReadConstant(const JsonValue& json, const std::string& place) {
  PTEEDIT_TRY(ExpectObject(json, place, {"name", "key", "key_hex", "dtype", "sizes", "bytes", "offset"}));
  const Object object{json, place};
  BlobConstant constant;
  PTEEDIT_ASSIGN(constant.name, OptionalText(object, "name"));
  PTEEDIT_ASSIGN(constant.key, OptionalKey(object));
  PTEEDIT_ASSIGN(constant.dtype, OptionalText(object, "dtype"));
  PTEEDIT_ASSIGN(auto sizes, OptionalList<uint64_t>(object, "sizes", CountOf));
  constant.sizes = std::move(sizes).value_or(std::vector<uint64_t>());
  PTEEDIT_ASSIGN(const std::optional<uint64_t> bytes, OptionalCount(object, "bytes"));
  constant.bytes = bytes.value_or(0);
  PTEEDIT_ASSIGN(const std::optional<uint64_t> offset, OptionalCount(object, "offset"));
  if (offset) constant.extent = {*offset, constant.bytes};
  if (offset && !constant.key.empty()) return Wrong(place, "has both a key and an offset in the blob");
  return constant;
}

// Where no offset is told, parts follow each other.
Result<std::optional<std::vector<BlobPart>>> ReadParts(const Object& object) {
  uint64_t end = 0;
  return OptionalList<BlobPart>(
      object, "parts", [&](const JsonValue& json, const std::string& place) -> Result<BlobPart> {
        PTEEDIT_TRY(ExpectObject(json, place, {"name", "offset", "size"}));
        BlobPart part;
        PTEEDIT_ASSIGN(part.name, OptionalText({json, place}, "name"));
        PTEEDIT_ASSIGN(const std::optional<uint64_t> size, OptionalCount({json, place}, "size"));
        PTEEDIT_ASSIGN(const std::optional<uint64_t> offset, OptionalCount({json, place}, "offset"));
        if (json.Find("name") == nullptr || !size) return Wrong(place, "needs a name and a size");
        part.extent = {offset.value_or(end), *size};
        const std::optional<uint64_t> part_end = CheckedAdd(part.extent.offset, *size);
        if (!part_end) return Wrong(place, "ends after 18446744073709551615 bytes");
        end = *part_end;
        return part;
      });
}

Result<std::optional<std::vector<BlobFact>>> ReadFacts(const Object& object) {
  const JsonValue* found = object.Find("facts");
  if (found == nullptr) return std::optional<std::vector<BlobFact>>();
  if (found->kind != Kind::kObject) return Wrong(object.Place("facts"), "is no object");
  std::vector<BlobFact> facts;
  for (size_t i = 0; i < found->names.size(); ++i) {
    PTEEDIT_ASSIGN(std::string value,
                   TextOf(found->items[i], Text(object.Place("facts"), '.', Quoted(found->names[i]))));
    facts.push_back({found->names[i], std::move(value)});
  }
  return std::optional(std::move(facts));
}

// Which debug handles of the exported graph an event of the backend stands for. Checked and not kept: it is there for
// whoever reads profiles.
Status CheckDebugHandles(const Object& object) {
  const JsonValue* found = object.Find("debug_handles");
  if (found == nullptr) return {};
  const std::string place = object.Place("debug_handles");
  if (found->kind != Kind::kObject) return Wrong(place, "is no object");
  for (size_t i = 0; i < found->names.size(); ++i) {
    const std::string list_place = Text(place, '.', Quoted(found->names[i]));
    if (found->items[i].kind != Kind::kList) return Wrong(list_place, "is no list");
    for (const JsonValue& handle : found->items[i].items) PTEEDIT_TRY(CountOf(handle, list_place));
  }
  return {};
}

Result<BlobMetadata> ReadBlob(const JsonValue& json, const std::string& place) {
  PTEEDIT_TRY(ExpectObject(json, place,
                           {"sha256", "bytes", "backend", "name", "operators", "constants", "parts", "facts", "strings",
                            "keys", "debug_handles"}));
  const Object object{json, place};
  BlobMetadata blob;
  PTEEDIT_ASSIGN(blob.sha256, OptionalText(object, "sha256"));
  if (!blob.sha256.empty() && (blob.sha256.size() != kSha256Digits || !IsHex(blob.sha256))) {
    return Wrong(object.Place("sha256"), "is no SHA-256 in 64 lower-case hex digits");
  }
  PTEEDIT_ASSIGN(blob.bytes, OptionalCount(object, "bytes"));
  PTEEDIT_ASSIGN(blob.backend, OptionalText(object, "backend"));
  PTEEDIT_ASSIGN(blob.name, OptionalText(object, "name"));
  PTEEDIT_ASSIGN(blob.operators, OptionalList<std::string>(object, "operators", TextOf));
  PTEEDIT_ASSIGN(blob.constants, OptionalList<BlobConstant>(object, "constants", ReadConstant));
  PTEEDIT_ASSIGN(blob.parts, ReadParts(object));
  PTEEDIT_ASSIGN(blob.facts, ReadFacts(object));
  PTEEDIT_ASSIGN(blob.strings, OptionalList<std::string>(object, "strings", TextOf));
  PTEEDIT_ASSIGN(blob.keys, OptionalList<std::string>(object, "keys", ReadKey));
  PTEEDIT_TRY(CheckDebugHandles(object));
  return blob;
}

Result<JsonValue> ParseText(std::string_view json, const JsonLimits& limits) {
  Result<JsonValue> parsed = ParseJson(json, "the text", limits);
  if (!parsed) return Malformed(parsed.error().message);
  return parsed;
}

}  // namespace

Result<std::vector<BlobMetadata>> ParseDelegateMetadata(std::string_view json) {
  PTEEDIT_ASSIGN(const JsonValue root, ParseText(json, kFileLimits));
  PTEEDIT_TRY(ExpectObject(root, "", {"schema_version", "delegates"}));
  PTEEDIT_ASSIGN(const std::optional<uint64_t> version, OptionalCount({root, ""}, "schema_version"));
  if (version != uint64_t{1}) return Malformed("'schema_version' is not 1");
  PTEEDIT_ASSIGN(auto blobs, OptionalList<BlobMetadata>({root, ""}, "delegates", ReadBlob));
  if (!blobs) return Malformed("'delegates' is missing");
  for (size_t i = 0; i < blobs->size(); ++i) {
    if ((*blobs)[i].sha256.empty()) return Malformed(Text("'delegates[", i, "].sha256' is missing"));
  }
  return *std::move(blobs);
}

Result<BlobMetadata> ParseBlobMetadata(std::string_view json) {
  PTEEDIT_ASSIGN(const JsonValue root, ParseText(json, {}));
  return ReadBlob(root, "");
}

Status CheckFits(const BlobMetadata& metadata, uint64_t blob_bytes) {
  if (metadata.bytes && *metadata.bytes != blob_bytes) {
    return Unsupported(Text("metadata of a blob of ", *metadata.bytes, " bytes, it has ", blob_bytes));
  }
  const auto outside = [&](const std::string& what, Extent extent) {
    return Unsupported(Text("metadata's ", what, " of ", extent.size, " bytes at ", Hex(extent.offset),
                            " is not inside the processed blob (", blob_bytes, " bytes)"));
  };
  uint64_t end = 0;
  for (const BlobPart& part : metadata.parts.value_or(std::vector<BlobPart>())) {
    if (!Fits(part.extent, blob_bytes)) return outside("part " + Quoted(part.name), part.extent);
    if (part.extent.offset < end) {
      return Unsupported(Text("metadata's part ", Quoted(part.name), " begins at ", Hex(part.extent.offset),
                              ", before the end of the part before it at ", Hex(end)));
    }
    end = part.extent.offset + part.extent.size;
  }
  if (!metadata.constants) return {};
  for (size_t i = 0; i < metadata.constants->size(); ++i) {
    const BlobConstant& constant = (*metadata.constants)[i];
    if (Fits(constant.extent, blob_bytes)) continue;
    return outside(Text("constant ", i, constant.name.empty() ? "" : " " + Quoted(constant.name)), constant.extent);
  }
  return {};
}

}  // namespace pteedit
