// Views as JSON, as docs/schemas/pteinspect.schema.json describes it.
#ifndef PTEEDIT_TOOLS_PTEINSPECT_RENDER_JSON_H_
#define PTEEDIT_TOOLS_PTEINSPECT_RENDER_JSON_H_

#include <optional>
#include <string>

#include "inspection.h"
#include "json.h"
#include "pteedit/result.h"
#include "views.h"

namespace pteedit::inspect {

// The object of one file: the whole size tree, and the views that are asked for.
cli::Json RenderJson(const Inspection& inspection, const Views& views);

// The object of a file of the kind that has nothing but a size tree.
cli::Json RenderSizesJson(const std::string& file, const char* kind, const SizeNode& sizes);

// The object of a file with findings that leave nothing else to show.
cli::Json RenderJsonDamaged(const std::string& file);

// The object of a file that could not be inspected; without a file, of a view across the files.
cli::Json RenderJsonError(const std::optional<std::string>& file, const Error& error);

}  // namespace pteedit::inspect

#endif  // PTEEDIT_TOOLS_PTEINSPECT_RENDER_JSON_H_
