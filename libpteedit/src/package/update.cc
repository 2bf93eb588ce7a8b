#include "pteedit/package/update.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "base/checked.h"
#include "base/text.h"
#include "io/digest.h"
#include "io/posix_file.h"
#include "io/streaming.h"
#include "package/apply_plan.h"
#include "package/checked_file.h"
#include "package/manifest_names.h"
#include "pteedit/try.h"

namespace pteedit {
namespace {

Result<std::vector<const ReleaseFile*>> FilesOfVariant(const Release& release, const std::string& variant) {
  const Manifest& manifest = release.manifest;
  std::vector<const ReleaseFile*> files;
  if (variant.empty()) {
    for (const ReleaseFile& file : manifest.files) files.push_back(&file);
    return files;
  }
  const ReleaseVariant* found = manifest.FindVariant(variant);
  if (found == nullptr) return InvalidArgument(Text("there is no variant ", Quoted(variant))).In(release.folder);
  for (const std::string& name : found->files) files.push_back(manifest.Find(name));
  return files;
}

// Nothing where there is no such file.
Result<std::optional<uint64_t>> SizeThere(const std::string& folder, const std::string& name) {
  if (folder.empty() || !PathExists(folder + "/" + name)) return std::optional<uint64_t>();
  PTEEDIT_ASSIGN(const std::shared_ptr<const Source> source, OpenReleaseFile(folder, name));
  return std::optional<uint64_t>(source->size());
}

Result<bool> IsThere(const std::string& folder, const std::string& name, uint64_t bytes) {
  PTEEDIT_ASSIGN(const std::optional<uint64_t> size, SizeThere(folder, name));
  return size == bytes;
}

// As it is sent.
CompressedFile SentFile(const ReleaseFile& file) {
  return file.compressed.value_or(CompressedFile{file.file, file.bytes, file.sha256});
}

// How the device gets a file of the new release.
struct Way {
  const ReleaseFile* file = nullptr;
  std::string folder;               // that has it whole; empty: none
  const DeltaFile* made = nullptr;  // by the delta; else it is fetched as it is sent
  std::vector<Fetch> fetches;       // what lacks for that
};

class Updater {
 public:
  Updater(UpdateFolders folders, std::string variant) : folders_(std::move(folders)), variant_(std::move(variant)) {}

  Status FindWays() {
    PTEEDIT_TRY(OpenNew());
    PTEEDIT_TRY(OpenOld());
    PTEEDIT_TRY(OpenDelta());
    PTEEDIT_ASSIGN(const std::vector<const ReleaseFile*> files, FilesOfVariant(new_, variant_));
    for (const ReleaseFile* file : files) {
      PTEEDIT_ASSIGN(Way way, FindWay(*file));
      ways_.push_back(std::move(way));
    }
    return {};
  }

  Result<UpdatePlan> Plan() const {
    UpdatePlan plan;
    if (old_) plan.from = old_->manifest.release;
    plan.to = new_.manifest.release;
    std::map<std::pair<bool, std::string>, Fetch> fetches;  // files may be made of the same one
    uint64_t download = 0;
    for (const Way& way : ways_) {
      for (const Fetch& fetch : way.fetches) fetches.insert({{fetch.is_of_delta, fetch.file}, fetch});
      PTEEDIT_TRY(Add(SentFile(*way.file).bytes, download));
    }
    for (const auto& [name, fetch] : fetches) {
      PTEEDIT_TRY(Add(fetch.bytes, plan.fetch_bytes));
      plan.fetches.push_back(fetch);
    }
    plan.download_bytes = download;
    return plan;
  }

  Result<ApplyReport> Apply(const std::string& to, const ApplyOptions& options) {
    PTEEDIT_TRY(CheckFetched());
    plan_.manifest = WithoutCompressed(new_.manifest);
    plan_.text = HasCompressed(new_.manifest) ? ManifestText(plan_.manifest) : text_;
    if (old_) plan_.old = old_->manifest;
    plan_.made_by = (folders_.delta.empty() ? folders_.release : folders_.delta) + "/" + kManifestName;
    for (const Way& way : ways_) PTEEDIT_TRY(PlanFile(way));
    return ApplyPlanned(plan_, to, folders_.release + "/" + kManifestName, folders_.delta, options);
  }

 private:
  Error WrongDelta(const std::string& what) const {
    return Malformed("delta " + what).In(folders_.delta + "/" + kManifestName);
  }

  static Status Add(uint64_t bytes, uint64_t& sum) {
    const std::optional<uint64_t> more = CheckedAdd(sum, bytes);
    if (!more) return Malformed("files have more than 2^64 bytes");
    sum = *more;
    return {};
  }

