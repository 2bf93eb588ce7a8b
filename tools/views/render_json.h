// Views as JSON, as docs/schemas/pteinspect.schema.json describes it.
#ifndef PTEEDIT_TOOLS_VIEWS_RENDER_JSON_H_
#define PTEEDIT_TOOLS_VIEWS_RENDER_JSON_H_

#include <optional>

#include "json.h"
#include "pteedit/result.h"
#include "text/html.h"
#include "views/inspection.h"

namespace pteedit::cli {

// Prints the object of one file: the whole size tree, the views that are asked for, and the members of `more`. What a
// view needs is looked for when it is shown, as each takes as much memory as the tree; where that fails, since the file
// cannot be read any more or there is too much to list, "error" is the last member, and returned.
Result<std::optional<Error>> PrintJson(Inspection inspection, const Json& more, JsonPrinter& printer);

// The same for a page.
Result<PageObject> RenderForPage(Inspection inspection, const Json& more);

// What is told across the files, the last object of a list.
Json NewAcrossJson();

}  // namespace pteedit::cli

#endif  // PTEEDIT_TOOLS_VIEWS_RENDER_JSON_H_
