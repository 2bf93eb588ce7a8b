// The view --leaks: what the file tells of the people and machines that made it.
#include "views/leaks.h"

#include <string>

#include "json.h"
#include "text/format.h"
#include "text/table.h"
#include "views/view.h"

namespace pteedit::cli {

std::string LeaksText(const Leaks& leaks, const Style& style) {
  if (leaks.found.empty() && style.format == Format::kText) return "nothing that looks like a path, host or address\n";
  Table table({{"Kind"}, {"Text"}, {"User"}, {"Times", Align::kRight}, {"First At", Align::kRight}, {"In"}});
  for (const Leak& leak : leaks.found) {
    table.AddRow({leak.kind, EscapeControl(leak.text), EscapeControl(leak.user), std::to_string(leak.count),
                  HexText(leak.offset), Join(leak.components, " / ", EscapeControl)});
  }
  std::string text = table.In(style);
  if (leaks.left_out != 0 && style.format == Format::kText)
    text += "and " + std::to_string(leaks.left_out) + " more texts\n";
  return text;
}

Json LeaksJson(const Leaks& leaks) {
  Json object;
  object["found"] = ListOf(leaks.found, [](const Leak& leak) {
    Json row;
    row["kind"] = leak.kind;
    row["text"] = leak.text;
    row["user"] = TextOrNull(leak.user);
    row["count"] = leak.count;
    row["offset"] = leak.offset;
    row["components"] = TextsOf(leak.components);
    return row;
  });
  object["left_out"] = leaks.left_out;
  return object;
}

const View kLeaksView = {
    "--leaks",
    "Show paths, hosts and addresses of whoever made FILE; exit code 1 if any",
    "Leaks",
    "leaks",
    kNeedsLeaks,
    [](const Inspection& inspection, const Style& style) { return LeaksText(*inspection.leaks, style); },
    [](const Inspection& inspection, JsonPrinter& printer) { printer.Add(LeaksJson(*inspection.leaks)); }};

}  // namespace pteedit::cli
