#include "pteedit/package/prune.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "io/posix_file.h"
#include "io/posix_output.h"
#include "pteedit/package/release.h"
#include "pteedit/try.h"

namespace pteedit {
namespace {

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

Result<std::vector<PrunedFile>> FindUnnamed(const std::string& folder, const std::set<std::string>& named) {
  std::vector<PrunedFile> unnamed;
  PTEEDIT_ASSIGN(const std::vector<FileInFolder> files, RegularFilesIn(folder, [&](const std::string& name) {
                   return (IsReleaseFileName(name) || IsPartialFileName(name)) && named.count(name) == 0;
                 }));
  for (const FileInFolder& file : files)
    unnamed.push_back({folder + (folder.ends_with('/') ? "" : "/") + file.name, file.bytes});
  return unnamed;
}

}  // namespace

Result<std::vector<PrunedFile>> PruneReleases(const std::vector<std::string>& folders, bool dry_run) {
  std::set<std::string> named;
  for (const std::string& folder : folders) {
    PTEEDIT_ASSIGN(const Release release, OpenRelease(folder));
    AddNames(release.manifest, named);
  }
  std::vector<PrunedFile> unnamed;
  for (const std::string& folder : folders) {
    PTEEDIT_ASSIGN(std::vector<PrunedFile> found, FindUnnamed(folder, named));
    std::move(found.begin(), found.end(), std::back_inserter(unnamed));
  }
  std::sort(unnamed.begin(), unnamed.end(), [](const PrunedFile& a, const PrunedFile& b) { return a.path < b.path; });
  const auto is_same = [](const PrunedFile& a, const PrunedFile& b) { return a.path == b.path; };
  unnamed.erase(std::unique(unnamed.begin(), unnamed.end(), is_same), unnamed.end());
  for (const PrunedFile& file : unnamed) {
    if (!dry_run) PTEEDIT_TRY(RemoveFile(file.path));
  }
  return unnamed;
}

}  // namespace pteedit
