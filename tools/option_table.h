// Options as rows of data: what each is called, where its value goes, what it needs beside it and what it excludes.
// Declaring them, telling which were given and finding what does not go together is the same for all tools.
#ifndef PTEEDIT_TOOLS_OPTION_TABLE_H_
#define PTEEDIT_TOOLS_OPTION_TABLE_H_

#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

namespace pteedit::cli {

enum class When { kAuto, kAlways, kNever };

// What an option asks of others.
struct OtherOptions {
  std::vector<std::string> names;
  std::string sentence = {};  // what is said where it is not so, with the other's name for {}; empty: one of the names
};

// Where a value goes.
struct Flag {};  // which only counts as given
struct Number {
  std::optional<uint64_t>* value = nullptr;
  uint64_t least = 0, most = std::numeric_limits<uint64_t>::max();
  static constexpr uint64_t kMany = 1'000'000;  // a limit where there is none, of rows or runs
};
struct Words {  // of one value, with commas between them
  std::vector<std::string>* words = nullptr;
};
// A fact has none, only rules. The option of a list may be repeated; a size is as ParseSize reads it; a positional
// argument is a word or a list.
using OptionTarget = std::variant<std::monostate, Flag, bool*, std::string*, std::vector<std::string>*, Words,
                                  std::optional<uint64_t>*, Number, When*>;

struct OptionRow {
  std::string name;          // "-f,--force", a positional "IN", or a fact that the tool finds itself: "one FILE"
  std::string value = {};    // what it takes: "OUT"; empty for a flag
  std::string purpose = {};  // a line of --help
  OptionTarget target = {};
  std::vector<std::string> choices = {};    // the values that it takes; empty: any
  std::string otherwise = {};               // what it means without a value, if it may be without: --hash[=KIND]
  std::vector<OtherOptions> needs = {};     // of each, one has to be there
  std::vector<OtherOptions> excludes = {};  // of each, none may be there
  bool required = false;
};

struct OptionGroup {
  std::string title;  // in --help
  std::vector<OptionRow> rows;
};

// Options that were given, by the last of their names, and facts.
using GivenOptions = std::set<std::string>;

// "a, b or c".
std::string Alternatives(const std::vector<std::string>& names);

// What does not go together, as a sentence of the first row that minds; empty where all does.
std::string FindConflict(const std::vector<OptionGroup>& groups, const GivenOptions& given);

}  // namespace pteedit::cli

#endif  // PTEEDIT_TOOLS_OPTION_TABLE_H_
