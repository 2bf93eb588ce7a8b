#include "arguments.h"

#include "pteedit/text.h"

namespace pteedit::cli {
namespace {

bool IsFileName(const std::string& name) {
  return !name.empty() && name != "." && name != ".." && name.find('/') == std::string::npos;
}

}  // namespace

void Declare(CLI::App& app, MergeArguments& arguments) {
  app.add_option("SET", arguments.sets,
                 "A program and its data files: [NAME=]A.pte[,A.ptd...]; \\, is a comma in a name")
      ->required()
      ->type_name("");
  app.add_option("-o,--output", arguments.output, "The folder that gets the programs and the shared data")
      ->required()
      ->type_name("DIR");
  app.add_option("--shared-name", arguments.shared_name, "How the shared data file is called (default: shared.ptd)")
      ->type_name("NAME");
  app.add_option("--variant-data", arguments.variant_data,
                 "Where a program's own data goes: inside (pte, the default) or into a file beside it (ptd)")
      ->check(CLI::IsMember({"pte", "ptd"}))
      ->type_name("WHERE");
  AddSizeOption(app, "--min-size", arguments.min_bytes,
                "Take out contents of at least so many bytes (default: what it pays to share)");
  DeclareWriting(app, arguments.writing,
                 {.threads = "comparing", .force = "Replace DIR where it exists: what is in it goes"});
}

std::string Conflict(const MergeArguments& arguments) {
  if (arguments.output == "-") return "-o - is not possible: a merge gives several files";
  if (std::string conflict = WritingConflict(arguments.writing, arguments.output); !conflict.empty()) return conflict;
  if (!IsFileName(arguments.shared_name)) {
    return "--shared-name '" + EscapeControl(arguments.shared_name) + "' is no file name";
  }
  if (!arguments.shared_name.ends_with(".ptd")) {
    return "--shared-name '" + EscapeControl(arguments.shared_name) + "' does not end in .ptd";
  }
  return {};
}

}  // namespace pteedit::cli
