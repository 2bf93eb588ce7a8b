// Members of objects whose form a schema of ours tells. Messages call the place: "'delegates[2].parts[0]' is no
// object".
#ifndef PTEEDIT_SRC_FORMATS_JSON_MEMBERS_H_
#define PTEEDIT_SRC_FORMATS_JSON_MEMBERS_H_

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "formats/json_reader.h"
#include "pteedit/result.h"
#include "pteedit/try.h"

namespace pteedit {

// Fails with kMalformed where the text is no JSON within the limits.
Result<JsonValue> ParseWholeJson(std::string_view text, const JsonLimits& limits);
// The same of a file: an object with none but these members, whose "schema_version" is 1.
Result<JsonValue> ParseFileJson(std::string_view text, const JsonLimits& limits,
                                std::initializer_list<std::string_view> members);

// That `json` is an object, and has none but these members. The whole text has an empty `place`.
Status ExpectObject(const JsonValue& json, const std::string& place, std::initializer_list<std::string_view> members);

Result<std::string> TextOf(const JsonValue& json, const std::string& place);
Result<uint64_t> CountOf(const JsonValue& json, const std::string& place);
Error WrongMember(const std::string& place, const char* problem);

// An object of the text, which outlives this. A member that is null is as good as none.
struct JsonObject {
  const JsonValue& json;
  std::string place;

  std::string Place(std::string_view member) const;
  // Null where the member is not there.
  const JsonValue* Find(std::string_view member) const;
  Result<std::string> OptionalText(std::string_view member) const;
  Result<std::optional<uint64_t>> OptionalCount(std::string_view member) const;

  // The elements of a list as `read(json, place)` reads them.
  template <class T, class Read>
  Result<std::optional<std::vector<T>>> OptionalList(std::string_view member, Read read) const {
    const JsonValue* found = Find(member);
    if (found == nullptr) return std::optional<std::vector<T>>();
    if (found->kind != JsonValue::Kind::kList) return WrongMember(Place(member), "is no list");
    std::vector<T> list;
    list.reserve(found->items.size());
    for (size_t i = 0; i < found->items.size(); ++i) {
      PTEEDIT_ASSIGN(T item, read(found->items[i], Text(Place(member), '[', i, ']')));
      list.push_back(std::move(item));
    }
    return std::optional(std::move(list));
  }
};

}  // namespace pteedit

#endif  // PTEEDIT_SRC_FORMATS_JSON_MEMBERS_H_
