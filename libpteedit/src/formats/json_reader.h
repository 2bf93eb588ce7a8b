// JSON texts out of blobs and records, within bounds on memory, by default some 50 MiB, and with a flat stack.
#ifndef PTEEDIT_SRC_FORMATS_JSON_READER_H_
#define PTEEDIT_SRC_FORMATS_JSON_READER_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "pteedit/result.h"

namespace pteedit {

struct JsonValue {
  enum class Kind : uint8_t { kNull, kBoolean, kNumber, kText, kList, kObject };
  Kind kind = Kind::kNull;
  uint64_t number = 0;             // of a whole number that is not negative; 1 of true; else 0
  bool is_count = false;           // whether it is such a number
  std::string text;                // of a text
  std::string written;             // of a number, as it was written
  std::vector<JsonValue> items;    // of a list or an object, in the order of the text
  std::vector<std::string> names;  // of an object's items

  // The last item called `name`; null where there is none or this is no object.
  const JsonValue* Find(std::string_view name) const;
  // What Find finds where that is a text, else "".
  std::string_view TextOf(std::string_view name) const;
};

struct JsonLimits {
  uint64_t max_bytes = uint64_t{8} << 20;
  size_t max_values = 100'000;    // that are kept; each takes some 130 bytes
  bool takes_bare_words = false;  // Infinity, -Infinity and NaN, as Python writes them, are texts: inf, -inf, nan
  std::vector<std::string_view> left_out = {};  // members of objects that are skipped, with all that is in them
};

// `what` begins messages. Fails with kUnsupported where the text is no JSON, is over the limits or has more than 32
// levels.
Result<JsonValue> ParseJson(std::string_view text, const char* what, const JsonLimits& limits = {});

// Calls `take` with each member of an object, in its order, and keeps none: max_values are those of one member. Fails
// as `take` does, as ParseJson, and with kMalformed where the text is no object.
Status ForEachJsonMember(std::string_view text, const char* what, const JsonLimits& limits,
                         const std::function<Status(const std::string& name, const JsonValue& value)>& take);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_FORMATS_JSON_READER_H_
