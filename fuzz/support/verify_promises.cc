#include "verify_promises.h"

#include <algorithm>
#include <string>

#include "edit/model.h"
#include "edit/plan.h"
#include "fuzz_input.h"
#include "pteedit/delegates.h"
#include "pteedit/describe.h"
#include "pteedit/program_set.h"
#include "pteedit/sizes.h"

namespace pteedit::fuzz {
namespace {

bool IsData(const std::shared_ptr<const Source>& source) {
  const Result<Container> file = Container::Open(source);
  return file && file->kind() == FileKind::kData;
}

std::string ErrorsOf(const std::vector<FileFindings>& all) {
  std::string text;
  for (const FileFindings& file : all) {
    for (const Finding& finding : file.findings) {
      if (finding.severity == Severity::kError)
        text += finding.id + ": " + finding.where + " " + finding.message + "\n";
    }
  }
  return text;
}

Result<PlannedFile> PlanAgain(const Container& file) {
  if (file.kind() == FileKind::kData) {
    Result<DataModel> model = ReadDataModel(file);
    if (!model) return model.error();
    model->changed = true;
    return PlanFile(*model);
  }
  const bool is_bundle = file.kind() == FileKind::kBundle;
  Result<ProgramModel> model = ReadProgramModel(is_bundle ? *file.program() : file);
  if (!model) return model.error();
  model->changed = true;
  Result<PlannedFile> plan = PlanFile(*model);
  if (!plan || !is_bundle) return plan;
  return PlanBundle(file, *plan);
}

bool IsInside(const Extent& a, const Extent& b) {
  return a.offset >= b.offset && a.offset + a.size <= b.offset + b.size;
}

bool OverlapInPart(const Extent& a, const Extent& b) {
  const bool overlap = a.size != 0 && b.size != 0 && a.offset < b.offset + b.size && b.offset < a.offset + a.size;
  return overlap && !IsInside(a, b) && !IsInside(b, a);
}

// What runs right but cannot be rewritten without loss.
bool MayBeRefused(const Container& file, const std::vector<Finding>& warnings) {
  const ProgramSet set(file);
  const std::vector<Extent>& segments = set.program().segments();
  for (size_t i = 1; i < segments.size(); ++i) {
    if (std::any_of(&segments[0], &segments[i], [&](const Extent& one) { return OverlapInPart(one, segments[i]); }))
      return true;
  }
  return file.header().layout_06 || std::any_of(warnings.begin(), warnings.end(), [](const Finding& warning) {
           return warning.id == "unknown-field" || warning.id == "key-twice";
         });
}

void UseSound(const std::shared_ptr<const Source>& source, const Sources& data, const std::vector<Finding>& warnings) {
  const Result<Container> file = Container::Open(source);
  if (!file) return;  // a package, see package.cc
  Describe(*file);
  PromiseResult(DescribeDelegates(*file), "delegates of a sound file can be described:");
  PromiseResult(MeasureSizes(*file, {.look_inside = true}), "a sound file can be measured:");
  const Result<PlannedFile> plan = PlanAgain(*file);
  if (!plan && plan.error().code == ErrorCode::kUnsupported && MayBeRefused(*file, warnings)) return;
  PromiseResult(plan, "a sound file can be rewritten:");
  const auto found = Verify(Reopen(*plan, "again.pte").source(), data);
  PromiseResult(found, "what was rewritten is verified:");
  Promise(!HasErrors(*found), "a sound file is rewritten without errors:", ErrorsOf(*found));
}

}  // namespace

void CheckFailure(const Error& error, const std::shared_ptr<const Source>& program, const Sources& data) {
  const bool all_data = std::all_of(data.begin(), data.end(), IsData);
  switch (error.code) {
    case ErrorCode::kUnsupported:
      return Promise(program->name() == "file", "a file with our name is verified:", error.message);
    case ErrorCode::kInvalidArgument:
      return Promise(!all_data || IsData(program), "data files belong to a program:", error.message);
    default:
      Promise(false, "verification ends with findings:", error.message);
  }
}

void CheckFindings(const std::vector<FileFindings>& found, const std::shared_ptr<const Source>& program,
                   const Sources& data) {
  Promise(found.size() == 1 + data.size(), "each file has its findings");
  for (size_t i = 0; i < found.size(); ++i) {
    const bool opens = Container::OpenToLook(i == 0 ? program : data[i - 1]).has_value();
    Promise(opens || HasErrors({found[i]}), "a file that is refused has an error");
  }
  if (!HasErrors(found)) UseSound(program, data, found.front().findings);
}

}  // namespace pteedit::fuzz
