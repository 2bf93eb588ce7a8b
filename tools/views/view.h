// A view of one file: an option, and how what it shows looks as text and as JSON. A new one is a file here and a line
// in view.cc.
#ifndef PTEEDIT_TOOLS_VIEWS_VIEW_H_
#define PTEEDIT_TOOLS_VIEWS_VIEW_H_

#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "json.h"
#include "text/style.h"
#include "views/inspection.h"

namespace pteedit::cli {

// A value, or a list whose rows are made one by one, so that it need not be in memory as a whole.
struct ViewJson {
  ViewJson(Json whole) : value(std::move(whole)) {}  // NOLINT(google-explicit-constructor)
  ViewJson(size_t rows, std::function<Json(size_t)> make_row) : count(rows), row(std::move(make_row)) {}

  Json value;
  size_t count = 0;
  std::function<Json(size_t)> row;  // by its index; empty where there is a value
};

// A row for each of `items`, which are there as long as the inspection is.
template <class Item, class ToJson>
ViewJson JsonRows(const std::vector<Item>& items, ToJson to_json) {
  return {items.size(), [&items, to_json](size_t i) -> Json { return to_json(items[i]); }};
}
template <class Item, class ToJson>
ViewJson JsonRows(std::vector<Item>&& items, ToJson to_json) = delete;

struct View {
  const char* option;
  const char* help;    // of a flag; null where pteinspect declares another kind of option
  const char* title;   // of its section in the text
  const char* member;  // of the file's JSON object
  unsigned needs;      // what Inspect() has to look for, see Needs
  std::string (*text)(const Inspection& inspection, const Style& style);
  ViewJson (*json)(const Inspection& inspection);
};

// In the order of the output.
// Those of flags.
const std::vector<const View*>& AllViews();

extern const View kHashView, kAtView, kByView, kRequirementsView, kLeaksView;

}  // namespace pteedit::cli

#endif  // PTEEDIT_TOOLS_VIEWS_VIEW_H_
