// The view --at: what a byte belongs to.
#include "json.h"
#include "text/format.h"
#include "text/table.h"
#include "views/view.h"

namespace pteedit::cli {
namespace {

std::string PlaceText(const Inspection& inspection, const Style& style) {
  const BytePlace& place = *inspection.place;
  std::string lines = "Component: " + Join(place.components, " / ", EscapeControl) + "\n";
  if (!place.field.empty()) lines += "Field: " + EscapeControl(place.field) + "\n";
  lines += "Extent: " + std::to_string(place.extent.size) + " bytes at " + HexText(place.extent.offset) + "\n";
  return FieldsIn(style, lines);
}

void PrintPlace(const Inspection& inspection, JsonPrinter& printer) {
  const BytePlace& place = *inspection.place;
  printer.Add({{"components", TextsOf(place.components)},
               {"field", TextOrNull(place.field)},
               {"offset", place.extent.offset},
               {"bytes", place.extent.size}});
}

}  // namespace

const View kAtView = {"--at", nullptr, "At", "at", kNeedsPlace, PlaceText, PrintPlace};

}  // namespace pteedit::cli
