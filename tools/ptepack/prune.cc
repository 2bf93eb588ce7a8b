// ptepack prune: removes what was part of a release and is part of none any more.
#include <algorithm>
#include <filesystem>
#include <set>
#include <system_error>

#include "cli.h"
#include "commands.h"
#include "json.h"
#include "pteedit/package/release.h"
#include "pteedit/text.h"
#include "pteedit/try.h"
#include "sizes_text.h"

namespace pteedit::cli {
namespace {

namespace fs = std::filesystem;

const char* const kPruneExamples = "Examples:\n  ptepack prune release --dry-run\n  ptepack prune phone/a phone/b";

struct PruneArguments {
  std::vector<std::string> folders;
  WritingOptions writing;
};

struct PrunedFile {
  std::string path;
  uint64_t bytes = 0;
};

OptionGroup PruneOptions(PruneArguments& arguments) {
  return {"",
          {{.name = "DIR",
            .purpose = "A folder with a manifest; what one manifest names stays in all of them",
            .target = &arguments.folders,
            .required = true},
           {"-n,--dry-run", "", "Report everything, remove nothing", &arguments.writing.dry_run},
           {"--json", "", "The report as JSON", &arguments.writing.json}}};
}

void AddNames(const Manifest& manifest, std::set<std::string>& names) {
  for (const ReleaseFile& file : manifest.files) {
    names.insert(file.file);
    if (file.compressed) names.insert(file.compressed->file);
  }
  if (!manifest.delta) return;
  for (const DeltaFile& file : manifest.delta->files) {
    for (const DeltaOperation& operation : file.operations) {
      names.insert(operation.file);
      if (operation.dictionary) names.insert(operation.dictionary->file);
    }
  }
}

// Regular files alone, by the names that a release gives.
Status FindUnnamed(const std::string& folder, const std::set<std::string>& named, std::vector<PrunedFile>& unnamed) {
  std::error_code failed;
  for (fs::directory_iterator entry(folder, failed); !failed && entry != fs::directory_iterator();
       entry.increment(failed)) {
    const std::string name = entry->path().filename().string();
    std::error_code unknown;
    if (!(IsReleaseFileName(name) || IsPartialFileName(name)) || named.count(name) != 0) continue;
    if (entry->symlink_status(unknown).type() != fs::file_type::regular) continue;
    const uint64_t bytes = entry->file_size(unknown);
    unnamed.push_back({entry->path().string(), unknown ? 0 : bytes});
  }
  if (failed) return IoError("cannot read the folder: " + failed.message()).In(folder);
  return {};
}

Result<std::vector<PrunedFile>> Prune(const PruneArguments& arguments) {
  std::set<std::string> named;
  for (const std::string& folder : arguments.folders) {
    PTEEDIT_ASSIGN(const Release release, OpenRelease(folder));
    AddNames(release.manifest, named);
  }
  std::vector<PrunedFile> unnamed;
  for (const std::string& folder : arguments.folders) PTEEDIT_TRY(FindUnnamed(folder, named, unnamed));
  std::sort(unnamed.begin(), unnamed.end(), [](const PrunedFile& a, const PrunedFile& b) { return a.path < b.path; });
  const auto is_same = [](const PrunedFile& a, const PrunedFile& b) { return a.path == b.path; };
  unnamed.erase(std::unique(unnamed.begin(), unnamed.end(), is_same), unnamed.end());
  for (const PrunedFile& file : unnamed) {
    std::error_code failed;
    if (!arguments.writing.dry_run) fs::remove(file.path, failed);
    if (failed) return IoError("cannot remove: " + failed.message()).In(file.path);
  }
  return unnamed;
}

std::string PruneText(const std::vector<PrunedFile>& removed, bool dry_run) {
  std::string text;
  uint64_t bytes = 0;
  for (const PrunedFile& file : removed) {
    text += std::string(dry_run ? "would remove " : "removed ") + EscapeControl(file.path) + ": " +
            HumanSize(file.bytes) + "\n";
    bytes += file.bytes;
  }
  return text + std::to_string(removed.size()) + (removed.size() == 1 ? " file, " : " files, ") + HumanSize(bytes) +
         "\n";
}

Json PruneJson(const std::vector<PrunedFile>& removed, bool dry_run) {
  Json json{{"schema_version", kJsonSchemaVersion}, {"tool", "ptepack"}, {"command", "prune"}, {"dry_run", dry_run}};
  json["removed"] = Json::array();
  for (const PrunedFile& file : removed) json["removed"].push_back({{"file", file.path}, {"bytes", file.bytes}});
  return json;
}

}  // namespace

int PruneMain(int argc, const char* const* argv) {
  Tool tool(FactsOf("prune",
                    "Remove files that are called as those of a release are and that no manifest names any more.",
                    kPruneExamples));
  PruneArguments arguments;
  const OptionGroup rows = PruneOptions(arguments);
  tool.Declare({rows});
  return tool.Run(argc, argv, [&] {
    const bool dry_run = arguments.writing.dry_run;
    return PrintResultOf(
        tool, rows, arguments.writing, [&] { return Prune(arguments); }, PruneJson,
        [&](const std::vector<PrunedFile>& removed) { return PruneText(removed, dry_run); });
  });
}

}  // namespace pteedit::cli
