// Views as JSON, as docs/schemas/pteinspect.schema.json describes it.
#ifndef PTEEDIT_TOOLS_PTEINSPECT_RENDER_JSON_H_
#define PTEEDIT_TOOLS_PTEINSPECT_RENDER_JSON_H_

#include "inspection.h"
#include "json.h"
#include "request.h"

namespace pteedit::cli {

// The object of one file: the whole size tree, and the views that are asked for.
Json RenderJson(const Inspection& inspection, const Request& request);

}  // namespace pteedit::cli

#endif  // PTEEDIT_TOOLS_PTEINSPECT_RENDER_JSON_H_
