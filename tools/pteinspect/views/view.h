// A view of one file: an option, and how what it shows looks as text and as JSON. A new one is a file here and a line
// in view.cc.
#ifndef PTEEDIT_TOOLS_PTEINSPECT_VIEWS_VIEW_H_
#define PTEEDIT_TOOLS_PTEINSPECT_VIEWS_VIEW_H_

#include <string>
#include <vector>

#include "inspection.h"
#include "json.h"

namespace pteedit::inspect {

struct View {
  const char* option;
  const char* help;
  const char* title;   // of its section in the text
  const char* member;  // of the file's JSON object
  unsigned needs;      // what Inspect() has to look for, see Needs
  std::string (*text)(const Inspection& inspection, bool exact_bytes);
  cli::Json (*json)(const Inspection& inspection);
};

// In the order of the output.
const std::vector<const View*>& AllViews();

}  // namespace pteedit::inspect

#endif  // PTEEDIT_TOOLS_PTEINSPECT_VIEWS_VIEW_H_
