// Views as JSON, as docs/schemas/pteinspect.schema.json describes it.
#ifndef PTEEDIT_TOOLS_VIEWS_RENDER_JSON_H_
#define PTEEDIT_TOOLS_VIEWS_RENDER_JSON_H_

#include "json.h"
#include "views/inspection.h"

namespace pteedit::cli {

// The object of one file: the whole size tree, and the views that are asked for.
Json RenderJson(const Inspection& inspection, const ViewRequest& request);

// What is told across the files, the last object of a list.
Json NewAcrossJson();

}  // namespace pteedit::cli

#endif  // PTEEDIT_TOOLS_VIEWS_RENDER_JSON_H_
