// ptepack etm: a release, or one of its variants, as one file.
#include "cli.h"
#include "commands.h"
#include "progress.h"
#include "pteedit/package/archive.h"
#include "pteedit/package/create.h"
#include "pteedit/try.h"
#include "rewrite_output.h"

namespace pteedit::cli {
namespace {

const char* const kArchiveExamples =
    "Examples:\n  ptepack etm release:french -o french.etm\n  ptepack etm release -o all.etm";

struct ArchiveArguments {
  std::string release, output;
  WritingOptions writing;
};

OptionGroup ArchiveOptions(ArchiveArguments& arguments) {
  std::vector<OptionRow> rows = {{.name = "RELEASE",
                                  .purpose = "Its folder, or one of its variants: RELEASE:VARIANT",
                                  .target = &arguments.release,
                                  .required = true},
                                 {.name = "-o,--output",
                                  .value = "OUT",
                                  .purpose = "The archive, model.etm",
                                  .target = &arguments.output,
                                  .required = true}};
  for (OptionRow& row : WritingRows(arguments.writing, "Replace existing outputs")) rows.push_back(std::move(row));
  return {"", std::move(rows)};
}

struct ReleaseWord {
  Release release;
  std::string variant;
};

// A folder whose name has a colon is meant where it is a release.
Result<ReleaseWord> OpenReleaseWord(const std::string& word) {
  Result<Release> whole = OpenRelease(word);
  const size_t colon = word.rfind(':');
  if (whole || colon == std::string::npos || whole.error().code != ErrorCode::kIo) {
    if (!whole) return std::move(whole).error();
    return ReleaseWord{*std::move(whole), {}};
  }
  PTEEDIT_ASSIGN(Release release, OpenRelease(word.substr(0, colon)));
  if (colon + 1 == word.size()) return InvalidArgument("RELEASE:VARIANT expected, the variant is empty");
  return ReleaseWord{std::move(release), word.substr(colon + 1)};
}

Result<RewriteOutput> WriteArchive(const ArchiveArguments& arguments) {
  PTEEDIT_ASSIGN(const ReleaseWord word, OpenReleaseWord(arguments.release));
  const Manifest& manifest = word.release.manifest;
  PTEEDIT_ASSIGN(const PlannedFile plan, PlanArchive(word.release, word.variant));
  RewriteOutput report;
  report.tool = "ptepack";
  report.dry_run = arguments.writing.dry_run;
  report.release = manifest.release;
  report.nothing = word.variant.empty() ? "the whole release" : "variant " + word.variant;
  const ReleaseVariant* variant = manifest.FindVariant(word.variant);
  std::vector<std::string> inputs{word.release.folder + "/" + kManifestName,
                                  word.release.folder + "/" + kChecksumsName};
  std::vector<const ReleaseFile*> files;
  if (variant != nullptr) {
    for (const std::string& name : variant->files) files.push_back(manifest.Find(name));
  } else {
    for (const ReleaseFile& file : manifest.files) files.push_back(&file);
  }
  for (const ReleaseFile* file : files) {
    inputs.push_back(word.release.folder + "/" + file->file);
    report.inputs.push_back({inputs.back(), file->bytes, {}, {}});
    if (file->compressed && variant == nullptr) inputs.push_back(word.release.folder + "/" + file->compressed->file);
  }
  if (variant != nullptr) {
    report.report.min_runtime = variant->min_runtime;
    report.report.data_files = variant->data_files;
  }
  report.outputs.push_back({arguments.output, plan.size(), "archive", {}});
  PTEEDIT_TRY(WriteOutputs(arguments.writing, {{arguments.output, plan}}, inputs, report));
  return report;
}

}  // namespace

int ArchiveMain(int argc, const char* const* argv) {
  Tool tool(
      FactsOf("etm", "Make one file of a release or a variant: an archive that a runtime can map.", kArchiveExamples));
  ArchiveArguments arguments;
  const OptionGroup options = ArchiveOptions(arguments);
  tool.Declare({options});
  return tool.Run(argc, argv, [&] {
    const std::string conflict = WritingConflict(options, tool.given(), arguments.writing, arguments.output);
    if (!conflict.empty()) return tool.PrintError(InvalidArgument(conflict));
    return PrintReport(tool, arguments.writing, arguments.output, [&] { return WriteArchive(arguments); });
  });
}

}  // namespace pteedit::cli
