#include "verify_laws.h"

#include <map>
#include <set>

#include "file_contents.h"
#include "pteedit/verify.h"

namespace pteedit::test {
namespace {

using Counts = std::map<std::string, size_t>;  // of errors, by id

std::string LineOf(const std::string& file, const Finding& finding) {
  return file + ": " + finding.id + ": " + finding.where + " " + finding.message;
}

std::vector<FileFindings> Findings(const Files& files) {
  std::vector<std::shared_ptr<const Source>> data;
  for (const FileBytes& bytes : files.data) {
    data.push_back(MakeMemorySource("data" + std::to_string(data.size()) + ".ptd", bytes));
  }
  const auto found = Verify(MakeMemorySource("program.pte", files.program), data, {});
  EXPECT_TRUE(found) << (found ? "" : Words(found.error()));
  return *found;
}

Counts CountErrors(const Files& files) {
  Counts counts;
  for (const FileFindings& file : Findings(files)) {
    for (const Finding& finding : file.findings) counts[finding.id] += finding.severity == Severity::kError ? 1 : 0;
  }
  return counts;
}

std::string HasNoMoreErrors(const Files& files, Counts allowed) {
  for (const FileFindings& file : Findings(files)) {
    for (const Finding& finding : file.findings) {
      if (finding.severity != Severity::kError) continue;
      if (allowed[finding.id]-- == 0) return LineOf(file.file, finding);
    }
  }
  return "";
}

std::string Refused(const char* operation, const Error& error) {
  return error.code == ErrorCode::kUnsupported ? "" : operation + (": " + Words(error));
}

std::string After(const char* operation, const std::string& problem) {
  return problem.empty() ? "" : std::string("after the ") + operation + ": " + problem;
}

}  // namespace

std::string IsClean(const Files& files) {
  const std::set<std::string> allowed{"keys-unused", "inline-constants"};
  for (const FileFindings& file : Findings(files)) {
    for (const Finding& finding : file.findings) {
      if (finding.severity == Severity::kError || allowed.count(finding.id) == 0) return LineOf(file.file, finding);
    }
  }
  return "";
}

std::string StaysClean(const Files& before, const Files& after) {
  return StaysClean(std::vector<Files>{before}, after);
}

std::string StaysClean(const std::vector<Files>& before, const Files& after) {
  Counts allowed;
  bool all_clean = true;
  for (const Files& files : before) {
    all_clean = all_clean && IsClean(files).empty();
    for (const auto& [id, count] : CountErrors(files)) allowed[id] += count;
  }
  return all_clean ? IsClean(after) : HasNoMoreErrors(after, std::move(allowed));
}

std::string SplitAndJoinStayClean(const Files& files, const SplitOptions& options) {
  OpenedFiles opened(files);
  const Result<SplitResult> split = SplitProgram({opened.program, opened.data}, options);
  if (!split) return Refused("split", split.error());
  Files apart{BytesOf(split->program), files.data, files.least_alignment};
  for (const PlannedFile& file : split->data) apart.data.push_back(BytesOf(file));
  std::string problem = StaysClean(files, apart);
  if (!problem.empty()) return After("split", problem);
  const OpenedFiles outputs(apart);
  const Result<JoinResult> joined = JoinProgram({outputs.program, outputs.data}, {});
  if (!joined) return "join: " + Words(joined.error());
  return After("join", StaysClean(files, {BytesOf(joined->program), {}, files.least_alignment}));
}

std::string StripStaysClean(const Files& files, const StripOptions& options) {
  const OpenedFiles opened(files);
  Files stripped = files;
  const Result<StripResult> program = Strip(opened.program, options);
  if (!program) return Refused("strip", program.error());
  stripped.program = BytesOf(program->file);
  std::string problem = After("strip", StaysClean(files, stripped));
  for (size_t i = 0; i < files.data.size() && problem.empty(); ++i) {
    const Result<StripResult> data = Strip(opened.data[i], options);
    if (!data) return Refused("strip of a data file", data.error());
    stripped.data[i] = BytesOf(data->file);
    problem = After("strip of a data file", StaysClean(files, stripped));
  }
  return problem;
}

}  // namespace pteedit::test
