#include "targets.h"

#include <utility>

namespace pteedit::cli {

Result<std::vector<Target>> FindTargets(const char* option, const std::vector<std::string>& offers) {
  std::vector<Target> targets;
  for (const std::string& offer : offers) {
    Result<Target> target = FindTarget(offer);
    if (!target) return InvalidArgument(std::string(option) + " " + target.error().message);
    targets.push_back(*std::move(target));
  }
  return targets;
}

std::string WordsOf(const MissingNeed& need) {
  if (need.release.empty()) return need.what + ": no release has it";
  return need.last.empty() ? need.what + ": since " + need.release : need.what;
}

std::string VerdictOf(const Target& target, const std::vector<MissingNeed>& missing) {
  if (missing.empty()) return target.name + " has what it needs";
  return target.name + " lacks " + std::to_string(missing.size()) + " of what it needs";
}

}  // namespace pteedit::cli
