#include "arguments.h"

#include "text/names.h"

namespace pteedit::cli {
namespace {

bool HasRemoval(const StripArguments& arguments) {
  return arguments.debug || arguments.unreferenced || arguments.padding || arguments.dedupe || arguments.overlap ||
         arguments.repack || arguments.unwrap || arguments.all || !arguments.programs.empty();
}

}  // namespace

OptionGroup OptionTable(StripArguments& arguments) {
  std::vector<OptionRow> rows = {
      {.name = "IN",
       .purpose = "What to strip: .pte, .ptd, .bpte or .etrecord",
       .target = &arguments.input,
       .required = true},
      {.name = "-o,--output",
       .value = "FILE",
       .purpose = "Where the result goes; - for standard output",
       .target = &arguments.output,
       .required = true},
      {"--debug", "", "Remove stack traces: source paths, lines and functions", &arguments.debug},
      {"--keep-debug", "FILE", "Keep what --debug removes in this file, for pteprof --debug-file",
       &arguments.debug_file},
      {"--unreferenced", "", "Remove what nothing in the program refers to", &arguments.unreferenced},
      {"--padding", "", "Remove bytes between and behind what is stored", &arguments.padding},
      {"--dedupe", "", "Store equal contents once", &arguments.dedupe},
      {.name = "--overlap",
       .purpose = "With --dedupe: let keys lie inside constants with the same bytes",
       .target = &arguments.overlap,
       .needs = {{{"--dedupe", "--all"}, "--overlap is a way to --dedupe; give both"}}},
      {"--repack", "", "Write strings, lists and tables that are equal once", &arguments.repack},
      {"--for", "PTE", "Of a data file: remove keys that no program given so uses; once for each", &arguments.programs},
      {"--unwrap", "", "Take the program out of a .bpte", &arguments.unwrap},
      {"--all", "", "--debug --unreferenced --dedupe --padding", &arguments.all}};
  rows.push_back(NamesOption(arguments.writing.names));
  return WithWriting(std::move(rows), arguments.writing, {.threads = "comparing contents"});
}

std::string Conflict(const GivenOptions& given, StripArguments& arguments) {
  if (!arguments.debug_file.empty() && !OptionsFor(arguments).debug)
    return "--keep-debug keeps what --debug removes; give both";
  return WritingConflict(OptionTable(arguments), given, arguments.writing, arguments.output);
}

std::string RecordConflict(const StripArguments& arguments) {
  if (!arguments.debug_file.empty()) return "a record keeps its stack traces, so there are none for --keep-debug";
  if (HasRemoval(arguments)) return "a record only loses weights and example inputs; no option of removal is for it";
  if (!arguments.writing.names.empty()) return "a record names its contents itself; --names is for programs";
  const bool aligns = arguments.writing.Alignment() != WritingOptions().Alignment();
  return aligns ? "a record has no segments that --align could place" : std::string();
}

StripOptions OptionsFor(const StripArguments& arguments) {
  StripOptions options;
  if (HasRemoval(arguments)) {
    options.debug = arguments.debug || arguments.all;
    options.unreferenced = arguments.unreferenced || arguments.all;
    options.padding = arguments.padding || arguments.all;
    options.dedupe = arguments.dedupe || arguments.all;
    options.overlap = arguments.overlap;
    options.repack = arguments.repack;
    options.unwrap = arguments.unwrap;
  }
  options.keep_debug = !arguments.debug_file.empty();
  options.min_alignment = arguments.writing.Alignment();
  options.threads = arguments.writing.ThreadCount();
  return options;
}

}  // namespace pteedit::cli
