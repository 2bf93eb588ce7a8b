#include "json.h"

#include "pteedit/text.h"

namespace pteedit::cli {
Json JsonText(std::string_view text) { return ReplaceControl(text); }

void AddKey(Json& object, std::string_view key) {
  std::string shown = ReplaceControl(key);
  const bool is_changed = shown != key;
  object["key"] = std::move(shown);
  if (is_changed) object["key_hex"] = HexDigits(key);
}

const char* CodeName(ErrorCode code) {
  switch (code) {
    case ErrorCode::kMalformed:
      return "malformed";
    case ErrorCode::kUnsupported:
      return "unsupported";
    case ErrorCode::kInvalidArgument:
      return "invalid_argument";
    case ErrorCode::kIo:
      return "io";
  }
  return "";
}

std::string Printed(const Json& json) { return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n"; }

}  // namespace pteedit::cli
