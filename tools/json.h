// JSON as the tools print it: members in a fixed order, text that is always valid.
#ifndef PTEEDIT_TOOLS_JSON_H_
#define PTEEDIT_TOOLS_JSON_H_

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "pteedit/result.h"

namespace pteedit::cli {

using Json = nlohmann::ordered_json;

inline constexpr int kJsonSchemaVersion = 1;

// Text from a file or a command line: control bytes and invalid UTF-8 become U+FFFD.
Json JsonText(std::string_view text);

// Adds the member "key", and "key_hex" with its bytes where JsonText has to change them.
void AddKey(Json& object, std::string_view key);

// "malformed", "unsupported", "invalid_argument", "io".
const char* CodeName(ErrorCode code);

// As it is printed, with a line end behind it.
std::string Printed(const Json& json);

}  // namespace pteedit::cli

#endif  // PTEEDIT_TOOLS_JSON_H_
