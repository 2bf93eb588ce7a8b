#include "profiled.h"

#include <memory>
#include <string>
#include <utility>

#include "file_names.h"
#include "input_files.h"
#include "module_words.h"
#include "pteedit/text.h"
#include "pteedit/try.h"
#include "text/format.h"
#include "text/names.h"
#include "threads.h"

namespace pteedit::cli {
namespace {

std::optional<uint64_t> WholeNumber(const std::string& text) {
  constexpr size_t kMostDigits = 9;
  const bool has_digits =
      !text.empty() && text.size() <= kMostDigits && text.find_first_not_of("0123456789") == std::string::npos;
  return has_digits ? std::optional<uint64_t>(std::stoul(text)) : std::nullopt;
}

// Where a file is asked for; null where none is.
Result<std::shared_ptr<const Source>> OpenIfNamed(const std::string& file) {
  return file.empty() ? std::shared_ptr<const Source>() : OpenSource(file);
}

Result<std::optional<ProgramSet>> OpenProgram(const Request& request) {
  if (request.program.empty()) return std::optional<ProgramSet>();
  PTEEDIT_ASSIGN(const ContentNames names, OpenNames(request.names));
  PTEEDIT_ASSIGN(const Container program, OpenNamed(request.program, names, ThreadCount()));
  std::vector<Container> data;
  for (const std::string& file : request.data) {
    PTEEDIT_ASSIGN(Container opened, OpenNamed(file, names, ThreadCount()));
    data.push_back(std::move(opened));
  }
  return std::optional(ProgramSet(program, std::move(data)));
}

// "2", "2-" and "2-5".
Result<RunSelection> SelectionOf(const Request& request) {
  RunSelection selection;
  selection.method = request.method;
  selection.first = 1 + request.skip.value_or(0);
  if (request.runs.empty()) return selection;
  const size_t dash = request.runs.find('-');
  const std::optional<uint64_t> first = WholeNumber(request.runs.substr(0, dash));
  selection.last = dash == std::string::npos ? first : WholeNumber(request.runs.substr(dash + 1));
  const bool is_open = dash + 1 == request.runs.size();
  if (!first || *first == 0 || (!is_open && (!selection.last || *selection.last < *first)))
    return InvalidArgument("--runs takes N, N- or N-M, counted from 1, not '" + request.runs + "'");
  selection.first = *first;
  return selection;
}

}  // namespace

Result<Profile> ReadProfileFiles(const Request& request) {
  ProfileFiles files;
  for (const auto& [source, name] : {std::pair(&files.dump, &request.dump),
                                     {&files.record, &request.record},
                                     {&files.debug_buffer, &request.debug_buffer}}) {
    PTEEDIT_ASSIGN(std::shared_ptr<const Source> opened, OpenIfNamed(*name));
    *source = std::move(opened);
  }
  PTEEDIT_ASSIGN(files.set, OpenProgram(request));
  if (!request.debug_file.empty()) {
    PTEEDIT_ASSIGN(files.debug_file, OpenFile(request.debug_file));
  }
  PTEEDIT_ASSIGN(const RunSelection selection, SelectionOf(request));
  return Profile::Read(std::move(files),
                       {*TimeScaleCalled(request.source_scale), *TimeScaleCalled(request.target_scale)}, selection);
}

namespace {

// To read another dump, in the same scales.
Request TimesOnly(const Request& request, const std::string& dump) {
  Request times;
  times.dump = dump;
  times.source_scale = request.source_scale;
  times.target_scale = request.target_scale;
  times.skip = request.skip;
  return times;
}

Result<Baseline> CompareWithBaseline(const Request& request, const Profile& profile) {
  Baseline baseline;
  baseline.file = request.baseline;
  baseline.scale = profile.scales().target;
  if (!request.max_slowdown.empty()) {
    PTEEDIT_ASSIGN(baseline.max_slowdown, ParseSlowdown(request.max_slowdown));
  }
  PTEEDIT_ASSIGN(const Profile before, ReadProfileFiles(TimesOnly(request, request.baseline)));
  baseline.blocks = profile.ChangesSince(before);
  if (request.by_type) baseline.types = CompareTypes(before.blocks(), profile.blocks());
  if (const Status status = CheckComparable(baseline.blocks); !status)
    return Error(status.error()).In(request.baseline);
  return baseline;
}

// OTHER is the reference.
Result<NumericGap> FindGap(const Request& request, const Profile& profile) {
  PTEEDIT_ASSIGN(const std::vector<std::string> names, SplitFileNames(request.gap));
  if (names.size() < 2 || names.size() > 3) return InvalidArgument("--gap takes OTHER,BUFFER or OTHER,BUFFER,RECORD");
  Request other = TimesOnly(request, names[0]);
  other.debug_buffer = names[1];
  if (names.size() == 3) other.record = names.back();
  PTEEDIT_ASSIGN(const Profile reference, ReadProfileFiles(other));
  Result<NumericGap> gap = profile.GapTo(reference);
  if (!gap) return Error(gap.error()).In(other.dump);
  return gap;
}

// A path that is nobody's has no time, and is a slip.
Status CheckModulePaths(const Request& request, const Profile& profile) {
  if (request.module_paths.empty()) return {};
  const std::vector<std::string> unknown = ModuleWords(profile.blocks()).UnknownPaths(request);
  return unknown.empty() ? Status() : Status(InvalidArgument("--module-path: " + unknown.front()));
}

}  // namespace

Result<Profiled> ReadProfile(const Request& request) {
  PTEEDIT_ASSIGN(Profile profile, ReadProfileFiles(request));
  PTEEDIT_TRY(CheckModulePaths(request, profile));
  Profiled result{std::move(profile)};
  if (!request.baseline.empty()) {
    PTEEDIT_ASSIGN(result.baseline, CompareWithBaseline(request, result.profile));
  }
  if (!request.gap.empty()) {
    PTEEDIT_ASSIGN(result.gap, FindGap(request, result.profile));
  }
  if (request.has_costs()) {
    PTEEDIT_ASSIGN(result.costs, result.profile.Costs());
  }
  return result;
}

}  // namespace pteedit::cli
