#include "arguments.h"

#include "pteedit/text.h"
#include "text/names.h"

namespace pteedit::cli {
namespace {

bool IsFileName(const std::string& name) {
  return !name.empty() && name != "." && name != ".." && name.find('/') == std::string::npos;
}

}  // namespace

OptionGroup OptionTable(MergeArguments& arguments) {
  std::vector<OptionRow> rows = {
      {.name = "SET",
       .purpose =
           "A program and its data files: [NAME=]A.pte[,A.ptd...]; \\, is a comma in a name; or a package, A.ptn",
       .target = &arguments.sets,
       .required = true},
      {.name = "-o,--output",
       .value = "DIR",
       .purpose = "The folder that gets the programs and the shared data",
       .target = &arguments.output,
       .required = true},
      {"--shared-name", "NAME", "How the shared data file is called (default: shared.ptd)", &arguments.shared_name},
      {.name = "--variant-data",
       .value = "WHERE",
       .purpose = "Where a program's own data goes: inside (pte, the default) or into a file beside it (ptd)",
       .target = &arguments.variant_data,
       .choices = {"pte", "ptd"}},
      {"--against", "BASE", "What devices have already, .ptd: refer to it, copy none of it; once for each",
       &arguments.bases},
      {"--previous", "DIR", "The release before, a folder that ptemerge wrote: keep what it shares, and at its places",
       &arguments.previous},
      {"--match", "FILE", "Share what FILE (.pte, .ptd, .bpte, .safetensors) holds, and nothing else",
       &arguments.match},
      {"--min-size", "SIZE", "Take out contents of at least so many bytes (default: what it pays to share)",
       &arguments.min_bytes},
      {"--max-size", "SIZE", "Cut the shared data into files of at most so many bytes, with an index",
       &arguments.max_bytes}};
  for (OptionRow& row : BindRows(arguments.binding)) rows.push_back(std::move(row));
  rows.push_back(NamesOption(arguments.writing.names));
  return WithWriting(std::move(rows), arguments.writing,
                     {.threads = "comparing", .force = "Replace DIR where it exists: what is in it goes"});
}

std::string Conflict(const GivenOptions& given, MergeArguments& arguments) {
  if (arguments.output == "-") return "-o - is not possible: a merge gives several files";
  const std::string conflict = WritingConflict(OptionTable(arguments), given, arguments.writing, arguments.output);
  if (!conflict.empty()) return conflict;
  if (!IsFileName(arguments.shared_name)) {
    return "--shared-name '" + EscapeControl(arguments.shared_name) + "' is no file name";
  }
  if (!arguments.shared_name.ends_with(".ptd")) {
    return "--shared-name '" + EscapeControl(arguments.shared_name) + "' does not end in .ptd";
  }
  return {};
}

}  // namespace pteedit::cli
