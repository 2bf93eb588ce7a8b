// Reports that the tools print and the Python package hands out, as trees of plain data.
#ifndef PTEEDIT_TOOLS_TEXT_REPORTS_H_
#define PTEEDIT_TOOLS_TEXT_REPORTS_H_

#include <string>
#include <vector>

#include "json.h"
#include "pteedit/delegates.h"
#include "pteedit/diff.h"

namespace pteedit::cli {

Json DelegateJson(const DelegateDescription& delegate);

// The files compared: on each side one and its data files.
struct DiffNames {
  std::vector<std::string> old, now;
};
Json DiffJson(const DiffNames& names, const FileDiff& diff);

}  // namespace pteedit::cli

#endif  // PTEEDIT_TOOLS_TEXT_REPORTS_H_
