// ptepack create: programs and their data files into a release.
#include "pteedit/package/create.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include "cli.h"
#include "commands.h"
#include "input_files.h"
#include "inputs.h"
#include "progress.h"
#include "pteedit/package/release.h"
#include "pteedit/requirements.h"
#include "pteedit/text.h"
#include "pteedit/try.h"
#include "rewrite_output.h"
#include "targets.h"
#include "text/format.h"
#include "writing_tool.h"

namespace pteedit::cli {
namespace {

const char* const kCreateExamples =
    R"(Examples:
  ptemerge french=a.pte german=b.pte -o family && ptepack create family -o release
  ptepack create fast=a.pte,weights.ptd small=b.pte,weights.ptd -o release
  ptepack create family -o release --include tokenizer:tokenizer.json --label french=region:eu)";

struct CreateArguments {
  std::vector<std::string> words, included, labels, required, targets;
  std::string output;
  std::optional<uint64_t> store_limit, pack_bytes, level;
  WritingOptions writing;
};

// Findings that refuse a release.
constexpr const char* kOverStoreLimit = "over-store-limit";
constexpr const char* kTargetLacks = "target-lacks";

OptionGroup CreateOptions(CreateArguments& arguments) {
  std::vector<OptionRow> rows = {
      {.name = "SET",
       .purpose =
           "A program and its data files, [NAME=]A.pte[,A.ptd...] (\\, is a comma in a name), or a folder of such, "
           "[NAME=]DIR",
       .target = &arguments.words,
       .required = true},
      {.name = "-o,--output",
       .value = "RELEASE",
       .purpose = "The folder that gets the release",
       .target = &arguments.output,
       .required = true},
      {"--include", "ROLE:FILE", "Another file that all variants have, such as tokenizer:tokenizer.json",
       &arguments.included},
      {"--label", "NAME=KEY:VALUE,...", "Labels of a variant, beside those that its program tells", &arguments.labels},
      {.name = "--compress",
       .value = "LEVEL",
       .purpose = "Also put each file there compressed with zstd, LEVEL 1 to 22 (3), where that saves anything",
       .target = Number{&arguments.level, kMinPackLevel, kMaxPackLevel},
       .otherwise = "3"},
      {.name = "--threads",
       .value = "N",
       .purpose = "Threads for compressing (default: all cores)",
       .target = Number{&arguments.writing.threads, 1, kMaxPackThreads},
       .needs = {{{"--compress"}}}},
      {"--packs", "SIZE", "Cut the release into packs of at most this, each variant with a list of its own",
       &arguments.pack_bytes},
      {"--store-limit", "SIZE", "Exit code 1, and nothing written, where a file is larger", &arguments.store_limit},
      {"--require", "TARGET",
       "Exit code 1, and nothing written, where TARGET, see pteinspect --target, lacks what a variant needs",
       &arguments.required},
      {"--target", "TARGET", "The same, but a variant that TARGET lacks something of is only not listed as one for it",
       &arguments.targets}};
  for (OptionRow& row : WritingRows(arguments.writing, "Add to RELEASE where it exists; only its manifest is replaced"))
    rows.push_back(std::move(row));
  return {"", std::move(rows)};
}

// That an existing folder is a release, or empty: nobody wants hundreds of files in another.
Status CheckIsRelease(const std::string& folder) {
  std::error_code failed;
  const std::filesystem::directory_iterator entry(folder, failed);
  const bool is_empty = failed || entry == std::filesystem::directory_iterator();
  if (is_empty || std::filesystem::exists(folder + "/" + kManifestName, failed)) return {};
  return InvalidArgument(std::string("has files but no ") + kManifestName + ": only to a release is something added")
      .In(folder);
}

Status CheckStoreLimit(const ReleasePlan& plan, std::optional<uint64_t> limit) {
  for (const ReleasePlan::Member& member : plan.members) {
    const uint64_t bytes = member.source->size();
    if (!limit || bytes <= *limit) continue;
    Error error =
        InvalidArgument("has " + std::to_string(bytes) + " bytes, over the store limit of " + std::to_string(*limit));
    error.finding = kOverStoreLimit;
    return std::move(error).In(member.source->name());
  }
  return {};
}

// Of those that lack nothing.
std::vector<std::string> NamesOf(const std::vector<Target>& targets, const Requirements& needs) {
  std::set<std::string> names;
  for (const Target& target : targets) {
    if (CompareWith(target, needs).empty()) names.insert(target.name);
  }
  return {names.begin(), names.end()};
}

// For each variant and target where it lacks something.
std::vector<Error> FindLacking(const ReleasePlan& plan, const std::vector<Target>& targets) {
  std::vector<Error> lacking;
  for (const ReleasePlan::Variant& variant : plan.variants) {
    for (const Target& target : targets) {
      const std::vector<RuntimeNeed> missing = CompareWith(target, variant.needs);
      if (missing.empty()) continue;
      Error error = InvalidArgument(VerdictOf(target, missing) + ": " + Join(missing, "; ", WordsOf));
      error.finding = kTargetLacks;
      lacking.push_back(std::move(error).In(plan.members[variant.members.front()].source->name()));
    }
  }
  return lacking;
}

// Prints all but the last, which it fails with.
Status CheckTargets(const Tool& tool, const ReleasePlan& plan, const std::vector<Target>& targets) {
  const std::vector<Error> lacking = FindLacking(plan, targets);
  for (size_t i = 0; i + 1 < lacking.size(); ++i) tool.PrintError(lacking[i]);
  if (lacking.empty()) return {};
  return lacking.back();
}

void ReportFiles(const CreateArguments& arguments, const ReleasePlan& plan, const Manifest& manifest,
                 RewriteOutput& report) {
  for (const ReleasePlan::Member& member : plan.members)
    report.inputs.push_back({member.source->name(), member.source->size(), {}, {}});
  const std::string folder = arguments.output + "/";
  for (const ReleaseFile& file : manifest.files) {
    report.outputs.push_back({folder + file.file, file.bytes, RoleName(file.role), file.sha256});
    if (!file.compressed) continue;
    report.outputs.push_back(
        {folder + file.compressed->file, file.compressed->bytes, "compressed", file.compressed->sha256});
  }
  report.outputs.push_back({folder + kChecksumsName, ChecksumList(manifest).size(), "checksums", {}});
  report.outputs.push_back({folder + kManifestName, ManifestText(manifest).size(), "manifest", {}});
  for (const ReleasePlan::Variant& variant : plan.variants)
    report.report.data_files = std::max(report.report.data_files, variant.needs.data_files);
}

ReleaseOptions OptionsFrom(const CreateArguments& arguments) {
  ReleaseOptions options;
  options.replace = arguments.writing.force;
  options.dry_run = arguments.writing.dry_run;
  if (arguments.level) options.compress_level = static_cast<int>(*arguments.level);
  options.pack_bytes = arguments.pack_bytes;
  options.threads = arguments.writing.ThreadCount();
  options.progress = ShowWritten;
  return options;
}

Error Hinted(Error error, const std::vector<VariantInput>& variants) {
  const auto blamed = std::find_if(variants.begin(), variants.end(), [&](const VariantInput& variant) {
    return variant.files.file().name() == error.file;
  });
  return blamed == variants.end() ? error : HintedToUnwrap(std::move(error), blamed->files.file());
}

Result<RewriteOutput> CreateRelease(const Tool& tool, const CreateArguments& given) {
  CreateArguments arguments = given;
  while (arguments.output.size() > 1 && arguments.output.back() == '/') arguments.output.pop_back();
  PTEEDIT_TRY(CheckIsRelease(arguments.output));
  PTEEDIT_ASSIGN(std::vector<VariantInput> variants, OpenVariants(arguments.words));
  for (const std::string& label : arguments.labels) PTEEDIT_TRY(AddLabels(label, variants));
  std::vector<IncludedInput> included;
  for (const std::string& word : arguments.included) {
    PTEEDIT_ASSIGN(IncludedInput file, OpenIncluded(word));
    included.push_back(std::move(file));
  }
  PTEEDIT_ASSIGN(const std::vector<Target> required, FindTargets("--require", arguments.required));
  PTEEDIT_ASSIGN(std::vector<Target> targets, FindTargets("--target", arguments.targets));
  Result<ReleasePlan> planned = PlanRelease(variants, included);
  if (!planned) return Hinted(planned.error(), variants);
  ReleasePlan& plan = *planned;
  PTEEDIT_TRY(CheckTargets(tool, plan, required));
  targets.insert(targets.end(), required.begin(), required.end());
  for (ReleasePlan::Variant& variant : plan.variants) variant.targets = NamesOf(targets, variant.needs);
  PTEEDIT_TRY(CheckStoreLimit(plan, arguments.store_limit));
  std::vector<std::string> inputs;
  for (const ReleasePlan::Member& member : plan.members) inputs.push_back(PathOf(member.source->name()));
  for (const auto* offers : {&arguments.required, &arguments.targets}) {
    for (const std::string& file : FilesOfTargets(*offers)) inputs.push_back(PathOf(file));
  }
  PTEEDIT_TRY(CheckStandardOutputs(inputs));
  PTEEDIT_ASSIGN(const Manifest manifest, WriteRelease(plan, arguments.output, inputs, OptionsFrom(arguments)));
  RewriteOutput report;
  report.tool = "ptepack";
  report.dry_run = arguments.writing.dry_run;
  report.with_sha256 = true;
  report.release = manifest.release;
  report.nothing = "release " + manifest.release + ": " + std::to_string(manifest.variants.size()) +
                   (manifest.variants.size() == 1 ? " variant" : " variants");
  ReportFiles(arguments, plan, manifest, report);
  for (const ReleaseVariant& variant : manifest.variants)
    report.report.min_runtime = NewerRelease(std::move(report.report.min_runtime), variant.min_runtime);
  return report;
}

}  // namespace

int CreateMain(int argc, const char* const* argv) {
  Tool tool(FactsOf("create", "Make a release, a folder to serve, of programs and their data files.", kCreateExamples));
  CreateArguments arguments;
  const OptionGroup options = CreateOptions(arguments);
  tool.Declare({options});
  return tool.Run(argc, argv, [&] {
    const std::string conflict = FindConflict({options}, tool.given());
    if (!conflict.empty()) return tool.PrintError(InvalidArgument(conflict));
    bool is_finding = false;
    const int code = PrintReport(tool, arguments.writing, arguments.output, [&] {
      Result<RewriteOutput> report = CreateRelease(tool, arguments);
      const std::string_view finding = report ? "" : report.error().finding;
      is_finding = finding == kOverStoreLimit || finding == kOverPackSize || finding == kTargetLacks;
      return report;
    });
    return is_finding ? static_cast<int>(kExitFindings) : code;
  });
}

}  // namespace pteedit::cli
