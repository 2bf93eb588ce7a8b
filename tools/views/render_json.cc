#include "views/render_json.h"

#include "pteedit/names.h"
#include "text/file_json.h"
#include "text/html.h"
#include "views/view.h"

namespace pteedit::cli {

static Json NamesJson(const NameCount& count) {
  Json object;
  object["contents"] = count.contents;
  object["unnamed"] = count.unnamed;
  object["unnamed_bytes"] = count.unnamed_bytes;
  return object;
}

void PrintJson(const Inspection& inspection, const ViewRequest& request, const Json& more, JsonPrinter& printer) {
  const FileKind kind = inspection.container.kind();
  printer.BeginObject();
  PrintSizesJson(inspection.file, KindName(kind), inspection.sizes, printer);
  printer.AddMember("modules", ModulesJson(inspection.sizes));
  if (request.names) printer.AddMember("names", NamesJson(CountNames(inspection.container)));
  for (const View* view : request.selected) {
    if (HasView(kind, *view)) printer.AddMember(view->member, view->json(inspection));
  }
  printer.AddMembers(more);
  printer.EndObject();
}

Json RenderForPage(const Inspection& inspection, const ViewRequest& request, const Json& more) {
  const FileKind kind = inspection.container.kind();
  Json object = RenderSizesJson(inspection.file, KindName(kind), inspection.sizes, /*has_offsets=*/true);
  if (request.names) object["names"] = NamesJson(CountNames(inspection.container));
  for (const View* view : request.selected) {
    if (HasView(kind, *view)) object[view->member] = ForPage(view->json(inspection));
  }
  object.update(more);
  return object;
}

Json NewAcrossJson() {
  Json object;
  object["schema_version"] = kJsonSchemaVersion;
  object["file"] = nullptr;
  return object;
}

}  // namespace pteedit::cli
