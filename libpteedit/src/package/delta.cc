#include "pteedit/package/delta.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "base/text.h"
#include "io/digest.h"
#include "io/posix_file.h"
#include "io/sealed_files.h"
#include "io/temporary_file.h"
#include "package/checked_file.h"
#include "package/delta_build.h"
#include "package/delta_packer.h"
#include "package/zstd_frames.h"
#include "pteedit/package/create.h"
#include "pteedit/package/manifest.h"
#include "pteedit/package/release.h"
#include "pteedit/planned_file.h"
#include "pteedit/try.h"

namespace pteedit {
namespace {

constexpr char kDeltaExtension[] = "bin";

DeltaOperation OperationOf(const PackedStep& step, const std::vector<std::string>& old_names,
                           const std::string& packed_name) {
  DeltaOperation operation;
  operation.is_copy = step.copy.has_value();
  operation.file = operation.is_copy ? old_names[step.copy->file] : packed_name;
  operation.place = operation.is_copy ? step.copy->extent : step.packed;
  if (step.is_frames) operation.unpacked_bytes = step.bytes;
  if (step.dictionary)
    operation.dictionary = DeltaDictionary{old_names[step.dictionary->file], step.dictionary->extent};
  return operation;
}

// Which old file a new one takes the place of: that of the same role and name in the variant of the same name, else the
// first of that role and name.
std::optional<std::string> FindCounterpart(const Manifest& old, const Manifest& now, const ReleaseFile& file) {
  const auto is_like = [&](const ReleaseFile& other) { return other.role == file.role && other.name == file.name; };
  for (const ReleaseVariant& variant : now.variants) {
    const ReleaseVariant* was = old.FindVariant(variant.name);
    const bool has = std::find(variant.files.begin(), variant.files.end(), file.file) != variant.files.end();
    if (was == nullptr || !has) continue;
    for (const std::string& name : was->files) {
      if (const ReleaseFile* other = old.Find(name); other != nullptr && is_like(*other)) return name;
    }
  }
  const auto other = std::find_if(old.files.begin(), old.files.end(), is_like);
  if (other == old.files.end()) return std::nullopt;
  return other->file;
}

// A file that is to be made, and what it is to be called and like.
struct NewFile {
  std::string name, sha256;
  std::shared_ptr<const Source> source;
  std::optional<std::string> counterpart;
};

class DeltaMaker {
 public:
  DeltaMaker(const Release& from, const Release& to, std::string delta, const DeltaOptions& options)
      : from_(from), to_(to), delta_(std::move(delta)), options_(options) {
    report_.from = from.manifest.release;
    report_.to = manifest_.release = to.manifest.release;
    for (const ReleaseFile& file : to.manifest.files) report_.release_bytes += file.bytes;
    manifest_.delta = ManifestDelta{from.manifest.release, {}};
    for (const ReleaseFile& file : to.manifest.files) {
      if (!HasFile(from.manifest, file)) changed_.push_back(&file);
    }
    for (const ReleaseFile* file : changed_) total_ += file->bytes;
    // Where every file is there already, only the manifest needs a look.
    for (const ReleaseFile& file : from.manifest.files) total_ += changed_.empty() ? 0 : file.bytes;
  }

  Result<DeltaReport> Make() {
    PTEEDIT_TRY(Advance(0));
    for (size_t i = 0; i < from_.manifest.files.size() && !changed_.empty(); ++i) {
      const ReleaseFile& file = from_.manifest.files[i];
      PTEEDIT_ASSIGN(std::shared_ptr<const Source> source, OpenChecked(from_.folder, file));
      PTEEDIT_TRY(AddOld(file.file, std::move(source)));
      PTEEDIT_TRY(Advance(file.bytes));
    }
    PTEEDIT_TRY(PackManifest());
    for (const ReleaseFile* file : changed_) {
      PTEEDIT_ASSIGN(std::shared_ptr<const Source> source, OpenChecked(to_.folder, *file));
      PTEEDIT_TRY(
          Pack({file->file, file->sha256, std::move(source), FindCounterpart(from_.manifest, to_.manifest, *file)}));
      PTEEDIT_TRY(Advance(file->bytes));
    }
    return Finish();
  }

