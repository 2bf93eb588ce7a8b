// The view --hash.
#include <sstream>
#include <utility>

#include "json.h"
#include "text/format.h"
#include "text/table.h"
#include "views/hash_list.h"
#include "views/view.h"

namespace pteedit::cli {
namespace {

// In text one line each, which --check reads.
void PrintHashesText(const Inspection& inspection, const Style& style, std::ostream& out) {
  if (style.format == Format::kText) return PrintHashList(inspection.hashes, out);
  Table table({{"Hash"}, {"What"}, {"Name"}, {"Size", Align::kRight}});
  for (const ContentHash& one : inspection.hashes)
    table.AddRow({one.Hex(), std::string(one.what()), EscapeControl(one.name), style.Size(one.bytes)});
  out << table.In(style);
}

std::string HashesText(const Inspection& inspection, const Style& style) {
  std::ostringstream text;
  PrintHashesText(inspection, style, text);
  return std::move(text).str();
}

void PrintHashes(const Inspection& inspection, JsonPrinter& printer) {
  const auto to_json = [](const ContentHash& one) {
    Json object = NewRow();
    object["what"] = one.what();
    object["name"] = TextOrNull(one.name);
    object["bytes"] = one.bytes;
    object["hash"] = one.Hex();
    return object;
  };
  printer.AddList(inspection.hashes, to_json);
}

}  // namespace

const View kHashView = {"--hash", nullptr, "Hash", "hash", kNeedsHashes, HashesText, PrintHashes, PrintHashesText};

}  // namespace pteedit::cli
