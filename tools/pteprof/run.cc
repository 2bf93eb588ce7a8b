#include "run.h"

#include <iostream>
#include <optional>
#include <set>
#include <utility>

#include "debug_report.h"
#include "input_files.h"
#include "module_words.h"
#include "node_data.h"
#include "profile_report.h"
#include "profiled.h"
#include "pteedit/execution.h"
#include "pteedit/sizes.h"
#include "pteedit/text.h"
#include "pteedit/try.h"
#include "text/file_json.h"
#include "text/format.h"
#include "text/html.h"
#include "text/text_output.h"
#include "trace.h"

namespace pteedit::cli {
namespace {

void Warn(const Tool& tool, const Profiled& profiled, const Request& request) {
  for (const EventBlock& block : profiled.profile.blocks()) {
    if (block.methods.size() < 2) continue;
    tool.PrintWarning(request.dump, "block '" + EscapeControl(block.name) + "' may be a run of any of " +
                                        EscapedList(block.methods) + ", so it is not joined");
  }
  if (const std::string& why = profiled.profile.unread_references(); !why.empty())
    tool.PrintWarning(request.record, "expects outputs that are not compared: " + why);
  std::set<std::string> missing;
  for (const BlockCosts& block : profiled.costs) missing.insert(block.missing_keys.begin(), block.missing_keys.end());
  if (!missing.empty()) {
    tool.PrintWarning(request.program, "asks data files for " + std::to_string(missing.size()) + " keys, the first '" +
                                           EscapeControl(*missing.begin()) +
                                           "', whose bytes count once DATA names the files");
  }
  if (profiled.baseline && profiled.baseline->max_slowdown && profiled.baseline->uncompared() != 0) {
    tool.PrintWarning(request.dump, "blocks in one profile only, which --max-slowdown does not judge: " +
                                        std::to_string(profiled.baseline->uncompared()));
  }
  if (profiled.baseline && profiled.baseline->max_slowdown && profiled.baseline->unjudged() != 0) {
    tool.PrintWarning(request.dump, "blocks with too few runs for --max-slowdown, which takes 5 before and 5 after: " +
                                        std::to_string(profiled.baseline->unjudged()));
  }
  if (request.has_totals()) {
    for (const std::string& unknown : ModuleWords(profiled.profile.blocks()).UnknownKeys(request))
      tool.PrintWarning(request.dump, unknown);
  }
  if (!profiled.profile.values()) return;
  for (const std::string& warning : DifferenceWarnings(profiled.profile.blocks(), *profiled.profile.values()))
    tool.PrintWarning(request.dump, warning);
}

// What goes to files, all of it or nothing.
Status Write(const Profiled& profiled, const Request& request, std::vector<TextOutput> outputs) {
  if (!request.trace.empty()) {
    const Profile& profile = profiled.profile;
    const std::vector<MethodMemory> memory =
        profile.files().set ? DescribeMemory(profile.files().set->file()) : std::vector<MethodMemory>();
    outputs.insert(outputs.begin(),
                   {request.trace, TraceText(profile.blocks(), profile.scales(), request.dump, memory)});
  }
  std::vector<std::string> inputs;
  for (const std::string& file : FilesOf(request)) inputs.push_back(PathOf(file));
  return outputs.empty() ? Status() : WriteTexts(outputs, inputs, request.force);
}

Status Print(const Profiled& profiled, const Request& request) {
  if (request.node_data) return PrintNodeData(profiled.costs, profiled.profile.files().set->file(), std::cout);
  if (request.json) {
    JsonPrinter printer(std::cout);
    printer.BeginList();
    PTEEDIT_TRY(PrintProfileJson(profiled, request, printer));
    printer.EndList();
    printer.Finish();
    return {};
  }
  return PrintProfileText(profiled, request, std::cout);
}

// What a page shows: the program and its data files, each with its size tree, and beside the first the profile.
Result<std::vector<PageObject>> PageObjects(const Profiled& profiled, const Request& request) {
  std::vector<PageObject> list;
  const auto print_profile = [&](JsonPrinter& printer) {
    printer.Name("profile");
    return PrintProfileForPage(profiled, request, printer);
  };
  const std::optional<ProgramSet>& set = profiled.profile.files().set;
  const auto add = [&](const std::string& file, const Container& container) -> Status {
    PTEEDIT_ASSIGN(SizeNode sizes,
                   MeasureSizes({container, set->data()}, {.look_inside = true, .pieces = SizePieces::kNone}));
    const auto print_more = [&](JsonPrinter& printer) { return list.empty() ? print_profile(printer) : Status(); };
    PTEEDIT_ASSIGN(PageObject object, SizesForPage(file, KindName(container.kind()), std::move(sizes), print_more));
    list.push_back(std::move(object));
    return {};
  };
  if (set) {
    PTEEDIT_TRY(add(request.program, set->file()));
  }
  for (size_t i = 0; set && i < set->data().size(); ++i) {
    PTEEDIT_TRY(add(request.data[i], set->data()[i]));
  }
  if (!list.empty()) return list;
  PTEEDIT_ASSIGN(PageObject object, PrintForPage({request.dump}, [&](JsonPrinter& printer) {
                   printer.AddMembers(FileJson(request.dump, "etdump", profiled.profile.files().dump->size()));
                   return print_profile(printer);
                 }));
  list.push_back(std::move(object));
  return list;
}

}  // namespace

int PrintProfile(const Tool& tool, const Request& request) {
  const Result<Profiled> profiled = ReadProfile(request);
  if (!profiled) {
    if (request.json) std::cout << Printed(Json::array({RenderJsonError(request.dump, profiled.error())}));
    return tool.PrintError(profiled.error());
  }
  Warn(tool, *profiled, request);
  if (const Status written = Write(*profiled, request, {}); !written) return tool.PrintError(written.error());
  if (const Status printed = Print(*profiled, request); !printed) return tool.PrintError(printed.error());
  if (!profiled->baseline || profiled->baseline->too_slow().empty()) return kExitDone;
  if (request.style.format == Format::kCsv) tool.PrintWarning(request.dump, SlowestText(*profiled->baseline));
  return kExitFindings;
}

int WriteProfilePage(const Tool& tool, const Request& request) {
  Request all = request;
  all.by_type = all.by_operator = true;
  const Result<Profiled> profiled = ReadProfile(all);
  if (!profiled) return tool.PrintError(profiled.error());
  Warn(tool, *profiled, all);
  Result<std::vector<PageObject>> list = PageObjects(*profiled, all);
  if (!list) return tool.PrintError(list.error());
  std::vector<TextOutput> page;
  page.push_back({request.html, HtmlPage("pteprof", *std::move(list))});
  const Status written = Write(*profiled, all, std::move(page));
  return written ? static_cast<int>(kExitDone) : tool.PrintError(written.error());
}

}  // namespace pteedit::cli
