// Views as text for people.
#ifndef PTEEDIT_TOOLS_PTEINSPECT_RENDER_TEXT_H_
#define PTEEDIT_TOOLS_PTEINSPECT_RENDER_TEXT_H_

#include <string>

#include "pteedit/result.h"
#include "request.h"
#include "views/inspection.h"

namespace pteedit::cli {

// All views that are asked for, with titles where there are several. Fails with kInvalidArgument where a component to
// look into is not there; the message names near matches.
Result<std::string> RenderText(Inspection inspection, const Request& request);

// Of a file that has nothing but a size tree.
Result<std::string> RenderSizesText(const std::string& file, SizeNode sizes, const Request& request);

}  // namespace pteedit::cli

#endif  // PTEEDIT_TOOLS_PTEINSPECT_RENDER_TEXT_H_
