#include "profiled.h"

#include <memory>
#include <string>
#include <utility>

#include "file_names.h"
#include "text/inputs.h"

namespace pteedit::inspect {
namespace {

// Where a file is asked for; null where none is.
Result<std::shared_ptr<const Source>> OpenIfNamed(const std::string& file) {
  return file.empty() ? std::shared_ptr<const Source>() : OpenSource(file);
}

Result<std::optional<ProgramSet>> OpenProgram(const Request& request) {
  if (request.program.empty()) return std::optional<ProgramSet>();
  const Result<Container> program = OpenFile(request.program);
  if (!program) return program.error();
  std::vector<Container> data;
  for (const std::string& file : request.data) {
    Result<Container> opened = OpenFile(file);
    if (!opened) return opened.error();
    data.push_back(*std::move(opened));
  }
  return std::optional(ProgramSet(*program, std::move(data)));
}

Result<Profile> ReadFiles(const Request& request) {
  ProfileFiles files;
  for (const auto& [source, name] : {std::pair(&files.dump, &request.dump),
                                     {&files.record, &request.record},
                                     {&files.debug_buffer, &request.debug_buffer}}) {
    Result<std::shared_ptr<const Source>> opened = OpenIfNamed(*name);
    if (!opened) return opened.error();
    *source = *std::move(opened);
  }
  Result<std::optional<ProgramSet>> set = OpenProgram(request);
  if (!set) return set.error();
  files.set = *std::move(set);
  return Profile::Read(std::move(files),
                       {*TimeScaleCalled(request.source_scale), *TimeScaleCalled(request.target_scale)});
}

// To read another dump, in the same scales.
Request TimesOnly(const Request& request, const std::string& dump) {
  Request times;
  times.dump = dump;
  times.source_scale = request.source_scale;
  times.target_scale = request.target_scale;
  return times;
}

Result<Baseline> CompareWithBaseline(const Request& request, const Profile& profile) {
  Baseline baseline;
  baseline.file = request.baseline;
  baseline.scale = profile.scales().target;
  if (!request.max_slowdown.empty()) {
    const Result<double> most = ParseSlowdown(request.max_slowdown);
    if (!most) return most.error();
    baseline.max_slowdown = *most;
  }
  const Result<Profile> before = ReadFiles(TimesOnly(request, request.baseline));
  if (!before) return before.error();
  baseline.blocks = profile.ChangesSince(*before);
  if (const Status status = CheckComparable(baseline.blocks); !status)
    return Error(status.error()).In(request.baseline);
  return baseline;
}

// OTHER is the reference.
Result<NumericGap> FindGap(const Request& request, const Profile& profile) {
  const Result<std::vector<std::string>> names = cli::SplitFileNames(request.gap);
  if (!names) return names.error();
  if (names->size() < 2 || names->size() > 3) return InvalidArgument("--gap takes OTHER,BUFFER or OTHER,BUFFER,RECORD");
  Request other = TimesOnly(request, (*names)[0]);
  other.debug_buffer = (*names)[1];
  if (names->size() == 3) other.record = names->back();
  const Result<Profile> reference = ReadFiles(other);
  if (!reference) return reference.error();
  Result<NumericGap> gap = profile.GapTo(*reference);
  if (!gap) return Error(gap.error()).In(other.dump);
  return gap;
}

}  // namespace

Result<Profiled> ReadProfile(const Request& request) {
  Result<Profile> profile = ReadFiles(request);
  if (!profile) return profile.error();
  Profiled result{*std::move(profile)};
  if (!request.baseline.empty()) {
    Result<Baseline> baseline = CompareWithBaseline(request, result.profile);
    if (!baseline) return baseline.error();
    result.baseline = *std::move(baseline);
  }
  if (!request.gap.empty()) {
    Result<NumericGap> gap = FindGap(request, result.profile);
    if (!gap) return gap.error();
    result.gap = *std::move(gap);
  }
  if (request.has_costs()) {
    Result<std::vector<BlockCosts>> costs = result.profile.Costs();
    if (!costs) return costs.error();
    result.costs = *std::move(costs);
  }
  return result;
}

}  // namespace pteedit::inspect
