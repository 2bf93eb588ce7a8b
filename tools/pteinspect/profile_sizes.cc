#include "profile_sizes.h"

#include <algorithm>

#include "input_files.h"
#include "pteedit/packed_cache.h"
#include "pteedit/profile/profile_kind.h"
#include "pteedit/profile/record_leaks.h"
#include "pteedit/try.h"
#include "views/view.h"

namespace pteedit::cli {
namespace {

const char* Title(ProfileKind kind) { return kind == ProfileKind::kEtdump ? "an ETDump" : "an ETRecord"; }

Status CheckShows(const std::string& file, const std::string& title, bool has_leaks, const Request& request) {
  const bool has_other_views = std::any_of(request.views.selected.begin(), request.views.selected.end(),
                                           [&](const View* view) { return !has_leaks || view != &kLeaksView; });
  if (!has_other_views && request.across_files() == 0 && request.check.empty() && request.targets.empty() &&
      request.extract.empty())
    return {};
  return Unsupported("is " + title + ", of which only -l, -e, --verify" +
                     (has_leaks ? ", --max-size and --leaks" : " and --max-size") + " show anything")
      .In(file);
}

Result<std::optional<ProfileKind>> KindOf(const std::string& file) {
  PTEEDIT_ASSIGN(const std::shared_ptr<const Source> source, OpenWhole(file));
  return FindProfileKind(source);
}

}  // namespace

bool IsProfile(const std::string& file) {
  const Result<std::optional<ProfileKind>> kind = KindOf(file);
  return kind && kind->has_value();
}

bool IsCache(const std::string& file) {
  const Result<std::shared_ptr<const Source>> source = OpenWhole(file);
  const Result<bool> is_cache = source ? IsPackedCache(**source) : source.error();
  return is_cache && *is_cache;
}

Result<ProfileSizes> InspectProfile(const std::string& file, const Request& request) {
  const Result<std::optional<ProfileKind>> found = KindOf(file);
  if (!found) return found.error();
  const ProfileKind kind = found->value_or(ProfileKind::kEtdump);
  PTEEDIT_TRY(CheckShows(file, Title(kind), kind == ProfileKind::kEtrecord, request));
  ProfileSizes profile;
  profile.kind = KindName(kind);
  PTEEDIT_ASSIGN(const std::shared_ptr<const Source> source, OpenWhole(file));
  PTEEDIT_ASSIGN(profile.sizes, MeasureProfile(source, kind));
  if (!request.views.selected.empty()) {
    PTEEDIT_ASSIGN(profile.leaks, FindLeaksInRecord(source));
  }
  if (request.max_bytes) profile.gates.max_size = {source->size(), *request.max_bytes};
  return profile;
}

Result<ProfileSizes> InspectCache(const std::string& file, const std::vector<ProgramSet>& programs,
                                  const Request& request) {
  PTEEDIT_TRY(CheckShows(file, "a packed-weight cache of XNNPACK", /*has_leaks=*/false, request));
  ProfileSizes cache;
  cache.kind = "xnnpack-cache";
  PTEEDIT_ASSIGN(const std::shared_ptr<const Source> source, OpenWhole(file));
  PTEEDIT_ASSIGN(cache.sizes, MeasurePackedCache(source, programs));
  if (request.max_bytes) cache.gates.max_size = {source->size(), *request.max_bytes};
  return cache;
}

}  // namespace pteedit::cli
