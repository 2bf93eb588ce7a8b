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

Json RenderJson(const Inspection& inspection, const ViewRequest& request) {
  Json object =
      RenderSizesJson(inspection.file, KindName(inspection.container.kind()), inspection.sizes, request.for_page);
  if (!request.for_page) object["modules"] = ModulesJson(inspection.sizes);
  if (request.names) object["names"] = NamesJson(CountNames(inspection.container));
  for (const View* view : request.selected) {
    if (!HasView(inspection.container.kind(), *view)) continue;
    Json member = view->json(inspection);
    object[view->member] = request.for_page ? ForPage(std::move(member)) : std::move(member);
  }
  return object;
}

Json NewAcrossJson() {
  Json object;
  object["schema_version"] = kJsonSchemaVersion;
  object["file"] = nullptr;
  return object;
}

}  // namespace pteedit::cli
