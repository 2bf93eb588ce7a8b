#include "profile_sizes.h"

#include "pteedit/try.h"

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
  const bool asks_more =
      !request.selected.empty() || request.across_files() != 0 || !request.check.empty() || !request.extract.empty();
  if (asks_more) {
    return Unsupported(std::string("is an ") + Title(profile.kind) +
                       ", of which only -l, -e, --verify and --max-size show anything")
        .In(file);
  }
  PTEEDIT_ASSIGN(const std::shared_ptr<const Source> source, OpenFileSource(file));
  PTEEDIT_ASSIGN(profile.sizes, MeasureProfile(source, profile.kind));
  if (request.max_bytes) profile.gates.max_size = {source->size(), *request.max_bytes};
  return profile;
}

}  // namespace pteedit::cli