  // What is read is what takes its place in the end.
  Status OpenNew() {
    PTEEDIT_ASSIGN(const std::shared_ptr<const Source> source, OpenReleaseFile(folders_.release, kManifestName));
    text_.resize(static_cast<size_t>(std::min(source->size(), kMaxManifestBytes + 1)));
    PTEEDIT_TRY(source->Read(0, {reinterpret_cast<uint8_t*>(text_.data()), text_.size()}));
    const ByteSpan bytes{reinterpret_cast<const uint8_t*>(text_.data()), text_.size()};
    new_.folder = folders_.release;
    PTEEDIT_ASSIGN(new_.manifest, ReadManifest(*MakeViewSource(source->name(), bytes)));
    if (new_.manifest.delta) return InvalidArgument("is that of a delta, a release expected").In(source->name());
    return {};
  }

  // One that cannot be read is as good as none, and an update mends it.
  Status OpenOld() {
    if (folders_.installed.empty() || !PathExists(folders_.installed + "/" + kManifestName)) return {};
    Result<Release> old = OpenRelease(folders_.installed);
    if (old) old_ = *std::move(old);
    return {};
  }

  // One may be applied already, by a process that perhaps could not tell so any more.
  Status OpenDelta() {
    if (folders_.delta.empty()) return {};
    PTEEDIT_ASSIGN(Release delta, OpenRelease(folders_.delta));
    delta_ = std::move(delta);
    if (!delta_->manifest.delta) return Malformed("is no delta").In(folders_.delta + "/" + kManifestName);
    const std::string from = old_ ? old_->manifest.release : "none";
    const bool is_applied = from == new_.manifest.release;
    if ((from != delta_->manifest.delta->from && !is_applied) || delta_->manifest.release != new_.manifest.release) {
      return InvalidArgument(Text("delta is from release ", delta_->manifest.delta->from, " to ",
                                  delta_->manifest.release, ", from ", from, " to ", new_.manifest.release,
                                  " expected"))
          .In(folders_.delta + "/" + kManifestName);
    }
    if (is_applied) return {};
    for (const DeltaFile& made : delta_->manifest.delta->files) {
      if (!made_.emplace(made.file, &made).second) return WrongDelta(Text("makes ", Quoted(made.file), " twice"));
    }
    return {};
  }

  Result<Way> FindWay(const ReleaseFile& file) const {
    Way way;
    way.file = &file;
    for (const std::string& folder : {folders_.release, folders_.installed}) {
      PTEEDIT_ASSIGN(const bool is_there, IsThere(folder, file.file, file.bytes));
      if (!is_there) continue;
      way.folder = folder;
      return way;
    }
    const CompressedFile sent = SentFile(file);
    PTEEDIT_TRY(AddFetch(/*is_of_delta=*/false, sent.file, sent.bytes, sent.sha256, way.fetches));
    PTEEDIT_ASSIGN(std::optional<Way> shorter, FindWayByDelta(file));
    if (shorter && BytesOf(shorter->fetches) < BytesOf(way.fetches)) return *std::move(shorter);
    return way;
  }

  // Nothing where the delta does not make the file, or of files that the device has not.
  Result<std::optional<Way>> FindWayByDelta(const ReleaseFile& file) const {
    const auto found = made_.find(file.file);
    if (found == made_.end()) return std::optional<Way>();
    Way way;
    way.file = &file;
    way.made = found->second;
    if (way.made->sha256 != file.sha256)
      return WrongDelta(Text("makes another ", Quoted(file.file), " than the new manifest has"));
    std::set<std::string_view> taken;
    for (const DeltaOperation& operation : way.made->operations) {
      if (operation.dictionary) {
        PTEEDIT_ASSIGN(const bool has, HasOld(operation.dictionary->file));
        if (!has) return std::optional<Way>();
      }
      if (operation.is_copy) {
        PTEEDIT_ASSIGN(const bool has, HasOld(operation.file));
        if (!has) return std::optional<Way>();
      } else if (taken.insert(operation.file).second) {
        const ReleaseFile* part = delta_->manifest.Find(operation.file);
        if (part == nullptr) return WrongDelta(Text("has no file ", Quoted(operation.file)));
        PTEEDIT_TRY(AddFetch(/*is_of_delta=*/true, part->file, part->bytes, part->sha256, way.fetches));
      }
    }
    return std::optional(std::move(way));
  }

  Result<bool> HasOld(const std::string& name) const {
    if (name == kManifestName) return true;
    const ReleaseFile* file = old_->manifest.Find(name);
    if (file == nullptr) return WrongDelta(Text("refers to ", Quoted(name), ", which is no file of the older release"));
    return IsThere(folders_.installed, name, file->bytes);
  }

  // What is longer than it may be is fetched anew.
  Status AddFetch(bool is_of_delta, const std::string& name, uint64_t bytes, const std::string& sha256,
                  std::vector<Fetch>& fetches) const {
    PTEEDIT_ASSIGN(const std::optional<uint64_t> there,
                   SizeThere(is_of_delta ? folders_.delta : folders_.release, name));
    if (there == bytes) return {};
    const uint64_t offset = there && *there < bytes ? *there : 0;
    fetches.push_back({is_of_delta, name, offset, bytes - offset, sha256});
    return {};
  }

