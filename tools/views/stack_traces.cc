// The view --stack-traces: the lines of Python that instructions came from.
#include "json.h"
#include "pteedit/execution.h"
#include "text/format.h"
#include "text/table.h"
#include "views/view.h"

namespace pteedit::cli {
namespace {

// A row a frame; where it belongs to stands in the first of each instruction.
std::string StackTracesText(const Inspection& inspection, const Style& style) {
  if (inspection.stack_traces.empty() && style.format == Format::kText) return "no stack traces\n";
  Table table({{"Method"}, {"Chain", Align::kRight}, {"Index", Align::kRight}, {"Source"}, {"Function"}, {"Line"}});
  const bool repeats = style.format == Format::kCsv;
  for (const StackTrace& trace : inspection.stack_traces) {
    std::vector<std::string> place{EscapeControl(trace.method), std::to_string(trace.chain),
                                   std::to_string(trace.index)};
    for (const StackTrace::Frame& frame : trace.frames) {
      table.AddRow({place[0], place[1], place[2], EscapeControl(frame.file) + ":" + std::to_string(frame.line),
                    EscapeControl(frame.function), EscapeControl(frame.code)});
      if (!repeats) place.assign(3, "");
    }
  }
  return table.In(style);
}

void PrintStackTraces(const Inspection& inspection, JsonPrinter& printer) {
  const auto to_json = [](const StackTrace& trace) {
    Json object;
    object["method"] = trace.method;
    object["chain"] = trace.chain;
    object["index"] = trace.index;
    object["frames"] = ListOf(trace.frames, [](const StackTrace::Frame& frame) {
      return Json({{"file", frame.file}, {"line", frame.line}, {"function", frame.function}, {"code", frame.code}});
    });
    return object;
  };
  printer.AddList(inspection.stack_traces, to_json);
}

}  // namespace

extern const View kStackTracesView;
const View kStackTracesView = {"--stack-traces",  "Show the lines of Python that instructions came from",
                               "Stack Traces",    "stack_traces",
                               kNeedsStackTraces, StackTracesText,
                               PrintStackTraces};

}  // namespace pteedit::cli
