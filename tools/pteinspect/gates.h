// Gates for scripts: a limit on a file's size, runtimes that should have what it needs, a list of hashes that its
// contents should have.
#ifndef PTEEDIT_TOOLS_PTEINSPECT_GATES_H_
#define PTEEDIT_TOOLS_PTEINSPECT_GATES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "json.h"
#include "pteedit/result.h"
#include "pteedit/target.h"
#include "request.h"
#include "text/style.h"
#include "views/hash_list.h"
#include "views/inspection.h"

namespace pteedit::cli {

struct GateResults {
  struct Size {
    uint64_t bytes = 0;  // of the file and its data files
    uint64_t limit = 0;
  };
  struct Offer {
    Target target;
    std::vector<RuntimeNeed> missing;
  };
  std::optional<Size> max_size;
  std::vector<Offer> targets;
  std::optional<CheckedHashes> check;

  bool pass() const;
};

// The gates that `request` ask for, of a file with the data files that belong to it.
Result<GateResults> TryGates(const ProgramSet& set, const Request& request);

// What keeps `file` from passing, a line each, and a verdict for each gate.
std::string GatesText(const std::string& file, const GateResults& results, Format format);

// Adds the members max_size, targets, check and check_verdict.
void AddGates(Json& object, const GateResults& results);

}  // namespace pteedit::cli

#endif  // PTEEDIT_TOOLS_PTEINSPECT_GATES_H_
