// Views as text for people.
#ifndef PTEEDIT_TOOLS_PTEINSPECT_RENDER_TEXT_H_
#define PTEEDIT_TOOLS_PTEINSPECT_RENDER_TEXT_H_

#include <functional>
#include <ostream>
#include <string>

#include "pteedit/result.h"
#include "request.h"
#include "views/inspection.h"

namespace pteedit::cli {

// All views that are asked for, with titles where there are several, to what `begin` returns: it is called once nothing
// can fail any more, at most once, and where there is nothing to print not at all. Fails with kInvalidArgument where a
// component to look into is not there; the message names near matches.
Status PrintText(Inspection inspection, const Request& request, const std::function<std::ostream&()>& begin);

// Of a file that has nothing but a size tree.
Result<std::string> RenderSizesText(const std::string& file, SizeNode sizes, const Request& request);

}  // namespace pteedit::cli

#endif  // PTEEDIT_TOOLS_PTEINSPECT_RENDER_TEXT_H_
