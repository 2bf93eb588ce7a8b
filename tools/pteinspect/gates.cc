#include "gates.h"

#include "pteedit/text.h"
#include "pteedit/try.h"
#include "text/format.h"

namespace pteedit::cli {

bool GateResults::pass() const {
  return (!max_size || max_size->bytes <= max_size->limit) && (!check || check->empty());
}

Result<GateResults> TryGates(const ProgramSet& set, const Request& request) {
  GateResults results;
  if (request.max_bytes) results.max_size = {set.bytes(), *request.max_bytes};
  if (!request.check.empty()) {
    PTEEDIT_ASSIGN(results.check, CheckHashes(set.file(), request.check, ThreadCount()));
  }
  return results;
}

std::string GatesText(const std::string& file, const GateResults& results) {
  const std::string name = EscapeControl(file) + ": ";
  std::string text;
  if (results.max_size && results.max_size->bytes > results.max_size->limit) {
    text += name + std::to_string(results.max_size->bytes) + " bytes, at most " +
            std::to_string(results.max_size->limit) + " allowed\n";
  }
  if (!results.check) return text;
  for (const HashDifference& difference : *results.check) {
    text += name + difference.what + (difference.name.empty() ? "" : " '" + difference.name + "'") + " " +
            difference.problem + "\n";
  }
  return text;
}

void AddGates(Json& object, const GateResults& results) {
  if (results.max_size) {
    const GateResults::Size& size = *results.max_size;
    object["max_size"] = {{"bytes", size.bytes}, {"limit", size.limit}, {"pass", size.bytes <= size.limit}};
  }
  if (!results.check) return;
  object["check"] = ListOf(*results.check, [](const HashDifference& difference) {
    return Json({{"what", difference.what}, {"name", TextOrNull(difference.name)}, {"problem", difference.problem}});
  });
}

}  // namespace pteedit::cli
