// JoinProgram: everything in the data files goes back inside, the program stops pointing outside, lay out, check.
#include <utility>

#include "delegates/listed_keys.h"
#include "edit/binding.h"
#include "edit/joiner.h"
#include "edit/model.h"
#include "edit/plan.h"
#include "edit/report_notes.h"
#include "needs/releases.h"
#include "program/file_set.h"
#include "pteedit/split.h"
#include "pteedit/try.h"
#include "verify/check_inputs.h"
#include "verify/check_rewrite.h"

namespace pteedit {
namespace {

// Plans the program, opens the plan as anybody would and verifies it.
Result<JoinResult> Finish(const ProgramModel& model, const ProgramSet& set, RewriteReport report,
                          const JoinOptions& options) {
  JoinResult result;
  PTEEDIT_ASSIGN(result.program, PlanFile(model, options.min_alignment));
  PTEEDIT_ASSIGN(const Container opened, Container::Open(result.program.AsSource(options.program_name)));
  PTEEDIT_TRY(CheckRewrite(set, opened));
  PTEEDIT_TRY(ReportRuntime(opened, report));
  result.report = std::move(report);
  return result;
}

}  // namespace

Result<JoinResult> JoinProgram(const ProgramSet& set, const JoinOptions& options) {
  PTEEDIT_TRY(CheckIsProgram(set.file()));
  if (set.file().kind() == FileKind::kBundle) {
    PTEEDIT_ASSIGN(JoinResult result, JoinProgram(set.Inside(), options));
    const bool changed = !IsCopyOf(result.program, *set.program().source());
    PTEEDIT_ASSIGN(result.program, PlanAround(set.file(), result.program, changed));
    return result;
  }
  PTEEDIT_TRY(CheckInputs(set));
  PTEEDIT_ASSIGN(ProgramModel model, ReadProgramModel(set.program()));
  for (const Container& file : set.data()) PTEEDIT_TRY(CheckRewritable(file));
  RewriteReport report;
  {
    PTEEDIT_ASSIGN(AskedKeys asked, FindKeysToJoin(set));
    const JoinScope scope{
        nullptr,         std::move(asked.keys), std::move(asked.hashes), options.min_alignment, options.program_name,
        options.threads, options.foretell};
    PTEEDIT_TRY(BringInside(model, set, scope, report));
  }
  SetBindings(model, {});
  if (model.changed) NoteTrailingBytes(*model.origin, report);
  return Finish(model, set, std::move(report), options);
}

}  // namespace pteedit
