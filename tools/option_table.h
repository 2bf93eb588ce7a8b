// Options as rows of data: what each is called, where its value goes, what it needs beside it and what it excludes.
// Declaring them, telling which were given and finding what does not go together is the same for all tools.
#ifndef PTEEDIT_TOOLS_OPTION_TABLE_H_
#define PTEEDIT_TOOLS_OPTION_TABLE_H_

#include <functional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "cli.h"

namespace pteedit::cli {

// What an option asks of others.
struct OtherOptions {
  std::vector<std::string> names;
  std::string sentence = {};  // what is said where it is not so; empty: one made of the names
};

// Where a value goes: a flag's, a word, or words where the option may be repeated; a function declares any other kind.
// Nowhere for a fact, which only has rules.
using OptionTarget =
    std::variant<std::monostate, bool*, std::string*, std::vector<std::string>*, std::function<void(CLI::App&)>>;

struct OptionRow {
  std::string name;          // "-f,--force", or a fact that the tool finds itself, such as "FILE"
  std::string value = {};    // what it takes: "OUT"; empty for a flag
  std::string purpose = {};  // a line of --help
  OptionTarget target = {};
  std::vector<std::string> choices = {};    // the values that it takes; empty: any
  std::string otherwise = {};               // what it means without a value, if it may be without: --hash[=KIND]
  std::vector<OtherOptions> needs = {};     // of each, one has to be there
  std::vector<OtherOptions> excludes = {};  // of each, none may be there
};

struct OptionGroup {
  std::string title;  // in --help
  std::vector<OptionRow> rows;
};

void DeclareOptions(CLI::App& app, const std::vector<OptionGroup>& groups);

// Options that were given, by the last of their names, and facts.
using GivenOptions = std::set<std::string>;
GivenOptions FindGiven(const CLI::App& app);

// What does not go together, as a sentence of the first row that minds; empty where all does.
std::string FindConflict(const std::vector<OptionGroup>& groups, const GivenOptions& given);

}  // namespace pteedit::cli

#endif  // PTEEDIT_TOOLS_OPTION_TABLE_H_
