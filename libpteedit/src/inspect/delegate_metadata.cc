// Metadata of blobs as JSON: reading it with every number checked, and writing it.
#include "pteedit/delegate_metadata.h"

#include <algorithm>

#include "base/checked.h"
#include "base/text.h"
#include "formats/json_members.h"
#include "formats/json_reader.h"
#include "io/digest.h"
#include "pteedit/try.h"

namespace pteedit {
namespace {

// A program of billions of weights has some ten thousand constants, of ten values each.
const JsonLimits kFileLimits{uint64_t{32} << 20, 1'000'000, false, {}};

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
Result<std::string> OptionalKey(const JsonObject& object) {
  PTEEDIT_ASSIGN(const std::string hex, object.OptionalText("key_hex"));
  if (!IsHex(hex) || hex.size() % 2 != 0)
    return WrongMember(object.Place("key_hex"), "is no even number of lower-case hex digits");
  return hex.empty() ? object.OptionalText("key") : BytesOfHex(hex);
}

Result<std::string> ReadKey(const JsonValue& json, const std::string& place) {
  if (json.kind == JsonValue::Kind::kText) return json.text;
  PTEEDIT_TRY(ExpectObject(json, place, {"key", "key_hex"}));
  return OptionalKey({json, place});
}

Result<BlobConstant> ReadConstant(const JsonValue& json, const std::string& place) {
  PTEEDIT_TRY(ExpectObject(json, place, {"name", "key", "key_hex", "dtype", "sizes", "bytes", "offset"}));
  const JsonObject object{json, place};
  BlobConstant constant;
  PTEEDIT_ASSIGN(constant.name, object.OptionalText("name"));
  PTEEDIT_ASSIGN(constant.key, OptionalKey(object));
  PTEEDIT_ASSIGN(constant.dtype, object.OptionalText("dtype"));
  PTEEDIT_ASSIGN(auto sizes, object.OptionalList<uint64_t>("sizes", CountOf));
  constant.sizes = std::move(sizes).value_or(std::vector<uint64_t>());
  PTEEDIT_ASSIGN(const std::optional<uint64_t> bytes, object.OptionalCount("bytes"));
  constant.bytes = bytes.value_or(0);
  PTEEDIT_ASSIGN(const std::optional<uint64_t> offset, object.OptionalCount("offset"));
  if (offset) constant.extent = {*offset, constant.bytes};
  if (offset && !constant.key.empty()) return WrongMember(place, "has both a key and an offset in the blob");
  return constant;
}

// Where no offset is told, parts follow each other.
Result<std::optional<std::vector<BlobPart>>> ReadParts(const JsonObject& object) {
  uint64_t end = 0;
  return object.OptionalList<BlobPart>(
      "parts", [&](const JsonValue& json, const std::string& place) -> Result<BlobPart> {
        PTEEDIT_TRY(ExpectObject(json, place, {"name", "offset", "size"}));
        const JsonObject row{json, place};
        BlobPart part;
        PTEEDIT_ASSIGN(part.name, row.OptionalText("name"));
        PTEEDIT_ASSIGN(const std::optional<uint64_t> size, row.OptionalCount("size"));
        PTEEDIT_ASSIGN(const std::optional<uint64_t> offset, row.OptionalCount("offset"));
        if (json.Find("name") == nullptr || !size) return WrongMember(place, "needs a name and a size");
        part.extent = {offset.value_or(end), *size};
        const std::optional<uint64_t> part_end = CheckedAdd(part.extent.offset, *size);
        if (!part_end) return WrongMember(place, "ends after 18446744073709551615 bytes");
        end = *part_end;
        return part;
      });
}

Result<std::optional<std::vector<BlobFact>>> ReadFacts(const JsonObject& object) {
  const JsonValue* found = object.Find("facts");
  if (found == nullptr) return std::optional<std::vector<BlobFact>>();
  if (found->kind != JsonValue::Kind::kObject) return WrongMember(object.Place("facts"), "is no object");
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
Status CheckDebugHandles(const JsonObject& object) {
  const JsonValue* found = object.Find("debug_handles");
  if (found == nullptr) return {};
  const std::string place = object.Place("debug_handles");
  if (found->kind != JsonValue::Kind::kObject) return WrongMember(place, "is no object");
  for (size_t i = 0; i < found->names.size(); ++i) {
    const std::string list_place = Text(place, '.', Quoted(found->names[i]));
    if (found->items[i].kind != JsonValue::Kind::kList) return WrongMember(list_place, "is no list");
    for (const JsonValue& handle : found->items[i].items) PTEEDIT_TRY(CountOf(handle, list_place));
  }
  return {};
}

Result<BlobMetadata> ReadBlob(const JsonValue& json, const std::string& place) {
  PTEEDIT_TRY(ExpectObject(json, place,
                           {"sha256", "bytes", "backend", "name", "operators", "constants", "parts", "facts", "strings",
                            "keys", "debug_handles"}));
  const JsonObject object{json, place};
  BlobMetadata blob;
  PTEEDIT_ASSIGN(blob.sha256, object.OptionalText("sha256"));
  if (!blob.sha256.empty() && (blob.sha256.size() != kSha256Digits || !IsHex(blob.sha256))) {
    return WrongMember(object.Place("sha256"), "is no SHA-256 in 64 lower-case hex digits");
  }
  PTEEDIT_ASSIGN(blob.bytes, object.OptionalCount("bytes"));
  PTEEDIT_ASSIGN(blob.backend, object.OptionalText("backend"));
  PTEEDIT_ASSIGN(blob.name, object.OptionalText("name"));
  PTEEDIT_ASSIGN(blob.operators, object.OptionalList<std::string>("operators", TextOf));
  PTEEDIT_ASSIGN(blob.constants, object.OptionalList<BlobConstant>("constants", ReadConstant));
  PTEEDIT_ASSIGN(blob.parts, ReadParts(object));
  PTEEDIT_ASSIGN(blob.facts, ReadFacts(object));
  PTEEDIT_ASSIGN(blob.strings, object.OptionalList<std::string>("strings", TextOf));
  PTEEDIT_ASSIGN(blob.keys, object.OptionalList<std::string>("keys", ReadKey));
  PTEEDIT_TRY(CheckDebugHandles(object));
  return blob;
}

}  // namespace

Result<std::vector<BlobMetadata>> ParseDelegateMetadata(std::string_view json) {
  PTEEDIT_ASSIGN(const JsonValue root, ParseFileJson(json, kFileLimits, {"schema_version", "delegates"}));
  const JsonObject object{root, ""};
  PTEEDIT_ASSIGN(auto blobs, object.OptionalList<BlobMetadata>("delegates", ReadBlob));
  if (!blobs) return Malformed("'delegates' is missing");
  for (size_t i = 0; i < blobs->size(); ++i) {
    if ((*blobs)[i].sha256.empty()) return Malformed(Text("'delegates[", i, "].sha256' is missing"));
  }
  return *std::move(blobs);
}

Result<BlobMetadata> ParseBlobMetadata(std::string_view json) {
  PTEEDIT_ASSIGN(const JsonValue root, ParseWholeJson(json, {}));
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
