// Copy: each step edits the tables of what the last one planned; then what was planned is verified.
#include "pteedit/copy.h"

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/text.h"
#include "copy/add_methods.h"
#include "copy/contents.h"
#include "copy/methods.h"
#include "copy/named_data.h"
#include "copy/new_contents.h"
#include "copy/upgrade.h"
#include "edit/binding.h"
#include "edit/model.h"
#include "edit/plan.h"
#include "edit/report_notes.h"
#include "needs/releases.h"
#include "program/container_state.h"
#include "program/file_set.h"
#include "pteedit/strip.h"
#include "pteedit/try.h"
#include "verify/check_rewrite.h"

namespace pteedit {
namespace {

bool ChoosesMethods(const CopyOptions& options) {
  return !options.keep_methods.empty() || !options.remove_methods.empty() || !options.rename_methods.empty();
}

bool EditsNamedData(const CopyOptions& options) {
  return !options.remove_keys.empty() || options.remove_data || !options.rename_keys.empty() ||
         !options.add_data.empty();
}

bool EditsContents(const CopyOptions& options) {
  return !options.replace.empty() || !options.refit.empty() || options.splat;
}

class Copier {
 public:
  Copier(const Container& file, const CopyOptions& options) : file_(file), now_(file), options_(options) {}

  Result<CopyResult> Run() {
    result_.kind = file_.kind();
    result_.file = PlanCopy(file_);
    PTEEDIT_TRY(file_.kind() == FileKind::kData ? Data() : Program());
    PTEEDIT_TRY(Finish());
    return std::move(result_);
  }

 private:
  Status Data() {
    if (ChoosesMethods(options_) || !options_.add_methods.empty() || !options_.set_methods.empty())
      return InvalidArgument("is a data file, which has no methods").In(file_.name());
    if (EditsNamedData(options_))
      PTEEDIT_TRY(
          Edit(ReadDataModel(now_), [&](DataModel& model) { return EditNamedData(model, options_, result_.report); }));
    return EditsContents(options_) ? Contents() : Status();
  }

  Status Program() {
    RewriteReport& report = result_.report;
    if (options_.upgrade)
      PTEEDIT_TRY(EditProgram([&](ProgramModel& model) { return Upgrade(model, report), Status(); }));
    if (ChoosesMethods(options_)) PTEEDIT_TRY(Methods());
    for (const AddedMethods& added : options_.add_methods) PTEEDIT_TRY(Add(added));
    if (!options_.add_methods.empty()) PTEEDIT_TRY(ShareContents());
    if (!options_.set_methods.empty())
      PTEEDIT_TRY(EditProgram([&](ProgramModel& model) { return SetMethods(model, options_, report); }));
    if (EditsNamedData(options_))
      PTEEDIT_TRY(EditProgram([&](ProgramModel& model) { return EditNamedData(model, options_, report); }));
    if (EditsContents(options_)) PTEEDIT_TRY(Contents());
    if (ChoosesMethods(options_) && MethodCount() == 0)
      return InvalidArgument("would have no method left").In(file_.name());
    return {};
  }

  Status Methods() {
    const size_t before = MethodCount();
    PTEEDIT_TRY(EditProgram([&](ProgramModel& model) { return ChooseMethods(model, options_, result_.report); }));
    return MethodCount() < before ? DropWhatTheyUsed() : Status();
  }

  size_t MethodCount() const { return OrEmpty(now_.state().program_root().execution_plan()).size(); }

  Status DropWhatTheyUsed() {
    StripOptions strip = StripNothing();
    strip.unreferenced = true;
    PTEEDIT_ASSIGN(StripResult stripped, Strip(now_, strip));
    for (MovedItem& item : stripped.report.items) result_.report.items.push_back(std::move(item));
    for (SkippedItem& item : stripped.report.skipped) result_.report.skipped.push_back(std::move(item));
    return Take(std::move(stripped.file));
  }

  Status Add(const AddedMethods& added) {
    PTEEDIT_ASSIGN(const Container other, Chosen(added));
    made_of_.emplace_back(other);
    return EditProgram(
        [&](ProgramModel& model) { return AddMethods(model, other, options_.output_name, result_.report); });
  }

