// pteinspect --verify, and that a file without errors can be described and rewritten.
#include "pteedit/verify.h"

#include <algorithm>

#include "edit/model.h"
#include "edit/plan.h"
#include "fuzz_input.h"
#include "pteedit/delegates.h"
#include "pteedit/describe.h"
#include "pteedit/program_set.h"
#include "pteedit/sizes.h"

using namespace pteedit;

namespace {

using Sources = std::vector<std::shared_ptr<const Source>>;

// Copies, each exactly as long as its file, so that a sanitizer sees a read behind it. Where the name says nothing,
// option bit 1, a file of unknown content is refused.
Sources SourcesFrom(const fuzz::FuzzInput& input) {
  const bool named = (input.options[0] & 1) == 0;
  Sources sources;
  for (const ByteSpan file : input.files) {
    std::vector<uint8_t> bytes(file.data, file.data + file.size);
    const char* name = !named ? "file" : sources.empty() ? "program.pte" : "data.ptd";
    sources.push_back(MakeMemorySource(name, std::move(bytes)));
  }
  return sources;
}

bool IsData(const std::shared_ptr<const Source>& source) {
  const Result<Container> file = Container::Open(source);
  return file && file->kind() == FileKind::kData;
}

// Verification fails for what verify.h says, and nothing else.
void CheckFailure(const Error& error, const std::shared_ptr<const Source>& program, const Sources& data) {
  const bool all_data = std::all_of(data.begin(), data.end(), IsData);
  switch (error.code) {
    case ErrorCode::kUnsupported:
      return fuzz::Promise(program->name() == "file", "a file with our name is verified:", error.message);
    case ErrorCode::kInvalidArgument:
      return fuzz::Promise(!all_data || IsData(program), "data files belong to a program:", error.message);
    default:
      fuzz::Promise(false, "verification ends with findings:", error.message);
  }
}

bool HasError(const FileFindings& file) { return HasErrors({file}); }

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
  const LayoutOptions repack{16, /*force_repack=*/true};
  if (file.kind() == FileKind::kData) {
    Result<DataModel> model = ReadDataModel(file);
    if (!model) return model.error();
    return PlanFile(*std::move(model), repack);
  }
  const bool is_bundle = file.kind() == FileKind::kBundle;
  Result<ProgramModel> model = ReadProgramModel(is_bundle ? *file.program() : file);
  if (!model) return model.error();
  Result<PlannedFile> plan = PlanFile(*std::move(model), repack);
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

// The repacked file is verified with the data files as they are.
void UseSound(const std::shared_ptr<const Source>& source, const Sources& data, const std::vector<Finding>& warnings) {
  const Result<Container> file = Container::Open(source);
  Describe(*file);
  fuzz::Promise(DescribeDelegates(*file).has_value(), "delegates of a sound file can be described");
  fuzz::Promise(MeasureSizes(*file, {true, {}}).has_value(), "a sound file can be measured");
  const Result<PlannedFile> plan = PlanAgain(*file);
  if (!plan && plan.error().code == ErrorCode::kUnsupported && MayBeRefused(*file, warnings)) return;
  fuzz::Promise(plan.has_value(), "a sound file can be rewritten:", plan ? "" : plan.error().message);
  const auto found = Verify(fuzz::Reopen(*plan, "again.pte").source(), data);
  fuzz::Promise(found.has_value(), "what was rewritten is verified:", found ? "" : found.error().message);
  fuzz::Promise(!HasErrors(*found), "a sound file is rewritten without errors:", ErrorsOf(*found));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  const fuzz::FuzzInput input = fuzz::ParseInput({bytes, size});
  Sources data = SourcesFrom(input);
  if (data.empty()) return 0;
  const std::shared_ptr<const Source> program = data.front();
  data.erase(data.begin());
  const Result<std::vector<FileFindings>> found = Verify(program, data);
  if (!found) {
    CheckFailure(found.error(), program, data);
    return 0;
  }
  fuzz::Promise(found->size() == 1 + data.size(), "each file has its findings");
  for (size_t i = 0; i < found->size(); ++i) {
    const bool opens = Container::Open(i == 0 ? program : data[i - 1]).has_value();
    fuzz::Promise(opens || HasError((*found)[i]), "a file that is refused has an error");
  }
  if (!HasErrors(*found)) UseSound(program, data, found->front().findings);
  return 0;
}
