// ETDumps, ETRecords and XNNPACK's packed-weight caches: files that are no programs and of which only sizes are shown,
// and leaks.
#ifndef PTEEDIT_TOOLS_PTEINSPECT_PROFILE_SIZES_H_
#define PTEEDIT_TOOLS_PTEINSPECT_PROFILE_SIZES_H_

#include <optional>
#include <string>
#include <vector>

#include "gates.h"
#include "pteedit/leaks.h"
#include "pteedit/program_set.h"
#include "pteedit/result.h"
#include "pteedit/sizes.h"
#include "request.h"

namespace pteedit::cli {

// Whether the file can be opened and its content says so.
bool IsProfile(const std::string& file);
bool IsCache(const std::string& file);

struct ProfileSizes {
  const char* kind = "";
  SizeNode sizes;
  GateResults gates;
  std::optional<Leaks> leaks;  // of a record, where they are asked for
};

// kUnsupported where a view is asked for that only programs and data files have; else fails as MeasureProfile does.
Result<ProfileSizes> InspectProfile(const std::string& file, const Request& request);
// The same of a cache, by what the programs ask for.
Result<ProfileSizes> InspectCache(const std::string& file, const std::vector<ProgramSet>& programs,
                                  const Request& request);

}  // namespace pteedit::cli

#endif  // PTEEDIT_TOOLS_PTEINSPECT_PROFILE_SIZES_H_