  // The program with those of its methods that are to be added, called as they are to be called.
  static Result<Container> Chosen(const AddedMethods& added) {
    const Container& program = added.program;
    if (program.kind() != FileKind::kProgram)
      return InvalidArgument("is no program, so it has no methods to add").In(program.name());
    if (added.method.empty()) return program;
    CopyOptions choice;
    choice.keep_methods = {added.method};
    for (const schema::ExecutionPlan* plan : OrEmpty(program.state().program_root().execution_plan())) {
      if (ViewOf(plan->name()) != added.method) choice.remove_methods.emplace_back(ViewOf(plan->name()));
    }
    if (!added.name.empty()) choice.rename_methods = {{added.method, added.name}};
    PTEEDIT_ASSIGN(const CopyResult chosen, Copy(program, choice));
    return Container::Open(chosen.file.AsSource(program.name()));
  }

  Status ShareContents() {
    StripOptions strip = StripNothing();
    strip.dedupe = true;
    PTEEDIT_ASSIGN(StripResult stripped, Strip(now_, strip));
    if (stripped.report.items.empty()) return {};
    uint64_t bytes = 0;
    for (const MovedItem& item : stripped.report.items) bytes += item.bytes;
    result_.report.notes.push_back(Text(bytes, " bytes were there several times and are stored once"));
    return Take(std::move(stripped.file));
  }

  // Bytes change in their places; only keys that tell them need the tables to be written again.
  Status Contents() {
    PTEEDIT_ASSIGN(const Container named, ContentNames(options_.names).Name(now_, options_.threads));
    PTEEDIT_ASSIGN(StoredContents contents, StoredContents::Of(named));
    Status put = Put(contents);
    if (!put) return std::move(put).error().In(file_.name());
    PTEEDIT_ASSIGN(StoredContents::Written written, contents.Write());
    PTEEDIT_TRY(Take(std::move(written.file)));
    if (written.keys.empty()) return {};
    renamed_.insert(written.keys.begin(), written.keys.end());
    return EditProgram([&](ProgramModel& model) { return FollowKeys(model, written.keys), Status(); });
  }

  Status Put(StoredContents& contents) {
    for (const NewContent& content : options_.replace)
      PTEEDIT_TRY(ReplaceContent(contents, content, options_, result_.report));
    for (const auto& checkpoint : options_.refit) PTEEDIT_TRY(Refit(contents, checkpoint, options_, result_.report));
    if (options_.splat) SplatContents(contents, *options_.splat, file_.name(), result_.report);
    return {};
  }

  StripOptions StripNothing() const {
    StripOptions strip;
    strip.debug = strip.unreferenced = false;
    strip.min_alignment = options_.min_alignment;
    strip.threads = options_.threads;
    return strip;
  }

  template <class Change>
  Status EditProgram(Change change) {
    return Edit(ReadProgramModel(now_), change);
  }

  template <class AnyModel, class Change>
  Status Edit(Result<AnyModel> model, Change change) {
    if (!model) return std::move(model).error();
    PTEEDIT_TRY(change(*model));
    return model->changed ? Take(PlanFile(*model, options_.min_alignment)) : Status();
  }

  // The next step begins with what this one planned.
  Status Take(Result<PlannedFile> planned) {
    if (!planned) return std::move(planned).error();
    result_.file = *std::move(planned);
    result_.changed = true;
    PTEEDIT_ASSIGN(now_, Container::Open(result_.file.AsSource(file_.name())));
    return {};
  }

  // What has other contents is another data file to programs that are bound to it.
  Status Rebind() {
    PTEEDIT_ASSIGN(auto bound, BindAnew(result_.file, options_.min_alignment, options_.threads, result_.report));
    return bound ? Take(std::move(bound->file)) : Status();
  }

  Status Finish() {
    if (result_.changed && file_.kind() == FileKind::kData) PTEEDIT_TRY(Rebind());
    if (result_.changed) {
      renamed_.insert(options_.rename_methods.begin(), options_.rename_methods.end());
      renamed_.insert(options_.rename_keys.begin(), options_.rename_keys.end());
      PTEEDIT_TRY(CheckRewrite(made_of_, now_, renamed_));
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
  std::vector<ProgramSet> made_of_ = {ProgramSet(file_)};
  NewNames renamed_;
  CopyResult result_;
};

}  // namespace

Result<CopyResult> Copy(const Container& file, const CopyOptions& options) {
  if (file.kind() == FileKind::kBundle)
    return Unsupported("is a bundled program; only programs and data files can be edited").In(file.name());
  return Copier(file, options).Run();
}

}  // namespace pteedit
