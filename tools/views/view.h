// A view of one file: an option, and how what it shows looks as text and as JSON. A new one is a file here and a line
// in view.cc.
#ifndef PTEEDIT_TOOLS_VIEWS_VIEW_H_
#define PTEEDIT_TOOLS_VIEWS_VIEW_H_

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
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

inline constexpr size_t kAllRows = ~size_t{0};

// A row for each of `items`, made of it or of it and its index; behind the first `most` nulls, as of ListOf().
template <class Item, class ToJson>
ViewJson JsonRows(std::shared_ptr<const std::vector<Item>> items, ToJson to_json, size_t most) {
  return {items->size(), [items, to_json, most](size_t i) -> Json {
            if (i >= most) return {};
            if constexpr (std::is_invocable_v<ToJson, const Item&, size_t>) {
              return to_json((*items)[i], i);
            } else {
              return to_json((*items)[i]);
            }
          }};
}
// Of items of an inspection, which outlives what is made of it.
template <class Item, class ToJson>
ViewJson JsonRows(const std::vector<Item>& items, ToJson to_json, size_t most) {
  return JsonRows(std::shared_ptr<const std::vector<Item>>(std::shared_ptr<void>(), &items), to_json, most);
}
// Of items that nobody else has.
template <class Item, class ToJson>
ViewJson JsonRows(std::vector<Item>&& items, ToJson to_json, size_t most) {
  return JsonRows(std::make_shared<const std::vector<Item>>(std::move(items)), to_json, most);
}

struct View {
  const char* option;  // a flag; null where main.cc declares another kind of option
  const char* help;
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
