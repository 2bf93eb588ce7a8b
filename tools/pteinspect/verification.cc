#include "verification.h"

#include <memory>
#include <utility>

#include "cli.h"
#include "input_files.h"
#include "pteedit/delegates.h"
#include "pteedit/mended.h"
#include "pteedit/profile/profile_kind.h"
#include "pteedit/try.h"
#include "views/inspection.h"

namespace pteedit::cli {
namespace {

// What the release lacks of what a program needs, which is no damage.
void AddMissing(const Target& runtime, const std::string& file, const std::vector<std::string>& data,
                std::vector<Finding>& findings) {
  const Result<Container> program = OpenFile(file);
  if (!program) return;
  std::vector<Container> files;
  for (const std::string& path : data) {
    if (const Result<Container> opened = OpenFile(path); opened && CheckAreData({*opened})) files.push_back(*opened);
  }
  const std::optional<Requirements> needs = NeedsOf({*program, std::move(files)});
  if (!needs) return;
  const std::vector<Finding> missing = FindMissing(runtime, *needs);
  findings.insert(findings.end(), missing.begin(), missing.end());
}

}  // namespace

Result<std::vector<FileFindings>> VerifyFile(const std::string& file, const std::vector<std::string>& data,
                                             const Request& request) {
  const VerifyOptions options{!request.no_hashes, request.views.threads};
  PTEEDIT_ASSIGN(const std::shared_ptr<const Source> source, OpenSource(file));
  PTEEDIT_ASSIGN(const std::optional<ProfileKind> profile, FindProfileKind(source));
  if (profile) {
    if (!data.empty() || !request.adapters.empty())
      return InvalidArgument(std::string("is an ") + KindName(*profile) + ", a program expected").In(file);
    PTEEDIT_ASSIGN(FileFindings found, VerifyProfile(source, *profile));
    return std::vector<FileFindings>{std::move(found)};
  }
  std::vector<std::shared_ptr<const Source>> sources;
  for (const std::string& path : data) {
    PTEEDIT_ASSIGN(std::shared_ptr<const Source> opened, OpenSource(path));
    sources.push_back(std::move(opened));
  }
  Result<std::vector<FileFindings>> found = Verify(source, sources, options);
  if (!found) return NamingAlso(std::move(found).error(), ".etdp or .etrecord");
  if (request.runtime) AddMissing(*request.runtime, file, data, found->front().findings);
  for (const std::string& path : request.adapters) {
    PTEEDIT_ASSIGN(const std::shared_ptr<const Source> adapter, OpenSource(path));
    PTEEDIT_ASSIGN(FileFindings one, VerifyAdapter(source, adapter, options));
    found->push_back(std::move(one));
  }
  return found;
}

std::optional<Requirements> NeedsOf(const ProgramSet& set) {
  if (!CheckIsProgram(set.file())) return std::nullopt;
  const auto delegates = DescribeDelegates(set);
  if (!delegates) return std::nullopt;
  return DescribeRequirements(set, *delegates);
}

}  // namespace pteedit::cli
