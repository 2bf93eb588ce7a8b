#include "arguments.h"

#include <algorithm>
#include <regex>

namespace pteedit::cli {
namespace {

constexpr size_t kMaxMatchedName = 1024;  // std::regex recurses with the text; no real name is longer

const std::vector<std::string> kSelecting = {"--kind",    "--name",  "--min-size", "--method",
                                             "--backend", "--match", "--not-match"};

void DeclareSelection(CLI::App& app, SplitArguments& arguments) {
  app.add_option("--kind", arguments.kinds, "Kinds to move: constant, named-data, mutable (default: the first two)")
      ->delimiter(',')
      ->check(CLI::IsMember({"constant", "named-data", "mutable"}))
      ->type_name("KIND,...")
      ->allow_extra_args(false);
  app.add_option("--name", arguments.names, "Move what has this in its name or key")
      ->type_name("REGEX")
      ->allow_extra_args(false);
  AddSizeOption(app, "--min-size", arguments.min_bytes, "Move only what has at least so many bytes");
  app.add_option("--method", arguments.methods, "Move what this method uses")
      ->type_name("METHOD")
      ->allow_extra_args(false);
  app.add_option("--backend", arguments.backends, "Move the keys that this backend's delegates use")
      ->type_name("BACKEND")
      ->allow_extra_args(false);
  app.add_option("--match", arguments.match, "Move what FILE (.pte, .ptd, .bpte) holds too: the foundation")
      ->type_name("FILE")
      ->allow_extra_args(false);
  app.add_option("--not-match", arguments.not_match, "Move what FILE does not hold")
      ->type_name("FILE")
      ->allow_extra_args(false);
}

}  // namespace

void Declare(CLI::App& app, SplitArguments& arguments) {
  app.add_option("IN", arguments.input, "The program, .pte or .bpte")->required()->type_name("");
  app.add_option("-o,--output", arguments.output, "Where the program goes; - for standard output")
      ->required()
      ->type_name("FILE");
  app.add_option("-d,--data-output", arguments.data_output, "Where the moved data goes, a .ptd")->type_name("FILE");
  app.add_flag("--join", arguments.join, "Put the data of --data back into the program");
  app.add_option("--data", arguments.data, "A data file that the program has already, or to join; once for each")
      ->type_name("FILE.ptd")
      ->allow_extra_args(false);
  DeclareSelection(app, arguments);
  DeclareWriting(app, arguments.writing, {.threads = "hashing"});
}

std::string Conflict(const CLI::App& app, const SplitArguments& arguments) {
  if (std::string wrong = WritingConflict(arguments.writing, arguments.output); !wrong.empty()) return wrong;
  if (!arguments.join && arguments.data_output.empty()) return "-d FILE is required";
  if (arguments.data_output == "-") return "-d - is not possible: a program must not arrive before its data";
  if (!arguments.join) return {};
  if (arguments.data.empty()) return "--join needs at least one --data FILE";
  if (!arguments.data_output.empty()) return "--join takes no -d";
  const auto given =
      std::find_if(kSelecting.begin(), kSelecting.end(), [&](const std::string& name) { return app.count(name) != 0; });
  return given == kSelecting.end() ? std::string() : "--join takes no " + *given + ": it joins everything";
}

Result<std::function<bool(const std::string&)>> NameMatcher(const std::vector<std::string>& expressions) {
  if (expressions.empty()) return std::function<bool(const std::string&)>();
  std::vector<std::regex> compiled;
  for (const std::string& expression : expressions) {
    try {
      compiled.emplace_back(expression, std::regex::ECMAScript | std::regex::optimize);
    } catch (const std::regex_error&) {
      return InvalidArgument("--name '" + expression + "' is no ECMAScript regular expression");
    }
  }
  return std::function<bool(const std::string&)>([compiled](const std::string& name) {
    return name.size() <= kMaxMatchedName &&
           std::any_of(compiled.begin(), compiled.end(),
                       [&](const std::regex& expression) { return std::regex_search(name, expression); });
  });
}

}  // namespace pteedit::cli
