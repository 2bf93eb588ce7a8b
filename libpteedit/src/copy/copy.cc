// Copy: each step edits the tables of what the last one planned; then what was planned is verified.
#include "pteedit/copy.h"

#include <utility>

#include "copy/methods.h"
#include "copy/named_data.h"
#include "edit/model.h"
#include "edit/plan.h"
#include "edit/report_notes.h"
#include "inspect/releases.h"
#include "program/container_state.h"
#include "program/file_set.h"
#include "pteedit/strip.h"
#include "pteedit/try.h"
#include "verify/check_rewrite.h"

namespace pteedit {
namespace {

bool EditsMethods(const CopyOptions& options) {
  return !options.keep_methods.empty() || !options.remove_methods.empty() || !options.rename_methods.empty() ||
         !options.set_methods.empty();
}

bool EditsNamedData(const CopyOptions& options) {
  return !options.remove_keys.empty() || options.remove_data || !options.rename_keys.empty() ||
         !options.add_data.empty();
}

class Copier {
 public:
  Copier(const Container& file, const CopyOptions& options) : file_(file), now_(file), options_(options) {}

  Result<CopyResult> Run() {
    result_.kind = file_.kind();
    result_.file = PlanCopy(file_);
    const bool is_data = file_.kind() == FileKind::kData;
    if (EditsMethods(options_)) PTEEDIT_TRY(is_data ? NoMethods() : Methods());
    if (EditsNamedData(options_))
      PTEEDIT_TRY(is_data ? NamedDataOf(ReadDataModel(now_)) : NamedDataOf(ReadProgramModel(now_)));
    PTEEDIT_TRY(Finish());
    return std::move(result_);
  }

 private:
  Status NoMethods() const { return InvalidArgument("is a data file, which has no methods").In(file_.name()); }

  Status Methods() {
    PTEEDIT_ASSIGN(ProgramModel model, ReadProgramModel(now_));
    const size_t before = model.tables.execution_plan.items.size();
    PTEEDIT_TRY(EditMethods(model, options_, result_.report));
    const bool any_went = model.tables.execution_plan.items.size() < before;
    PTEEDIT_TRY(Take(PlanFile(std::move(model), options_.min_alignment)));
    return any_went ? DropWhatTheyUsed() : Status();
  }

  Status DropWhatTheyUsed() {
    StripOptions strip;
    strip.debug = false;
    strip.min_alignment = options_.min_alignment;
    strip.threads = options_.threads;
    PTEEDIT_ASSIGN(StripResult stripped, Strip(now_, strip));
    for (MovedItem& item : stripped.report.items) result_.report.items.push_back(std::move(item));
    for (SkippedItem& item : stripped.report.skipped) result_.report.skipped.push_back(std::move(item));
    return Take(std::move(stripped.file));
  }

  template <class AnyModel>
  Status NamedDataOf(Result<AnyModel> model) {
    if (!model) return std::move(model).error();
    PTEEDIT_TRY(EditNamedData(*model, options_, result_.report));
    return Take(PlanFile(*std::move(model), options_.min_alignment));
  }

  // The next step begins with what this one planned.
  Status Take(Result<PlannedFile> planned) {
    if (!planned) return std::move(planned).error();
    result_.file = *std::move(planned);
    result_.changed = true;
    PTEEDIT_ASSIGN(now_, Container::Open(result_.file.AsSource(file_.name())));
    return {};
  }

  Status Finish() {
    if (result_.changed) {
      PTEEDIT_TRY(CheckRewrite(file_, now_));
      NoteTrailingBytes(file_, result_.report);
    }
    if (file_.kind() == FileKind::kData) {
      result_.report.min_runtime = OldestOf(RuntimeNeedsOfData(now_));
      return {};
    }
    PTEEDIT_TRY(ReportRuntime(now_, result_.report));
    return {};
  }

  const Container& file_;
  Container now_;
  const CopyOptions& options_;
  CopyResult result_;
};

}  // namespace

Result<CopyResult> Copy(const Container& file, const CopyOptions& options) {
  if (file.kind() == FileKind::kBundle)
    return Unsupported("is a bundled program; only programs and data files can be edited").In(file.name());
  return Copier(file, options).Run();
}

}  // namespace pteedit
