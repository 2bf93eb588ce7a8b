// pteprof: what the runtime measured while a program ran, as the exporter's Inspector shows it and beyond.
#include <unistd.h>

#include "arguments.h"
#include "cli.h"
#include "fleet.h"
#include "input_files.h"
#include "program_report.h"
#include "run.h"

namespace pteedit::cli {
namespace {

const ToolFacts kFacts = {
    .name = "pteprof",
    .purpose = "Show what the ExecuTorch runtime measured and logged (an ETDump), as the exporter's Inspector does.",
    .examples =
        "Without a view a terminal shows --by-type, and files and pipes get the table of the Inspector.\n"
        "\n"
        "Examples:\n"
        "  pteprof run.etdp                               where the time went\n"
        "  pteprof run.etdp model.pte w.ptd --by-type     time, share and stored bytes of each type of operator\n"
        "  pteprof run.etdp --etrecord model.etrecord --module-path layers.0   the time of a module\n"
        "  pteprof pixel.etdp galaxy.etdp --by-type       several devices as one table, also --csv and --json\n"
        "  pteprof new.etdp --baseline old.etdp --max-slowdown 5%              what changed, and a gate\n"
        "  pteprof run.etdp model.pte --html run.html     timeline and sizes as a page\n"
        "  pteprof run.etdp --trace run.json              a trace for Perfetto\n"
        "  pteprof model.etrecord --exported-program      the program in a record\n",
};

// What one wants to see first; scripts, which read the table, have no terminal.
void OpenByType(const Tool& tool, Request& request) {
  const bool wants_table = tool.given().count("--tsv") != 0 || tool.given().count("--no-units") != 0 ||
                           tool.given().count("--delegate-debug-data") != 0 || !request.debug_buffer.empty();
  if (isatty(STDOUT_FILENO) == 1 && request.shows_table() && request.views() == 0 && !request.table && !wants_table &&
      !request.json)
    request.by_type = true;
}

int Main(int argc, const char* const* argv) {
  Arguments arguments;
  Tool tool(kFacts);
  tool.Declare(OptionTable(arguments));
  return tool.Run(argc, argv, [&] {
    const bool lists_record = !arguments.request.graph.empty() && !arguments.request.record.empty();
    if (arguments.request.dump.empty() && !lists_record)
      return tool.PrintUsageError(InvalidArgument("DUMP is required"));
    OpenByType(tool, arguments.request);
    arguments.request.style.color = tool.Colors(STDOUT_FILENO);
    const Result<Request> request = RequestOf(tool.given(), arguments);
    if (!request) return tool.PrintError(request.error());
    std::vector<std::string> inputs;
    for (const std::string& file : FilesOf(*request)) inputs.push_back(PathOf(file));
    if (const Status checked = CheckStandardOutputs(inputs); !checked) return tool.PrintError(checked.error());
    if (!request->graph.empty()) return ListProgramsOf(tool, *request);
    if (!request->more_dumps.empty()) return PrintFleet(tool, *request);
    return request->html.empty() ? PrintProfile(tool, *request) : WriteProfilePage(tool, *request);
  });
}

}  // namespace
}  // namespace pteedit::cli

int main(int argc, char** argv) { return pteedit::cli::Main(argc, argv); }
