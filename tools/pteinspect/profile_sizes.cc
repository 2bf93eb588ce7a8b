#include "profile_sizes.h"

#include <algorithm>

#include "pteedit/profile/record_leaks.h"
#include "pteedit/try.h"
#include "views/view.h"

namespace pteedit::cli {
namespace {

const char* Title(ProfileKind kind) { return kind == ProfileKind::kEtdump ? "ETDump" : "ETRecord"; }

Result<std::optional<ProfileKind>> KindOf(const std::string& file) {
  PTEEDIT_ASSIGN(const std::shared_ptr<const Source> source, OpenFileSource(file));
  return FindProfileKind(source);
}

}  // namespace

bool IsProfile(const std::string& file) {
  const Result<std::optional<ProfileKind>> kind = KindOf(file);
  return kind && kind->has_value();
}

Result<ProfileSizes> InspectProfile(const std::string& file, const Request& request) {
  const Result<std::optional<ProfileKind>> kind = KindOf(file);
  if (!kind) return kind.error();
  ProfileSizes profile;
  profile.kind = kind->value_or(ProfileKind::kEtdump);
  const bool is_record = profile.kind == ProfileKind::kEtrecord;
  const bool has_other_views = std::any_of(request.selected.begin(), request.selected.end(),
                                           [&](const View* view) { return !is_record || view != &kLeaksView; });
  if (has_other_views || request.across_files() != 0 || !request.check.empty() || !request.targets.empty() ||
      !request.extract.empty()) {
    return Unsupported(std::string("is an ") + Title(profile.kind) + ", of which only -l, -e, --verify" +
                       (is_record ? ", --max-size and --leaks" : " and --max-size") + " show anything")
        .In(file);
  }
  PTEEDIT_ASSIGN(const std::shared_ptr<const Source> source, OpenFileSource(file));
  PTEEDIT_ASSIGN(profile.sizes, MeasureProfile(source, profile.kind));
  if (!request.selected.empty()) {
    PTEEDIT_ASSIGN(profile.leaks, FindLeaksInRecord(source));
  }
  if (request.max_bytes) profile.gates.max_size = {source->size(), *request.max_bytes};
  return profile;
}

}  // namespace pteedit::cli
