#include "arguments.h"

#include <algorithm>
#include <utility>

#include "input_files.h"
#include "pteedit/profile/profile_kind.h"
#include "pteedit/profile/program_listing.h"
#include "pteedit/try.h"
#include "text/names.h"
#include "text/width.h"

namespace pteedit::cli {
namespace {

// Facts that rules speak of beside options.
constexpr const char* kTable = "the table";
constexpr const char* kSeveralViews = "several views";
constexpr const char* kSeveralDumps = "several dumps";
constexpr const char* kCycles = "cycles";
constexpr const char* kTraceToOutput = "--trace -";
constexpr const char* kPageToOutput = "--html -";

const std::vector<std::string> kScales = {"ns", "us", "ms", "s", "cycles"};
const std::vector<std::string> kViews = {"--module",   "--module-path", "--by-type",   "--by-operator", "--by-module",
                                         "--baseline", "--gap",         "--dataframe", "--table"};
const OtherOptions kOfTheTable = {{kTable}, "--tsv, --no-units and --delegate-debug-data are of the table alone"};
const std::vector<std::string> kCosts = {"--by-type", "--by-operator", "--by-module"};
const OtherOptions kPlainTables = {{"--by-type", "--by-operator", "--by-module", "--baseline", kSeveralDumps},
                                   "--csv and --markdown need --by-type, --by-operator, --by-module or --baseline"};
constexpr const char* kOneForm = "--json, --csv and --markdown exclude each other";

// `names`, then `more`.
std::vector<std::string> With(std::vector<std::string> names, const std::vector<std::string>& more) {
  names.insert(names.end(), more.begin(), more.end());
  return names;
}

OptionRow NamesRow(Request& request) {
  OptionRow row = NamesOption(request.names);
  row.needs = {{{"--html"}, "--names is for the size trees of --html"}};
  return row;
}

OptionGroup InputOptions(Request& request) {
  const OtherOptions no_times = {{"--exported-program"}, "--exported-program shows no times"};
  return {
      "Beside the dump",
      {{"--etrecord", "RECORD", "The exporter's record of the program: operators of the model", &request.record},
       NamesRow(request),
       {"--debug-buffer", "BUFFER", "The debug buffer of DUMP: show what was logged, with statistics",
        &request.debug_buffer},
       {"--debug-file", "PTE", "What ptestrip --keep-debug kept of PROGRAM: its stack traces", &request.debug_file},
       {.name = "--method",
        .value = "NAME",
        .purpose = "Only runs of this method; needs PROGRAM or --etrecord",
        .target = &request.method},
       {.name = "--runs", .value = "N-M", .purpose = "Only these runs of each method, from 1", .target = &request.runs},
       {.name = "--skip",
        .value = "N",
        .purpose = "Without the first N runs of each method, of OLD too",
        .target = Number{&request.skip, 0, Number::kMany},
        .excludes = {{{"--runs"}}}},
       {.name = "--source-time-scale",
        .value = "SCALE",
        .purpose = "What DUMP counts in (default: ns)",
        .target = &request.source_scale,
        .choices = kScales,
        .excludes = {no_times}},
       {.name = "--target-time-scale",
        .value = "SCALE",
        .purpose = "What times are shown in (default: ms)",
        .target = &request.target_scale,
        .choices = kScales,
        .excludes = {no_times}}}};
}

// NOLINTNEXTLINE(readability-function-size): a table
OptionGroup ViewOptions(Request& request) {
  const OtherOptions record = {{"--etrecord"}, "--module and --module-path need --etrecord"};
  return {
      "Views",
      {{.name = "--module",
        .value = "NAME",
        .purpose = "Time of all operators in modules whose key has NAME in it; may be repeated",
        .target = &request.modules,
        .needs = {record}},
       {.name = "--module-path",
        .value = "PATH",
        .purpose = "Time of all operators in the module at PATH; may be repeated",
        .target = &request.module_paths,
        .needs = {record}},
       {"--by-type", "", "Time, calls and, with PROGRAM, stored bytes of each type of operator", &request.by_type},
       {"--by-operator", "", "The same of each operator", &request.by_operator},
       {.name = "--by-module",
        .purpose = "The same of each module of the model",
        .target = &request.by_module,
        .needs = {{{"--etrecord"}}}},
       {.name = "--roofline",
        .value = "PEAK",
        .purpose =
            "With PROGRAM: MACs and bytes a second, and what bounds them; PEAK is what the device can, GMAC/s,GB/s",
        .target = &request.roofline,
        .needs = {{{"--by-operator"}}},
        .excludes = {{{kCycles}, "--roofline needs times, no cycles"}}},
       {.name = "--folded",
        .purpose = "The same as folded stacks, one line each, for flame graphs",
        .target = &request.folded,
        .excludes = {{With(kViews, {"--json", "--csv", "--markdown", "--trace -", "--html"}),
                      "--folded prints nothing else"}}},
       {.name = "--node-data",
        .purpose = "With PROGRAM: times as Model Explorer's node data, for pteinspect --graph --model-explorer",
        .target = &request.node_data,
        .excludes = {{With(kViews,
                           {"--folded", "--exported-program", "--json", "--csv", "--markdown", "--trace -", "--html"}),
                      "--node-data prints nothing else"}}},
       {.name = "--top",
        .value = "N",
        .purpose = "Of these the N rows that took most time",
        .target = Number{&request.top, 1, Number::kMany},
        .needs = {{With(kCosts, {kSeveralDumps}), "--top needs --by-type, --by-operator or --by-module"}}},
       {"--baseline", "OLD", "What became slower or faster than in an earlier dump, by the median", &request.baseline},
       {.name = "--max-slowdown",
        .value = "N%",
        .purpose = "With --baseline: exit with 1 where a run of a method is slower by more than N%",
        .target = &request.max_slowdown,
        .needs = {{{"--baseline"}}}},
       {.name = "--gap",
        .value = "OTHER,BUFFER[,RECORD]",
        .purpose = "How far logged values are from those of the dump OTHER, with its debug buffer and record",
        .target = &request.gap,
        .needs = {{{"--debug-buffer"}}}},
       {.name = "--exported-program",
        .value = "GRAPH",
        .purpose = "List the program in a record, RECORD or in place of DUMP: GRAPH is "
                   "edge_dialect_exported_program (the default), exported_program, or another that it keeps",
        .target = &request.graph,
        .otherwise = kEdgeDialectProgram,
        .excludes = {
            {With(kViews, {"--debug-buffer", "--trace", "--html"}), "--exported-program shows nothing else"}}}}};
}

OptionGroup TableOptions(Request& request) {
  return {"The table, which is shown without a view; on a terminal that is --by-type",
          {{"--table", "", "The table of the Inspector", &request.table},
           {"--dataframe", "", "All rows and columns of the Inspector's data frame", &request.dataframe},
           {.name = "--tsv",
            .purpose = "Separated by tabs",
            .target = &request.tsv,
            .needs = {kOfTheTable},
            .excludes = {{{"--json"}}}},
           {.name = "--no-units",
            .purpose = "No units in the names of columns",
            .target = &request.no_units,
            .needs = {kOfTheTable}},
           {.name = "--delegate-debug-data",
            .purpose = "A column with the metadata of delegates",
            .target = &request.delegate_data,
            .needs = {kOfTheTable}}}};
}

OptionGroup OutputOptions(Arguments& arguments) {
  Request& request = arguments.request;
  return {"Outputs",
          {{.name = "--html",
            .value = "OUT",
            .purpose = "Write a page: timeline, modules, costs and, with PROGRAM, sizes; - for standard output",
            .target = &request.html,
            .excludes = {{kViews, "--html chooses the views itself"},
                         {{"--json", "--csv", "--markdown"}, "--html excludes --json, --csv and --markdown"}}},
           {"--trace", "OUT", "Write a trace for Perfetto or chrome://tracing, - for standard output", &request.trace},
           {.name = kTraceToOutput,
            .excludes = {{With(kViews, {"--json", kPageToOutput}),
                          "--trace - and another view both want standard output"}}},
           {"-f,--force", "", "Replace files that exist: those of --html and --trace", &request.force},
           {.name = "--json",
            .purpose = "Print JSON",
            .target = &request.json,
            .excludes = {{{"--csv", "--markdown"}, kOneForm}}},
           {.name = "--csv",
            .purpose = "Print comma-separated values: one view",
            .target = &arguments.csv,
            .needs = {kPlainTables},
            .excludes = {{{"--markdown"}, kOneForm}, {{kSeveralViews}, "--csv prints one view"}}},
           {.name = "--markdown",
            .purpose = "Print Markdown, for pull requests",
            .target = &arguments.markdown,
            .needs = {kPlainTables}},
           {"--bytes", "", "Print exact bytes instead of units", &request.style.exact_bytes}}};
}

GivenOptions WithFacts(GivenOptions given, const Request& request) {
  if (!request.more_dumps.empty()) given.insert(kSeveralDumps);
  if (request.shows_table() && request.more_dumps.empty()) given.insert(kTable);
  if (request.views() > 1) given.insert(kSeveralViews);
  if (request.source_scale == kCycles || request.target_scale == kCycles) given.insert(kCycles);
  if (request.trace == kStandardInput) given.insert(kTraceToOutput);
  if (request.html == kStandardInput) given.insert(kPageToOutput);
  return given;
}

// Of a file that cannot be read too, which is said later.
bool IsDump(const std::string& file) {
  if (file.empty() || file == kStandardInput) return false;
  const Result<std::shared_ptr<const Source>> source = OpenSource(file);
  if (!source) return false;
  const Result<std::optional<ProfileKind>> kind = FindProfileKind(*source);
  return kind && *kind == ProfileKind::kEtdump;
}

// Dumps come first, told by their content.
void PlaceDumps(Request& request) {
  while (IsDump(request.program)) {
    request.more_dumps.push_back(std::exchange(request.program, {}));
    if (request.data.empty()) return;
    request.program = std::move(request.data.front());
    request.data.erase(request.data.begin());
  }
}

// The program in a record can be listed without a dump: what stands in its place is then the record or, beside
// --etrecord, the program, told apart by content.
Status PlaceFiles(Request& request) {
  if (request.graph.empty() || request.dump.empty()) return {};
  if (request.record.empty()) {
    if (!request.program.empty())
      return InvalidArgument("--exported-program takes one record: in place of DUMP, or that of --etrecord");
    request.record = std::exchange(request.dump, {});
    return {};
  }
  PTEEDIT_ASSIGN(const std::shared_ptr<const Source> source, OpenSource(request.dump));
  PTEEDIT_ASSIGN(const std::optional<ProfileKind> kind, FindProfileKind(source));
  if (kind == ProfileKind::kEtdump || !request.program.empty()) return {};
  request.program = std::exchange(request.dump, {});
  return {};
}

}  // namespace

std::vector<OptionGroup> OptionTable(Arguments& arguments) {
  Request& request = arguments.request;
  return {{"",
           {{"DUMP", "", "What the runtime measured, an ETDump; - for standard input. Several are one table",
             &request.dump},
            {.name = kSeveralDumps,
             .excludes = {{{"--table", "--dataframe", "--tsv", "--by-module", "--folded", "--module", "--module-path",
                            "--baseline", "--gap", "--debug-buffer", "--exported-program", "--html", "--trace",
                            "--names", "--roofline", "--node-data"},
                           "{} is of one DUMP"},
                          {{kSeveralViews}, "several dumps are one table: --by-type or --by-operator"}}},
            {"PROGRAM", "", "The program that ran: methods, backends, stored bytes", &request.program},
            {"DATA", "", "The data files of PROGRAM", &request.data}}},
          InputOptions(request),
          ViewOptions(request),
          TableOptions(request),
          OutputOptions(arguments)};
}

Result<Request> RequestOf(GivenOptions given, Arguments arguments) {
  Request& request = arguments.request;
  PlaceDumps(request);
  const std::string conflict = FindConflict(OptionTable(arguments), WithFacts(std::move(given), request));
  if (!conflict.empty()) return InvalidArgument(conflict);
  const std::vector<std::string> files = FilesOf(request);
  if (std::count(files.begin(), files.end(), kStandardInput) > 1)
    return InvalidArgument("- is standard input, which can be read only once");
  if (arguments.csv) request.style = {Format::kCsv, /*exact_bytes=*/true, false};
  if (arguments.markdown) request.style.format = Format::kMarkdown;
  request.style.width = TerminalWidth();
  PTEEDIT_TRY(PlaceFiles(request));
  if (!request.debug_file.empty() && request.program.empty()) return InvalidArgument("--debug-file needs PROGRAM");
  if (request.node_data && request.program.empty()) return InvalidArgument("--node-data needs PROGRAM");
  if (!request.roofline.empty() && request.program.empty()) return InvalidArgument("--roofline needs PROGRAM");
  if (!request.roofline.empty()) {
    PTEEDIT_ASSIGN(request.peak, ParsePeak(request.roofline));
  }
  if (!request.program.empty()) request.data = WithDataInside(request.program, request.data);
  return request;
}

}  // namespace pteedit::cli
