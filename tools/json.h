// Reports as one tree of plain data, from which come JSON, the page and Python's dictionaries. Members have a fixed
// order. Texts go in as they are; the walk that prints a tree makes them fit.
#ifndef PTEEDIT_TOOLS_JSON_H_
#define PTEEDIT_TOOLS_JSON_H_

#include <cstddef>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>
#include <vector>

#include "pteedit/result.h"

namespace pteedit::cli {

using Json = nlohmann::ordered_json;

inline constexpr int kJsonSchemaVersion = 1;

// An object that grows copies the members it has.
inline void MakeRoom(Json& object, size_t members) { object.get_ref<Json::object_t&>().reserve(members); }

// With room for the members of most rows of a list.
inline Json NewRow() {
  constexpr size_t kMembers = 10;
  Json row = Json::object();
  MakeRoom(row, kMembers);
  return row;
}

// "malformed", "unsupported", "invalid_argument", "exists", "io".
const char* CodeName(ErrorCode code);

// Control bytes and invalid UTF-8 in texts become U+FFFD; lines stay where asked, and in what is called "stack_traces"
// or "dataframe". A "key" that changes so gets a "key_hex" beside it, with its bytes.
void MakePrintable(Json& report, bool has_lines = false);

// As it is printed, with a line end behind it.
std::string Printed(const Json& report);

// Prints a report as Printed() does while it is walked, so that of a long list no more than a row is in memory.
class JsonPrinter {
 public:
  explicit JsonPrinter(std::ostream& out) : out_(out) {}

  void BeginObject() { Begin('{'); }
  void EndObject() { End('}'); }
  void BeginList() { Begin('['); }
  void EndList() { End(']'); }
  // In an object, before its value.
  void Name(const std::string& name);
  // In a list, or behind a name.
  void Add(const Json& value);
  void AddMember(const std::string& name, const Json& value) {
    Name(name);
    Add(value);
  }
  // Those of `object`, into the one that has begun.
  void AddMembers(const Json& object);
  // Prints what is still held, with a line end behind it.
  void Finish();

 private:
  struct Level {
    bool is_empty;
    bool has_lines;  // in its texts
  };

  void Begin(char bracket);
  void End(char bracket);
  void BeginItem();
  void NewLine();
  void AddText(const std::string& text);

  std::ostream& out_;
  std::string text_;  // to be printed next
  std::vector<Level> levels_;
  bool has_name_ = false;  // before the next value
  bool has_lines_ = false;
};

}  // namespace pteedit::cli

#endif  // PTEEDIT_TOOLS_JSON_H_
