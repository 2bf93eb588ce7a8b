#include "arguments.h"

#include <utility>

#include "find_inputs.h"
#include "pteedit/profile/compressed_sizes.h"
#include "pteedit/text.h"
#include "pteedit/try.h"
#include "targets.h"
#include "text/names.h"
#include "text/width.h"
#include "threads.h"
#include "views/page.h"
#include "views/view.h"

namespace pteedit::cli {
namespace {

// Facts that rules speak of beside options.
constexpr const char* kOneFile = "one FILE";
constexpr const char* kSeveralFiles = "several FILEs";
constexpr const char* kDataFiles = "FILEs and data files";
constexpr const char* kView = "a view";
constexpr const char* kSeveralViews = "several views";
constexpr const char* kViewAndGate = "a view and a gate";
constexpr const char* kOneForm = "--json, --sarif, --csv, --markdown and --yaml exclude each other";

// Of --graph, for other viewers.
OptionRow GraphForm(OptionRow row) {
  const std::string alone = row.name + " prints the graphs of one FILE and nothing else";
  OtherOptions others{{kViewAndGate, kDataFiles, "--json", "--sarif", "--csv", "--markdown", "--html", "--extract"},
                      alone};
  for (const char* form : {"--dot", "--model-explorer", "--node-data"}) {
    if (row.name != form) others.names.emplace_back(form);
  }
  row.needs = {{{"--graph"}}};
  row.excludes = {others};
  return row;
}

std::vector<std::string> AxisNames() {
  std::vector<std::string> names;
  for (const SizeAxis axis : AllSizeAxes()) names.emplace_back(NameOf(axis));
  return names;
}

OptionGroup ViewOptions(Arguments& arguments) {
  Request& request = arguments.request;
  OptionGroup group{"Views",
                    {{"-l", "", "List the top-level components and their sizes", &request.list},
                     {"-e", "NAME", "Show what is inside component NAME; may be repeated", &request.components}}};
  for (const View* view : AllViews()) group.rows.push_back({view->option, "", view->help, Flag{}});
  const std::vector<OptionRow> more = {
      {.name = "--yaml",
       .purpose = "With --requirements: as the operator listing that selective builds take",
       .target = &request.yaml,
       .needs = {{{"--requirements"}}},
       .excludes = {{{kViewAndGate, kDataFiles}, "--yaml prints the operators of one FILE and nothing else"}}},
      {.name = "--etrecord",
       .value = "RECORD",
       .purpose = "The exporter's record of FILE, for --delegation and --graph",
       .target = &request.views.etrecord,
       .needs = {{{kOneFile}, "--etrecord belongs to one FILE"}, {{"--delegation", "--graph"}}}},
      GraphForm({.name = "--dot", .purpose = "With --graph: as DOT, for Graphviz", .target = &request.dot}),
      GraphForm({.name = "--model-explorer",
                 .purpose = "With --graph: as JSON for Model Explorer",
                 .target = &request.model_explorer}),
      GraphForm({.name = "--node-data",
                 .value = "FIGURE",
                 .purpose = "With --graph: macs or moved_bytes of each node, as Model Explorer's node data",
                 .target = &request.node_data,
                 .choices = {"macs", "moved_bytes"}}),
      {.name = "--hash",
       .value = "KIND",
       .purpose = "Show hashes of file, constants, keys, blobs, segments (default: xxh3)",
       .target = &arguments.hash,
       .choices = {"xxh3", "sha256"},
       .otherwise = "xxh3"},
      {.name = "--by",
       .value = "AXIS[,AXIS]",
       .purpose = "Group sizes by one axis, or by two",
       .target = Words{&arguments.by},
       .choices = AxisNames()},
      {"--at", "OFFSET", "Show what the byte at OFFSET belongs to, down to the field of a table",
       Number{&request.views.at}},
      {.name = "--compressed",
       .value = "LEVEL",
       .purpose = "Show in a column what zstd makes of each component; LEVEL is 1 to 19, by default 3",
       .target = Number{&arguments.zstd_level, kMinZstdLevel, kMaxZstdLevel},
       .otherwise = "3"},
      {"--assembly", "", "Print one FILE, also a damaged one, as text to edit and assemble", &arguments.assembly}};
  group.rows.insert(group.rows.end(), more.begin(), more.end());
  return group;
}

// NOLINTNEXTLINE(readability-function-size): a table
OptionGroup ComparisonOptions(Arguments& arguments) {
  Request& request = arguments.request;
  const auto one_file = [](const char* sentence) { return OtherOptions{{kOneFile}, sentence}; };
  return {
      "Comparisons and checks",
      {{"--data", "FILE.ptd", "A data file that belongs to each FILE; once for each", &request.data},
       NamesOption(request.names),
       {"--verify", "", "Find everything that a runtime refuses, crashes on or answers wrongly", &request.verify},
       {.name = "--strict",
        .purpose = "With --verify: exit with 1 also where there are only warnings",
        .target = &request.strict,
        .needs = {{{"--verify"}}}},
       {.name = "--no-hashes",
        .purpose = "With --verify: read no weights to compare them with the hashes that are their keys",
        .target = &request.no_hashes,
        .needs = {{{"--verify"}}}},
       {.name = "--runtime",
        .value = "X.Y",
        .purpose = "With --verify: also say what this release does where that changed, and what it lacks",
        .target = &arguments.runtime,
        .needs = {{{"--verify"}}}},
       {.name = "--adapter",
        .value = "FILE.ptd",
        .purpose = "With --verify: an adapter that goes in as inputs, to hold against those; once for each",
        .target = &request.adapters,
        .needs = {{{"--verify"}}, one_file("--adapter belongs to one FILE")}},
       {.name = "--same",
        .value = "OTHER[,OTHER.ptd...]",
        .purpose = "Tell whether FILE and OTHER are the same up to layout; exit code 1 if not",
        .target = &arguments.same_as,
        .needs = {one_file("--same compares one FILE with OTHER")}},
       {.name = "--diff",
        .value = "OLD[,OLD.ptd...]",
        .purpose = "Show what changed from OLD to FILE, by bytes; exit code 1 if anything did",
        .target = &arguments.diff,
        .needs = {one_file("--diff compares OLD with one FILE")}},
       {.name = "--max-growth",
        .value = "LIMIT",
        .purpose = "With --diff: exit with 1 only where FILE is larger by more: SIZE or N%",
        .target = &arguments.max_growth,
        .needs = {{{"--diff"}}}},
       {.name = "--top",
        .value = "N",
        .purpose = "With --diff: show the N largest rows of each table, not 10",
        .target = Number{&arguments.top, 1, Number::kMany},
        .needs = {{{"--diff"}}},
        .excludes = {{{"--all"}, "--top and --all exclude each other"}}},
       {.name = "--all",
        .purpose = "With --diff: show all rows, those that are as large as before too, and whole hashes",
        .target = &request.diff_detail.all,
        .needs = {{{"--diff"}}}},
       {"--duplicates", "", "Show equal contents inside and across the files, and what they cost", &request.duplicates},
       {.name = "--check",
        .value = "LIST",
        .purpose = "Compare with a list that --hash printed; exit code 1 if not the same",
        .target = &request.check,
        .needs = {one_file("--check compares one FILE with a list")}},
       {"--max-size", "SIZE", "Exit with 1 where FILE, with its data files, is larger", &request.max_bytes},
       {"--target", "OFFER",
        "Exit with 1 where OFFER lacks what FILE needs: executorch-X.Y[-android], files of a build, soc=...,ram=...; "
        "once for each",
        &arguments.targets},
       {"--emit-target", "OFFER", "Print what is known of OFFER as JSON, which --target takes; without FILE",
        &arguments.emitted_target}}};
}

OptionGroup BlobOptions(Request& request) {
  return {"What you know of processed blobs",
          {{"--metadata-json", "FILE", "Show blobs that FILE knows as it says; once for each", &request.metadata_files},
           {.name = "--emit-metadata-json",
            .value = "FILE",
            .purpose = "Write what is known about blobs, - for standard output",
            .target = &request.emit_metadata,
            .excludes = {{{kView, "--json", "--html", "--verify", "--extract"},
                          "--emit-metadata-json shows nothing else"}}},
           {"--decoder", "BACKEND=COMMAND", "Show blobs of BACKEND as COMMAND says; once for each BACKEND",
            &request.decoder_commands}}};
}

OptionGroup OutputOptions(Arguments& arguments) {
  Request& request = arguments.request;
  const char* both = "--extract and -o need each other";
  return {"Outputs",
          {{.name = "--extract",
            .value = "NAME",
            .purpose = "Write the bytes of component NAME, or of 'segment N', to OUT of -o",
            .target = &request.extract,
            .needs = {{{"-o"}, both}, {{kOneFile}, "--extract takes one FILE"}},
            .excludes = {{{kView, "--json", "--html", "--compressed"}, "--extract prints no views"},
                         {{"--data"}, "--extract takes one FILE"}}},
           {.name = "-o",
            .value = "OUT",
            .purpose = "The file that --extract writes, - for standard output",
            .target = &request.output,
            .needs = {{{"--extract"}, both}}},
           {.name = "--html",
            .value = "OUT",
            .purpose = "Write a page with the views, without any all of them, to a file of its own",
            .target = &request.html,
            .excludes = {{{"--csv", "--markdown", "--yaml"}, "--html excludes --csv, --markdown and --yaml"}}},
           {"-f,--force", "", "Replace files that exist: those of -o, --html, --emit-metadata-json", &request.force},
           {.name = "--json",
            .purpose = "Print JSON: the whole size tree of each file, and the views asked for",
            .target = &request.json,
            .excludes = {{{"--sarif", "--csv", "--markdown", "--yaml"}, kOneForm}}},
           {.name = "--sarif",
            .purpose = "With --verify: print the findings as SARIF, for CI",
            .target = &request.sarif,
            .needs = {{{"--verify"}}},
            .excludes = {{{"--csv", "--markdown", "--yaml"}, kOneForm},
                         {{kViewAndGate, "--html", "--extract"}, "--sarif prints only findings"}}},
           {.name = "--csv",
            .purpose = "Print comma-separated values: one view of one file",
            .target = &arguments.csv,
            .excludes = {{{"--markdown", "--yaml"}, kOneForm},
                         {{kSeveralViews, kSeveralFiles}, "--csv prints one view of one FILE"}}},
           {.name = "--markdown",
            .purpose = "Print Markdown, for pull requests",
            .target = &arguments.markdown,
            .excludes = {{{"--yaml"}, kOneForm}}},
           ThreadsRow("hashing and comparing", arguments.threads),
           {"--progress", "WHEN", "Show progress on stderr", &arguments.progress},
           {"--bytes", "", "Print exact bytes instead of units", &request.style.exact_bytes}}};
}

GivenOptions WithFacts(GivenOptions given, const Arguments& arguments) {
  const Request& request = arguments.request;
  const size_t files = arguments.inputs.size();
  if (files == 1) given.insert(kOneFile);
  if (files > 1) given.insert(kSeveralFiles);
  if (files + request.data.size() > 1) given.insert(kDataFiles);
  if (request.count() != 0) given.insert(kView);
  if (request.count() + request.verify > 1) given.insert(kSeveralViews);
  if (request.count() + request.verify + request.gates() > 1) given.insert(kViewAndGate);
  return given;
}

void SelectWholePage(Request& request) {
  request.views = ViewsOfWholePage();
  request.duplicates = true;
  request.has_findings = true;
}

Result<std::vector<SizeAxis>> ParseAxes(const std::vector<std::string>& names) {
  if (names.size() > 2 || (names.size() == 2 && names[0] == names[1]))
    return InvalidArgument("--by takes one axis, or two that differ");
  std::vector<SizeAxis> axes;
  for (const std::string& name : names) {
    for (const SizeAxis axis : AllSizeAxes()) {
      if (name == NameOf(axis)) axes.push_back(axis);
    }
  }
  return axes;
}

Status CheckTogether(const GivenOptions& given, Arguments& arguments) {
  const std::string conflict = FindConflict(OptionTable(arguments), WithFacts(given, arguments));
  if (!conflict.empty()) return InvalidArgument(conflict);
  std::vector<std::string> inputs = arguments.files;
  inputs.push_back(arguments.request.views.etrecord);
  if (arguments.request.inputs(std::move(inputs)) > 1)
    return InvalidArgument("- is standard input, which can be read only once");
  return {};
}

}  // namespace

std::vector<OptionGroup> OptionTable(Arguments& arguments) {
  return {{"", {{"FILE", "", "Files and folders of them to look at, - for standard input", &arguments.files}}},
          ViewOptions(arguments),
          ComparisonOptions(arguments),
          BlobOptions(arguments.request),
          OutputOptions(arguments)};
}

Status SelectViews(const GivenOptions& given, Arguments& arguments) {
  Request& request = arguments.request;
  PTEEDIT_ASSIGN(arguments.inputs, FindInputs(arguments.files, request));
  PTEEDIT_ASSIGN(request.same_as, FindOtherFiles("--same", arguments.same_as));
  PTEEDIT_ASSIGN(request.diff, FindOtherFiles("--diff", arguments.diff));
  for (const View* view : AllViews()) {
    if (given.count(view->option) != 0) request.views.selected.push_back(view);
  }
  if (!arguments.hash.empty()) {
    request.views.hash = arguments.hash == "sha256" ? HashKind::kSha256 : HashKind::kXxh3;
    request.views.selected.push_back(&kHashView);
  }
  if (given.count("--by") != 0) {
    PTEEDIT_ASSIGN(request.views.axes, ParseAxes(arguments.by));
    request.views.selected.push_back(&kByView);
  }
  if (request.views.at) request.views.selected.push_back(&kAtView);
  if (arguments.zstd_level) request.views.zstd_level = static_cast<int>(*arguments.zstd_level);
  if (arguments.csv) request.style = {Format::kCsv, /*exact_bytes=*/true, false};
  if (arguments.markdown) request.style.format = Format::kMarkdown;
  request.style.compressed = request.views.zstd_level.has_value();
  request.style.width = TerminalWidth();
  if (!arguments.max_growth.empty()) {
    PTEEDIT_ASSIGN(request.max_growth, ParseGrowth(arguments.max_growth));
  }
  PTEEDIT_ASSIGN(request.targets, FindTargets("--target", arguments.targets));
  if (!arguments.runtime.empty()) {
    PTEEDIT_ASSIGN(const std::vector<Target> one, FindTargets("--runtime", {kReleaseTarget + arguments.runtime}));
    request.runtime = one.front();
  }
  request.diff_detail.top = arguments.top.value_or(DiffDetail::kTop);
  const bool writes = !request.extract.empty() || !request.emit_metadata.empty();
  const bool shows_else = request.count() + request.gates() != 0 || request.verify || writes;
  const bool has_column = request.views.zstd_level && !request.as_json() && request.components.empty();
  request.summary = !request.list && (!shows_else || has_column);
  if (!shows_else && !request.html.empty()) SelectWholePage(request);
  if (arguments.threads) request.views.threads = static_cast<unsigned>(*arguments.threads);
  return CheckTogether(given, arguments);
}

}  // namespace pteedit::cli
