// The view --hash.

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
  table.SetRows(inspection.hashes.size(), [&](size_t row) -> std::vector<std::string> {
    const ContentHash& one = inspection.hashes[row];
    return {one.Hex(), std::string(one.what()), EscapeControl(one.name), style.Size(one.bytes)};
  });
  table.Print(style, out);
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

const View kHashView = {"--hash", nullptr, "Hash", "hash", kNeedsHashes, nullptr, PrintHashes, PrintHashesText};

}  // namespace pteedit::cli
