#include "render_json.h"

#include "text/file_json.h"
#include "views/view.h"

namespace pteedit::inspect {

using cli::Json;

Json RenderJson(const Inspection& inspection, const Request& request) {
  Json object = RenderSizesJson(inspection.file, KindName(inspection.container.kind()), inspection.sizes);
  for (const View* view : request.selected) object[view->member] = view->json(inspection);
  return object;
}

}  // namespace pteedit::inspect
