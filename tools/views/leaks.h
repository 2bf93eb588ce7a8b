// The view --leaks, also of files that are no programs.
#ifndef PTEEDIT_TOOLS_VIEWS_LEAKS_H_
#define PTEEDIT_TOOLS_VIEWS_LEAKS_H_

#include <string>

#include "json.h"
#include "pteedit/leaks.h"
#include "text/style.h"

namespace pteedit::cli {

std::string LeaksText(const Leaks& leaks, const Style& style);
Json LeaksJson(const Leaks& leaks);

}  // namespace pteedit::cli

#endif  // PTEEDIT_TOOLS_VIEWS_LEAKS_H_