  static uint64_t BytesOf(const std::vector<Fetch>& fetches) {
    uint64_t sum = 0;
    for (const Fetch& fetch : fetches) sum = CheckedAdd(sum, fetch.bytes).value_or(UINT64_MAX);
    return sum;
  }

  Status CheckFetched() const {
    for (const Way& way : ways_) {
      for (const Fetch& fetch : way.fetches) {
        return InvalidArgument(Text("lacks ", fetch.bytes, " bytes, which are still to be fetched"))
            .In((fetch.is_of_delta ? folders_.delta : folders_.release) + "/" + fetch.file);
      }
    }
    return {};
  }

  Status PlanFile(const Way& way) {
    ApplyFile file{*way.file, way.made, nullptr, nullptr};
    if (!way.folder.empty()) {
      PTEEDIT_ASSIGN(file.unchanged, OpenSized(way.folder, *way.file));
    } else if (way.made != nullptr) {
      PTEEDIT_TRY(OpenSources(*way.made));
      PTEEDIT_ASSIGN(const uint64_t bytes, Check(*way.made));
      if (bytes != way.file->bytes)
        return WrongDelta(Text("gives ", bytes, " bytes of ", Quoted(way.file->file), ", which has ", way.file->bytes));
    } else {
      const CompressedFile packed = SentFile(*way.file);
      PTEEDIT_ASSIGN(file.packed,
                     OpenChecked(folders_.release, {packed.file, way.file->role, {}, packed.bytes, packed.sha256, {}}));
    }
    plan_.files.push_back(std::move(file));
    return {};
  }

  Result<uint64_t> Check(const DeltaFile& made) const {
    Result<uint64_t> bytes = CheckOperations(made, plan_.sources);
    if (!bytes) return std::move(bytes).error().In(plan_.made_by);
    return bytes;
  }

  Status OpenSources(const DeltaFile& made) {
    for (const DeltaOperation& operation : made.operations) {
      if (operation.dictionary) PTEEDIT_TRY(OpenOldFile(operation.dictionary->file));
      if (operation.is_copy) {
        PTEEDIT_TRY(OpenOldFile(operation.file));
      } else if (plan_.sources.delta_files.count(operation.file) == 0) {
        PTEEDIT_ASSIGN(plan_.sources.delta_files[operation.file],
                       OpenChecked(folders_.delta, *delta_->manifest.Find(operation.file)));
      }
    }
    return {};
  }

  Status OpenOldFile(const std::string& name) {
    if (plan_.sources.old_files.count(name) != 0) return {};
    const ReleaseFile* file = old_->manifest.Find(name);  // null: the manifest
    PTEEDIT_ASSIGN(plan_.sources.old_files[name],
                   file == nullptr ? OpenReleaseFile(folders_.installed, name) : OpenSized(folders_.installed, *file));
    return {};
  }

  const UpdateFolders folders_;
  const std::string variant_;
  std::string text_;  // of the new manifest
  Release new_;
  std::optional<Release> old_, delta_;
  std::map<std::string, const DeltaFile*> made_;
  std::vector<Way> ways_;
  ApplyPlan plan_;
};

}  // namespace

Result<UpdatePlan> PlanUpdate(const UpdateFolders& folders, const std::string& variant) {
  Updater updater(folders, variant);
  PTEEDIT_TRY(updater.FindWays());
  return updater.Plan();
}

Result<ApplyReport> ApplyUpdate(const UpdateFolders& folders, const std::string& variant, const std::string& to,
                                const ApplyOptions& options) {
  Updater updater(folders, variant);
  PTEEDIT_TRY(updater.FindWays());
  return updater.Apply(to, options);
}

Status CheckReleaseFiles(const Release& release, const std::string& variant,
                         const std::function<bool(uint64_t done, uint64_t total)>& progress) {
  PTEEDIT_ASSIGN(const std::vector<const ReleaseFile*> files, FilesOfVariant(release, variant));
  uint64_t done = 0, total = 0;
  for (const ReleaseFile* file : files) total += file->bytes;
  for (const ReleaseFile* file : files) {
    PTEEDIT_ASSIGN(const std::shared_ptr<const Source> source, OpenSized(release.folder, *file));
    Sha256 hash;
    PTEEDIT_TRY(ForEachPiece(*source, {0, file->bytes}, [&](ByteSpan piece) -> Status {
      hash.Update(piece);
      done += piece.size;
      if (progress && !progress(done, total)) return IoError("stopped").In(release.folder);
      return {};
    }));
    PTEEDIT_TRY(CheckDigest(hash.Finish().Hex(), file->sha256, *source));
  }
  return {};
}

}  // namespace pteedit
