#include "arguments.h"

#include "input_files.h"
#include "text/names.h"

namespace pteedit::cli {
namespace {

// Facts that rules speak of beside options.
constexpr const char* kSplitting = "no --join";
constexpr const char* kDataToOutput = "-d -";

}  // namespace

OptionGroup OptionTable(SplitArguments& arguments) {
  std::vector<OptionRow> rows = {
      {.name = "IN", .purpose = "The program, .pte or .bpte", .target = &arguments.input, .required = true},
      {.name = "-o,--output",
       .value = "FILE",
       .purpose = "Where the program goes; - for standard output",
       .target = &arguments.output,
       .required = true},
      {"-d,--data-output", "FILE", "Where the moved data goes, a .ptd", &arguments.data_output},
      {.name = kSplitting, .needs = {{{"--data-output", "--against"}, "-d FILE is required"}}},
      {.name = kDataToOutput,
       .excludes = {{{"--data-output"}, "-d - is not possible: a program must not arrive before its data"}}},
      {.name = "--join",
       .purpose = "Put the data of --data back into the program",
       .target = &arguments.join,
       .needs = {{{"--data"}, "--join needs at least one --data FILE"}},
       .excludes = {{{"--data-output"}, "--join takes no -d"},
                    {{"--kind", "--name", "--min-size", "--method", "--backend", "--match", "--not-match", "--against",
                      "--max-size", "--bind", "--no-bind"},
                     "--join takes no {}: it joins everything"}}},
      {"--against", "BASE", "What devices have already, .ptd: refer to it; without -d all else stays; once for each",
       &arguments.bases},
      {"--data", "FILE.ptd", "A data file that the program has already, or to join; once for each", &arguments.data},
      {.name = "--kind",
       .value = "KIND,...",
       .purpose = "What to move (default: constant,named-data)",
       .target = Words{&arguments.kinds},
       .choices = {"constant", "named-data", "mutable"}},
      {"--name", "REGEX", "Move what has this in its name or key", &arguments.names},
      {"--min-size", "SIZE", "Move only what has at least so many bytes", &arguments.min_bytes},
      {.name = "--max-size",
       .value = "SIZE",
       .purpose = "Cut FILE.ptd into files of at most so many bytes, with FILE.index.json",
       .target = &arguments.max_bytes,
       .needs = {{{"--data-output"}, "--max-size needs -d FILE, which it cuts"}}},
      {"--method", "METHOD", "Move what this method uses", &arguments.methods},
      {"--backend", "BACKEND", "Move the keys that this backend's delegates use", &arguments.backends},
      {"--match", "FILE", "Move what FILE (.pte, .ptd, .bpte, .safetensors) holds too", &arguments.match},
      {"--not-match", "FILE", "Move what FILE does not hold", &arguments.not_match}};
  for (OptionRow& row : BindRows(arguments.binding)) rows.push_back(std::move(row));
  rows.push_back(NamesOption(arguments.writing.names));
  return WithWriting(std::move(rows), arguments.writing, {.threads = "hashing"});
}

std::string Conflict(GivenOptions given, SplitArguments& arguments) {
  arguments.data = WithDataInside(arguments.input, arguments.data);
  if (!arguments.join) given.insert(kSplitting);
  if (!arguments.data.empty()) given.insert("--data");  // in an archive
  if (arguments.data_output == "-") given.insert(kDataToOutput);
  return WritingConflict(OptionTable(arguments), std::move(given), arguments.writing, arguments.output);
}

}  // namespace pteedit::cli
