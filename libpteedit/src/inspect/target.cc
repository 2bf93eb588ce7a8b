#include "pteedit/target.h"

#include <utility>

#include "base/text.h"
#include "inspect/blob_needs.h"
#include "inspect/releases.h"

namespace pteedit {
namespace {

constexpr std::string_view kProduct = "executorch-";

}  // namespace

Result<Target> FindTarget(std::string_view offer) {
  for (const Release& release : KnownReleases()) {
    std::string name = Text(kProduct, release.major, '.', release.minor);
    if (name == offer) return Target{std::move(name), release.major, release.minor};
  }
  const Release first = KnownReleases().front(), last = KnownReleases().back();
  return InvalidArgument(Text("is ", Quoted(offer), ", ", kProduct, first.major, '.', first.minor, " to ", kProduct,
                              last.major, '.', last.minor, " expected"));
}

std::vector<MissingNeed> CompareWith(const Target& target, const Requirements& needs) {
  const Release release{target.major, target.minor};
  std::vector<MissingNeed> missing;
  for (const RuntimeNeed& need : needs.runtime) {
    const bool went = !need.last.empty() && ReleaseOf(need.last) < release;
    if (release < ReleaseOf(need.release) || went) missing.push_back({need.what, need.release, need.last});
  }
  for (const std::string& name : needs.foreign_operators) missing.push_back({Text("kernel ", Quoted(name)), "", ""});
  for (const BackendRequirement& one : needs.backends) {
    if (!HasSomeRelease(one.backend)) missing.push_back({Text("backend ", one.backend), "", ""});
  }
  return missing;
}

}  // namespace pteedit
