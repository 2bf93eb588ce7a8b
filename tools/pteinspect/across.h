// Views that look at several files together: two programs that should be the same, contents that occur twice.
#ifndef PTEEDIT_TOOLS_PTEINSPECT_ACROSS_H_
#define PTEEDIT_TOOLS_PTEINSPECT_ACROSS_H_

#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "diff_view.h"
#include "json.h"
#include "pteedit/container.h"
#include "pteedit/diff.h"
#include "pteedit/duplicates.h"
#include "pteedit/names.h"
#include "pteedit/program_set.h"
#include "pteedit/result.h"
#include "pteedit/same.h"
#include "request.h"

namespace pteedit::cli {

struct Across {
  std::string other;  // of --same
  bool compared = false;
  std::optional<Difference> difference;
  std::vector<std::string> files;  // those of --duplicates, as the user called them
  std::optional<Duplicates> duplicates;
  DiffNames diff_names;
  std::optional<FileDiff> diff;

  // Whether --same or --diff makes the tool exit with 1.
  bool fails = false;
};

// What the user knows of files.
struct Knowledge {
  const std::vector<BlobDecoder>& decoders;
  const ContentNames& names;
};

// What is asked for of the first program, with its data files, and across all `files`. Opens those that --same and
// --diff name.
Result<Across> InspectAcross(const ProgramSet& first, const std::vector<Container>& files, const Knowledge& known,
                             const Request& request);

void PrintAcrossText(const Across& across, const Request& request, std::ostream& out);
// Into the last object of the list, which has begun.
void PrintAcrossJson(const Across& across, const Request& request, JsonPrinter& printer);

}  // namespace pteedit::cli

#endif  // PTEEDIT_TOOLS_PTEINSPECT_ACROSS_H_
