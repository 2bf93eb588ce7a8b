// Reports as one tree of plain data, from which come JSON, the page and Python's dictionaries. Members have a fixed
// order. Texts go in as they are; the walk that prints a tree makes them fit.
#ifndef PTEEDIT_TOOLS_JSON_H_
#define PTEEDIT_TOOLS_JSON_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>
#include <utility>
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

struct JsonForm {
  bool is_compact = false;         // without white space
  size_t most_items = ~size_t{0};  // of a list "x", whose others are counted in a member "x_left_out" of its object
};

// Prints a report as Printed() does while it is walked, so that of a long list no more than a row is in memory.
class JsonPrinter {
 public:
  explicit JsonPrinter(std::ostream& out, JsonForm form = {}) : out_(out), form_(form) {}

  void BeginObject() { Begin('{'); }
  void EndObject();
  // Of any number of items, all of which are printed.
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
  // An object, to which `add_members` adds.
  template <class AddMembersOf>
  void AddObject(const std::string& name, AddMembersOf add_members) {
    Name(name);
    BeginObject();
    add_members();
    EndObject();
  }
  // A list: calls `add` for the number of each item that is shown, to add it.
  void AddRows(size_t count, const std::function<void(size_t i)>& add);
  template <class Items, class ToJson>
  void AddList(const Items& items, ToJson to_json) {
    AddRows(items.size(), [&](size_t i) { Add(to_json(items[i])); });
  }
  // The same of objects, to each of which `add_members` adds.
  template <class Items, class AddMembersOf>
  void AddObjects(const Items& items, AddMembersOf add_members) {
    AddRows(items.size(), [&](size_t i) {
      BeginObject();
      add_members(items[i]);
      EndObject();
    });
  }
  // Prints what is still held, where there is white space with a line end behind it.
  void Finish();

 private:
  struct Level {
    bool is_empty;
    bool has_lines;  // in its texts
    std::vector<std::pair<std::string, uint64_t>> left_out = {};
  };

  void Begin(char bracket);
  void End(char bracket);
  void BeginItem();
  void NewLine();
  void AddText(const std::string& text);

  std::ostream& out_;
  const JsonForm form_;
  std::string text_;  // to be printed next
  std::string name_;  // the last
  std::vector<Level> levels_;
  bool has_name_ = false;  // before the next value
  bool has_lines_ = false;
};

}  // namespace pteedit::cli

#endif  // PTEEDIT_TOOLS_JSON_H_
