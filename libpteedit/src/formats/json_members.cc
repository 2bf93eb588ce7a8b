#include "formats/json_members.h"

#include <algorithm>

namespace pteedit {

Error WrongMember(const std::string& place, const char* problem) { return Malformed(Text("'", place, "' ", problem)); }

Result<JsonValue> ParseWholeJson(std::string_view text, const JsonLimits& limits) {
  Result<JsonValue> parsed = ParseJson(text, "the text", limits);
  if (!parsed) return Malformed(parsed.error().message);
  return parsed;
}

Result<JsonValue> ParseFileJson(std::string_view text, const JsonLimits& limits,
                                std::initializer_list<std::string_view> members) {
  PTEEDIT_ASSIGN(JsonValue root, ParseWholeJson(text, limits));
  PTEEDIT_TRY(ExpectObject(root, "", members));
  const JsonObject object{root, ""};
  PTEEDIT_ASSIGN(const std::optional<uint64_t> version, object.OptionalCount("schema_version"));
  if (version != uint64_t{1}) return Malformed("'schema_version' is not 1");
  return root;
}

Status ExpectObject(const JsonValue& json, const std::string& place, std::initializer_list<std::string_view> members) {
  if (json.kind != JsonValue::Kind::kObject)
    return place.empty() ? Malformed("the JSON is no object") : WrongMember(place, "is no object");
  for (const std::string& name : json.names) {
    if (std::find(members.begin(), members.end(), name) != members.end()) continue;
    return Malformed(Text(place.empty() ? "" : "'" + place + "': ", "there is no member ", Quoted(name)));
  }
  return {};
}

Result<std::string> TextOf(const JsonValue& json, const std::string& place) {
  if (json.kind != JsonValue::Kind::kText) return WrongMember(place, "is no text");
  return json.text;
}

Result<uint64_t> CountOf(const JsonValue& json, const std::string& place) {
  if (!json.is_count) return WrongMember(place, "is no whole number from 0 to 18446744073709551615");
  return json.number;
}

std::string JsonObject::Place(std::string_view member) const {
  return place.empty() ? std::string(member) : Text(place, '.', member);
}

const JsonValue* JsonObject::Find(std::string_view member) const {
  const JsonValue* found = json.Find(member);
  return found == nullptr || found->kind == JsonValue::Kind::kNull ? nullptr : found;
}

Result<std::string> JsonObject::OptionalText(std::string_view member) const {
  const JsonValue* found = Find(member);
  return found == nullptr ? std::string() : TextOf(*found, Place(member));
}

Result<std::optional<uint64_t>> JsonObject::OptionalCount(std::string_view member) const {
  const JsonValue* found = Find(member);
  if (found == nullptr) return std::optional<uint64_t>();
  PTEEDIT_ASSIGN(const uint64_t count, CountOf(*found, Place(member)));
  return std::optional(count);
}

}  // namespace pteedit
