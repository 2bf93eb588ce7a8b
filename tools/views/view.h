// A view of one file: an option, and how what it shows looks as text and as JSON. A new one is a file here and a line
// in view.cc.
#ifndef PTEEDIT_TOOLS_VIEWS_VIEW_H_
#define PTEEDIT_TOOLS_VIEWS_VIEW_H_

#include <ostream>
#include <string>
#include <vector>

#include "json.h"
#include "text/style.h"
#include "views/inspection.h"

namespace pteedit::cli {

struct View {
  const char* option = nullptr;
  const char* help = nullptr;    // of a flag; null where pteinspect declares another kind of option
  const char* title = nullptr;   // of its section in the text
  const char* member = nullptr;  // of the file's JSON object
  unsigned needs = 0;            // what Inspect() has to look for, see Needs
  std::string (*text)(const Inspection& inspection, const Style& style) = nullptr;  // null where it may be long
  void (*print)(const Inspection& inspection, JsonPrinter& printer) = nullptr;      // its value, in JSON
  // Instead of `text`; prints something where HasRows().
  void (*print_text)(const Inspection& inspection, const Style& style, std::ostream& out) = nullptr;
};

// In the order of the output.
// Those of flags.
const std::vector<const View*>& AllViews();

extern const View kHashView, kAtView, kByView, kRequirementsView, kLeaksView;

}  // namespace pteedit::cli

#endif  // PTEEDIT_TOOLS_VIEWS_VIEW_H_
