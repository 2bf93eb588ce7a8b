#include "package.h"

#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "pteedit/container.h"
#include "pteedit/package/create.h"
#include "pteedit/package/delta.h"
#include "pteedit/package/prune.h"
#include "pteedit/package/release.h"
#include "pteedit/package/update.h"
#include "pteedit/package/verify_release.h"
#include "pteedit/try.h"
#include "reports.h"
#include "sources.h"
#include "text.h"
#include "text/reports.h"
#include "threads.h"
#include "watcher.h"
#include "work.h"

namespace pteedit::python {
namespace {

namespace py = pybind11;
using py::literals::operator""_a;
using Path = std::filesystem::path;
using Labels = std::map<std::string, std::string>;

Result<VariantInput> OpenVariant(const std::string& name, const std::vector<Path>& paths, const Labels& labels) {
  if (paths.empty()) return InvalidArgument("variant '" + name + "' has no files");
  std::vector<Container> files;
  for (const Path& path : paths) {
    PTEEDIT_ASSIGN(std::shared_ptr<const Source> source, OpenFileSource(path.string()));
    PTEEDIT_ASSIGN(Container file, Container::Open(std::move(source)));
    files.push_back(std::move(file));
  }
  return VariantInput{name, labels, {files.front(), {files.begin() + 1, files.end()}}};
}

using VariantWords = std::tuple<std::string, std::vector<Path>, Labels>;

// The manifest's text, as of all that answer with a py::str.
py::str Create(const std::vector<VariantWords>& variants, const std::vector<std::pair<std::string, Path>>& included,
               const Path& folder, const std::optional<int>& level, const std::optional<uint64_t>& pack_bytes,
               bool replace, bool dry_run, const py::object& progress) {
  const Watcher watcher(progress);
  return ToPython(Work(watcher.failure(), [&]() -> Result<std::string> {
    std::vector<VariantInput> opened;
    for (const auto& [name, paths, labels] : variants) {
      PTEEDIT_ASSIGN(VariantInput variant, OpenVariant(name, paths, labels));
      opened.push_back(std::move(variant));
    }
    std::vector<IncludedInput> others;
    for (const auto& [name, path] : included) {
      PTEEDIT_ASSIGN(std::shared_ptr<const Source> source, OpenFileSource(path.string()));
      others.push_back({name, std::move(source)});
    }
    PTEEDIT_ASSIGN(const ReleasePlan plan, PlanRelease(opened, others));
    std::vector<std::string> inputs;
    for (const ReleasePlan::Member& member : plan.members) inputs.push_back(member.source->name());
    ReleaseOptions options;
    options.compress_level = level;
    options.threads = cli::ThreadCount();
    options.pack_bytes = pack_bytes;
    options.replace = replace;
    options.dry_run = dry_run;
    options.progress = watcher.Function();
    PTEEDIT_ASSIGN(const Manifest manifest, WriteRelease(plan, folder.string(), inputs, options));
    return ManifestText(manifest);
  }));
}

Release Opened(const Path& folder) {
  return Work({}, [&] { return OpenRelease(folder.string()); });
}

py::object Verified(const Path& folder) {
  const Release release = Opened(folder);
  const auto all = Work({}, [&] { return VerifyRelease(release); });
  return ReportToPython(cli::ReleaseFindingsJson(all, release.manifest.release));
}

void Check(const Path& folder, const std::string& variant, const py::object& progress) {
  const Watcher watcher(progress);
  const Release release = Opened(folder);
  WorkOnly(watcher.failure(), [&] { return CheckReleaseFiles(release, variant, watcher.Function()); });
}

py::object Delta(const Path& from, const Path& to, const Path& folder, int level, bool replace, bool dry_run,
                 const py::object& progress) {
  const Watcher watcher(progress);
  DeltaOptions options;
  options.level = level;
  options.threads = cli::ThreadCount();
  options.replace = replace;
  options.dry_run = dry_run;
  options.progress = watcher.Function();
  const DeltaReport report =
      Work(watcher.failure(), [&] { return CreateDelta(from.string(), to.string(), folder.string(), options); });
  return ReportToPython(cli::DeltaJson(report, dry_run));
}

ApplyOptions OptionsOf(const Watcher& watcher, bool replace, bool dry_run) {
  ApplyOptions options;
  options.replace = replace;
  options.dry_run = dry_run;
  options.progress = watcher.Function();
  return options;
}

py::object Apply(const Path& delta, const Path& from, const Path& to, bool replace, bool dry_run,
                 const py::object& progress) {
  const Watcher watcher(progress);
  const ApplyReport report = Work(watcher.failure(), [&] {
    return ApplyDelta(delta.string(), from.string(), to.string(), OptionsOf(watcher, replace, dry_run));
  });
  return ReportToPython(cli::ApplyJson(report, dry_run));
}

py::object Prune(const std::vector<Path>& folders, bool dry_run) {
  std::vector<std::string> paths;
  for (const Path& folder : folders) paths.push_back(folder.string());
  const std::vector<PrunedFile> removed = Work({}, [&] { return PruneReleases(paths, dry_run); });
  return ReportToPython(cli::PruneJson(removed, dry_run));
}

UpdateFolders FoldersOf(const Path& release, const Path& delta, const Path& installed) {
  return {release.string(), delta.string(), installed.string()};
}

py::dict Plan(const Path& release, const Path& delta, const Path& installed, const std::string& variant) {
  const UpdatePlan plan = Work({}, [&] { return PlanUpdate(FoldersOf(release, delta, installed), variant); });
  py::list fetches;
  for (const Fetch& fetch : plan.fetches)
    fetches.append(
        py::make_tuple(fetch.is_of_delta, ToPython(fetch.file), fetch.offset, fetch.bytes, ToPython(fetch.sha256)));
  return py::dict("from"_a = ToPython(plan.from), "to"_a = ToPython(plan.to), "fetches"_a = std::move(fetches),
                  "download_bytes"_a = plan.download_bytes);
}

py::object Update(const Path& release, const Path& delta, const Path& installed, const std::string& variant,
                  const Path& to, bool replace, const py::object& progress) {
  const Watcher watcher(progress);
  const ApplyReport report = Work(watcher.failure(), [&] {
    return ApplyUpdate(FoldersOf(release, delta, installed), variant, to.string(),
                       OptionsOf(watcher, replace, /*dry_run=*/false));
  });
  return ReportToPython(cli::ApplyJson(report, /*dry_run=*/false));
}

}  // namespace

void AddPackage(py::module_& module) {
  module.def("create_release", &Create, "variants"_a, "included"_a, "folder"_a, "level"_a, "pack_bytes"_a, "replace"_a,
             "dry_run"_a, "progress"_a);
  module.def(
      "read_manifest", [](const Path& folder) { return ToPython(ManifestText(Opened(folder).manifest)); }, "folder"_a);
  module.def("verify_release", &Verified, "folder"_a);
  module.def("check_release", &Check, "folder"_a, "variant"_a, "progress"_a);
  module.def("create_delta", &Delta, "old"_a, "new"_a, "folder"_a, "level"_a, "replace"_a, "dry_run"_a, "progress"_a);
  module.def("apply_delta", &Apply, "delta"_a, "old"_a, "new"_a, "replace"_a, "dry_run"_a, "progress"_a);
  module.def("prune_releases", &Prune, "folders"_a, "dry_run"_a);
  module.def("plan_update", &Plan, "release"_a, "delta"_a, "installed"_a, "variant"_a);
  module.def("apply_update", &Update, "release"_a, "delta"_a, "installed"_a, "variant"_a, "to"_a, "replace"_a,
             "progress"_a);
}

}  // namespace pteedit::python