 private:
  Status Advance(uint64_t bytes) {
    done_ += bytes;
    if (options_.progress && !options_.progress(done_, total_)) return IoError("stopped; nothing was written");
    return {};
  }

  Status AddOld(const std::string& name, std::shared_ptr<const Source> source) {
    old_names_.push_back(name);
    sources_.old_files.emplace(name, source);
    return old_.Add(std::move(source));
  }

  std::optional<size_t> IndexOf(const std::optional<std::string>& name) const {
    if (!name) return std::nullopt;
    const auto place = std::find(old_names_.begin(), old_names_.end(), *name);
    return static_cast<size_t>(place - old_names_.begin());
  }

  Result<std::vector<PackedStep>> FindSteps(const NewFile& file, const std::function<Status(ByteSpan)>& append) const {
    PTEEDIT_ASSIGN(const std::vector<Region> regions, RegionsOf(file.source));
    PTEEDIT_ASSIGN(const std::vector<FoundCopy> copies, old_.FindCopies(*file.source, regions));
    const std::vector<DeltaPiece> pieces =
        CutPieces(old_, file.source->size(), regions, copies, IndexOf(file.counterpart));
    return PackPieces(old_, *file.source, pieces, {options_.level, options_.threads}, append);
  }

  // What is there compressed too may have been installed with or without saying so. The new one says nothing of that.
  Status PackManifest() {
    std::optional<std::string> counterpart;
    if (!HasCompressed(from_.manifest)) {
      PTEEDIT_ASSIGN(std::shared_ptr<const Source> old_manifest, OpenReleaseFile(from_.folder, kManifestName));
      PTEEDIT_TRY(AddOld(kManifestName, std::move(old_manifest)));
      counterpart = kManifestName;
    }
    PTEEDIT_ASSIGN(std::shared_ptr<const Source> manifest, OpenReleaseFile(to_.folder, kManifestName));
    if (HasCompressed(to_.manifest)) {
      const std::string text = ManifestText(WithoutCompressed(to_.manifest));
      manifest = MakeMemorySource(manifest->name(), {text.begin(), text.end()});
    }
    PTEEDIT_ASSIGN(const Sha256Digest digest, Sha256Of(*manifest, {0, manifest->size()}));
    return Pack({kManifestName, digest.Hex(), manifest, counterpart});
  }

  Status Pack(const NewFile& file) {
    PTEEDIT_ASSIGN(TemporaryFile packed, TemporaryFile::CreateFor(delta_, FolderOf(delta_), permissions_));
    Sha256 hash;
    uint64_t bytes = 0;
    PTEEDIT_ASSIGN(const std::vector<PackedStep> steps, FindSteps(file, [&](ByteSpan piece) {
                     hash.Update(piece);
                     bytes += piece.size;
                     return packed.Append(piece);
                   }));
    PTEEDIT_ASSIGN(std::shared_ptr<const Source> sealed, packed.Seal());
    const std::string sha256 = hash.Finish().Hex();
    const std::string name = ReleaseFileName(FileRole::kDelta, sha256, kDeltaExtension);
    DeltaFile made{file.name, file.sha256, {}};
    for (const PackedStep& step : steps) made.operations.push_back(OperationOf(step, old_names_, name));
    Report(file, steps, bytes);
    sources_.delta_files.emplace(name, std::move(sealed));
    PTEEDIT_TRY(CheckBuilt(made));
    manifest_.delta->files.push_back(std::move(made));
    if (bytes != 0 && names_.insert(name).second) {
      manifest_.files.push_back({name, FileRole::kDelta, {}, bytes, sha256, {}});
      packed_.push_back({std::move(packed), {name, bytes, sha256}});
    }
    return {};
  }

