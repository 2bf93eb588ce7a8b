// Reports as one tree of plain data, from which come JSON, the page and Python's dictionaries. Members have a fixed
// order. Texts go in as they are; the walk that prints a tree makes them fit.
#ifndef PTEEDIT_TOOLS_JSON_H_
#define PTEEDIT_TOOLS_JSON_H_

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>

#include "pteedit/result.h"

namespace pteedit::cli {

using Json = nlohmann::ordered_json;

inline constexpr int kJsonSchemaVersion = 1;

// With room for the members of most rows of a list, since growing copies their names.
inline Json NewRow() {
  constexpr size_t kMembers = 10;
  Json row = Json::object();
  row.get_ref<Json::object_t&>().reserve(kMembers);
  return row;
}

// "malformed", "unsupported", "invalid_argument", "exists", "io".
const char* CodeName(ErrorCode code);

// Control bytes and invalid UTF-8 in texts become U+FFFD; lines stay where asked, and in what is called "stack_traces"
// or "dataframe". A "key" that changes so gets a "key_hex" beside it, with its bytes.
void MakePrintable(Json& report, bool has_lines = false);

// As it is printed, with a line end behind it.
std::string Printed(Json report);

}  // namespace pteedit::cli

#endif  // PTEEDIT_TOOLS_JSON_H_
