// The view --segments.
#include "json.h"
#include "text/format.h"
#include "text/size_tree.h"
#include "text/table.h"
#include "views/view.h"

namespace pteedit::cli {
namespace {

void PrintSegmentsText(const Inspection& inspection, const Style& style, std::ostream& out) {
  Table table({{"Index", Align::kRight},
               {"Offset", Align::kRight},
               {"Size", Align::kRight},
               {"Alignment", Align::kRight},
               {"Users"}});
  const std::vector<SegmentDescription>& segments = inspection.description.segments;
  table.SetRows(segments.size(), [&](size_t row) -> std::vector<std::string> {
    const SegmentDescription& segment = segments[row];
    return {std::to_string(segment.index), HexText(segment.extent.offset), style.Size(segment.extent.size),
            std::to_string(segment.alignment), EscapedList(segment.users)};
  });
  table.Print(style, out);
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
const View kSegmentsView = {"--segments",   "Show segments: places, sizes, alignments, users",
                            "Segments",     "segments",
                            kNeedsSegments, nullptr,
                            PrintSegments,  PrintSegmentsText};

}  // namespace pteedit::cli
