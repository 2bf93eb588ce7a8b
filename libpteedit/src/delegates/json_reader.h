// Small JSON texts out of blobs, within bounds that keep memory below some 50 MiB and the stack flat.
#ifndef PTEEDIT_SRC_DELEGATES_JSON_READER_H_
#define PTEEDIT_SRC_DELEGATES_JSON_READER_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "pteedit/result.h"

namespace pteedit {

struct JsonValue {
  enum class Kind : uint8_t { kNull, kBoolean, kNumber, kText, kList, kObject };
  Kind kind = Kind::kNull;
  uint64_t number = 0;             // of a whole number that is not negative; else 0
  std::string text;                // of a text
  std::vector<JsonValue> items;    // of a list or an object, in the order of the text
  std::vector<std::string> names;  // of an object's items

  // The last item called `name`; null where there is none or this is no object.
  const JsonValue* Find(std::string_view name) const;
  // What Find finds where that is a text, else "".
  std::string_view TextOf(std::string_view name) const;
};

// `what` begins messages. Fails with kUnsupported where the text is no JSON, has more than 8 MiB, more than 100,000
// values or more than 32 levels.
Result<JsonValue> ParseJson(std::string_view text, const char* what);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_DELEGATES_JSON_READER_H_
