#include "json.h"

#include "pteedit/text.h"

namespace pteedit::cli {
namespace {

std::string HexDigits(std::string_view bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string digits;
  for (const char letter : bytes) {
    const auto byte = static_cast<unsigned char>(letter);
    digits += {kDigits[byte >> 4], kDigits[byte & 15]};
  }
  return digits;
}

}  // namespace

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
