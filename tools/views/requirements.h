// The view --requirements: what a program needs to run.
#ifndef PTEEDIT_TOOLS_VIEWS_REQUIREMENTS_H_
#define PTEEDIT_TOOLS_VIEWS_REQUIREMENTS_H_

#include <string>

#include "pteedit/requirements.h"

namespace pteedit::cli {

// "2, in this order: a.ptd, b.ptd".
std::string DataFilesText(const Requirements& needs);

}  // namespace pteedit::cli

#endif  // PTEEDIT_TOOLS_VIEWS_REQUIREMENTS_H_
