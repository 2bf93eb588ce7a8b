#include "views/render_json.h"

#include <utility>

#include "pteedit/names.h"
#include "pteedit/try.h"
#include "text/file_json.h"
#include "views/view.h"

namespace pteedit::cli {

static Json NamesJson(const NameCount& count) {
  Json object;
  object["contents"] = count.contents;
  object["unnamed"] = count.unnamed;
  object["unnamed_bytes"] = count.unnamed_bytes;
  return object;
}

// What follows the sizes.
static Status PrintViews(Inspection& inspection, const Json& more, JsonPrinter& printer) {
  if (inspection.request.names) printer.AddMember("names", NamesJson(CountNames(inspection.container)));
  PTEEDIT_TRY(ForEachView(inspection, [&](const View& view) {
    printer.Name(view.member);
    view.print(inspection, printer);
  }));
  printer.AddMembers(more);
  return {};
}

Result<std::optional<Error>> PrintJson(Inspection inspection, const Json& more, JsonPrinter& printer) {
  PTEEDIT_TRY(FindBeforeSizes(inspection));
  PTEEDIT_ASSIGN(SizeNode sizes, SizesOf(inspection));
  printer.BeginObject();
  PrintSizesJson(inspection.file, KindName(inspection.container.kind()), sizes, printer);
  printer.AddMember("modules", ModulesJson(sizes));
  sizes = {};
  const Status shown = PrintViews(inspection, more, printer);
  if (!shown) printer.AddMember("error", ErrorJson(shown.error()));
  printer.EndObject();
  return shown ? std::nullopt : std::optional(shown.error());
}

Result<PageObject> RenderForPage(Inspection inspection, const Json& more) {
  LetGoBeforeSizes(inspection);
  PTEEDIT_ASSIGN(SizeNode sizes, SizesOf(inspection));
  return SizesForPage(inspection.file, KindName(inspection.container.kind()), std::move(sizes),
                      [&](JsonPrinter& printer) { return PrintViews(inspection, more, printer); });
}

Json NewAcrossJson() {
  Json object;
  object["schema_version"] = kJsonSchemaVersion;
  object["file"] = nullptr;
  return object;
}

}  // namespace pteedit::cli
