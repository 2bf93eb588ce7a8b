// ETDumps and ETRecords: files that are no programs and of which only sizes are shown, and leaks.
#ifndef PTEEDIT_TOOLS_PTEINSPECT_PROFILE_SIZES_H_
#define PTEEDIT_TOOLS_PTEINSPECT_PROFILE_SIZES_H_

#include <optional>
#include <string>

#include "gates.h"
#include "pteedit/leaks.h"
#include "pteedit/profile/profile_kind.h"
#include "pteedit/result.h"
#include "pteedit/sizes.h"
#include "request.h"

namespace pteedit::cli {

// Whether the file can be opened and its content says so.
bool IsProfile(const std::string& file);

struct ProfileSizes {
  ProfileKind kind = ProfileKind::kEtdump;
  SizeNode sizes;
  GateResults gates;
  std::optional<Leaks> leaks;  // of a record, where they are asked for
};

// kUnsupported where a view is asked for that only programs and data files have; else fails as MeasureProfile does.
Result<ProfileSizes> InspectProfile(const std::string& file, const Request& request);

}  // namespace pteedit::cli

#endif  // PTEEDIT_TOOLS_PTEINSPECT_PROFILE_SIZES_H_
