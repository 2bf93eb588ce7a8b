// The view --hash.
#include "json.h"
#include "text/format.h"
#include "text/table.h"
#include "views/hash_list.h"
#include "views/view.h"

namespace pteedit::cli {
namespace {

// In text one line each, which --check reads.
std::string HashesText(const Inspection& inspection, const Style& style) {
  if (style.format == Format::kText) return HashList(inspection.hashes);
  Table table({{"Hash"}, {"What"}, {"Name"}, {"Size", Align::kRight}});
  for (const ContentHash& one : inspection.hashes)
    table.AddRow({one.hex, one.what, EscapeControl(one.name), style.Size(one.bytes)});
  return table.In(style);
}

void PrintHashes(const Inspection& inspection, JsonPrinter& printer) {
  const auto to_json = [](const ContentHash& one) {
    Json object = NewRow();
    object["what"] = one.what;
    object["name"] = TextOrNull(one.name);
    object["bytes"] = one.bytes;
    object["hash"] = one.hex;
    return object;
  };
  printer.AddList(inspection.hashes, to_json);
}

}  // namespace

const View kHashView = {"--hash", nullptr, "Hash", "hash", kNeedsHashes, HashesText, PrintHashes};

}  // namespace pteedit::cli
