// The view --segments.
#include "json.h"
#include "text/format.h"
#include "text/size_tree.h"
#include "text/table.h"
#include "views/view.h"

namespace pteedit::cli {
namespace {

std::string SegmentsText(const Inspection& inspection, const Style& style) {
  Table table({{"Index", Align::kRight},
               {"Offset", Align::kRight},
               {"Size", Align::kRight},
               {"Alignment", Align::kRight},
               {"Users"}});
  for (const SegmentDescription& segment : inspection.description.segments) {
    table.AddRow({std::to_string(segment.index), HexText(segment.extent.offset), style.Size(segment.extent.size),
                  std::to_string(segment.alignment), EscapedList(segment.users)});
  }
  return table.In(style);
}

Json SegmentJson(const SegmentDescription& segment) {
  return {{"index", segment.index},
          {"offset", segment.extent.offset},
          {"bytes", segment.extent.size},
          {"alignment", segment.alignment},
          {"users", TextsOf(segment.users)}};
}

void PrintSegments(const Inspection& inspection, JsonPrinter& printer) {
  printer.AddList(inspection.description.segments, SegmentJson);
}

}  // namespace

extern const View kSegmentsView;
const View kSegmentsView = {"--segments",      "Show segments: places, sizes, alignments, users",
                            "Segments",        "segments",
                            kNeedsDescription, SegmentsText,
                            PrintSegments};

}  // namespace pteedit::cli
