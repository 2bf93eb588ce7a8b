#include "arguments.h"

namespace pteedit::cli {
namespace {

bool HasRemoval(const StripArguments& arguments) {
  return arguments.debug || arguments.unreferenced || arguments.padding || arguments.dedupe || arguments.overlap ||
         arguments.unwrap || arguments.all;
}

}  // namespace

void Declare(CLI::App& app, StripArguments& arguments) {
  app.add_option("IN", arguments.input, "What to strip: .pte, .ptd, .bpte or .etrecord")->required()->type_name("");
  app.add_option("-o,--output", arguments.output, "Where the result goes; - for standard output")
      ->required()
      ->type_name("FILE");
  app.add_flag("--debug", arguments.debug, "Remove stack traces: source paths, lines and functions");
  app.add_flag("--unreferenced", arguments.unreferenced, "Remove what nothing in the program refers to");
  app.add_flag("--padding", arguments.padding, "Remove bytes between and behind what is stored");
  app.add_flag("--dedupe", arguments.dedupe, "Store equal contents once");
  app.add_flag("--overlap", arguments.overlap, "With --dedupe: let keys lie inside constants with the same bytes");
  app.add_flag("--unwrap", arguments.unwrap, "Take the program out of a .bpte");
  app.add_flag("--all", arguments.all, "--debug --unreferenced --dedupe --padding");
  DeclareWriting(app, arguments.writing, {.threads = "comparing contents"});
}

std::string Conflict(const StripArguments& arguments) {
  if (arguments.overlap && !arguments.dedupe && !arguments.all) return "--overlap is a way to --dedupe; give both";
  return WritingConflict(arguments.writing, arguments.output);
}

std::string RecordConflict(const StripArguments& arguments) {
  if (HasRemoval(arguments)) return "a record only loses weights and example inputs; no option of removal is for it";
  const bool aligns = arguments.writing.alignment != WritingOptions().alignment;
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
    options.unwrap = arguments.unwrap;
  }
  options.min_alignment = arguments.writing.alignment;
  options.threads = arguments.writing.ThreadCount();
  return options;
}

}  // namespace pteedit::cli