  void Report(const NewFile& file, const std::vector<PackedStep>& steps, uint64_t bytes) {
    if (file.name == kManifestName) return;
    DeltaFileReport row{file.name, file.source->size(), 0, bytes};
    for (const PackedStep& step : steps) row.copied_bytes += step.copy ? step.bytes : 0;
    report_.files.push_back(std::move(row));
  }

  // What a device will do.
  Status CheckBuilt(const DeltaFile& made) const {
    PTEEDIT_TRY(CheckOperations(made, sources_));
    Sha256 hash;
    PTEEDIT_TRY(BuildFile(made, sources_, {[&](ByteSpan piece) {
                            hash.Update(piece);
                            return Status();
                          }}));
    if (hash.Finish().Hex() == made.sha256) return {};
    return IoError("was changed while it was read").In(to_.folder + "/" + made.file);
  }

  Result<DeltaReport> Finish() {
    std::sort(manifest_.files.begin(), manifest_.files.end(),
              [](const ReleaseFile& a, const ReleaseFile& b) { return a.file < b.file; });
    const std::string text = ManifestText(manifest_);
    PTEEDIT_TRY(Add(kChecksumsName, ChecksumList(manifest_)));
    PTEEDIT_TRY(Add(kManifestName, text));
    report_.manifest_bytes = text.size();
    std::vector<std::string> names;
    for (const SealedFile& file : packed_) {
      report_.delta_bytes += file.written.bytes;
      names.push_back(file.written.path);
    }
    if (!options_.dry_run) PTEEDIT_TRY(PublishFolder(packed_, names, delta_, options_.replace));
    return std::move(report_);
  }

  Status Add(const std::string& name, const std::string& text) {
    PTEEDIT_ASSIGN(TemporaryFile file, TemporaryFile::CreateFor(delta_, FolderOf(delta_), permissions_));
    PTEEDIT_TRY(file.Append({reinterpret_cast<const uint8_t*>(text.data()), text.size()}));
    PTEEDIT_TRY(file.Seal());
    packed_.push_back({std::move(file), {name, text.size(), {}}});
    return {};
  }

  const Release& from_;
  const Release& to_;
  const std::string delta_;
  const DeltaOptions& options_;
  const uint32_t permissions_ =
      CommonPermissions({from_.folder + "/" + kManifestName, to_.folder + "/" + kManifestName});
  std::vector<const ReleaseFile*> changed_;
  std::vector<std::string> old_names_;  // by index in old_
  OldContents old_;
  DeltaSources sources_;
  Manifest manifest_;
  std::vector<SealedFile> packed_;  // by their names in the folder
  std::set<std::string> names_;     // of packed_
  DeltaReport report_;
  uint64_t done_ = 0, total_ = 0;
};

// That a delta may take this place.
Status CheckPlace(const std::string& delta, const std::vector<std::string>& inputs, bool replace) {
  if (!IdentityOf(FolderOf(delta))) return IoError("cannot create: its folder does not exist").In(delta);
  if (!PathExists(delta)) return CheckCreatable(delta);
  for (const std::string& input : inputs) {
    if (IdentityOf(delta) != IdentityOf(input)) continue;
    return InvalidArgument(Text("the output is the input ", Quoted(input), "; inputs are never changed")).In(delta);
  }
  if (!replace) return Exists("the output folder exists already").In(delta);
  const Result<Release> old = OpenRelease(delta);
  if (old && old->manifest.delta) return {};
  return InvalidArgument("is no delta; only a delta is replaced by one").In(delta);
}

}  // namespace

Result<DeltaReport> CreateDelta(const std::string& from, const std::string& to, const std::string& delta,
                                const DeltaOptions& options) {
  PTEEDIT_TRY(CheckLevel(options.level));
  PTEEDIT_ASSIGN(const Release old, OpenRelease(from));
  PTEEDIT_ASSIGN(const Release now, OpenRelease(to));
  PTEEDIT_TRY(CheckPlace(WithoutSlashes(delta), {from, to}, options.replace));
  return DeltaMaker(old, now, PlaceOf(delta), options).Make();
}

}  // namespace pteedit
