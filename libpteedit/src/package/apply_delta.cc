// Applying a delta: each file is made without its name and named when it is right, the manifest last.
#include <algorithm>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/checked.h"
#include "base/text.h"
#include "io/append_source.h"
#include "io/digest.h"
#include "io/posix_file.h"
#include "io/posix_output.h"
#include "io/source_sha256.h"
#include "io/streaming.h"
#include "io/temporary_file.h"
#include "package/apply_plan.h"
#include "package/checked_file.h"
#include "package/zstd_frames.h"
#include "pteedit/package/create.h"
#include "pteedit/package/delta.h"
#include "pteedit/package/release.h"
#include "pteedit/try.h"

namespace pteedit {
namespace {

// Writes a file and hashes it meanwhile: what is there, not what was given.
class FileMaker {
 public:
  using Advance = std::function<Status(uint64_t bytes)>;  // that are done: not before they are hashed

  FileMaker(TemporaryFile& output, const ReleaseFile& file, Advance advance)
      : output_(output), file_(file), advance_(std::move(advance)), hash_(output.AsSource(file.bytes), 0) {}

  DeltaSink AsSink() {
    return {[this](ByteSpan bytes) -> Status {
              PTEEDIT_TRY(output_.Append(bytes));
              return GoOn();
            },
            [this](const Source& source, Extent extent) { return Copy(source, extent); }};
  }

  Status Finish() {
    if (output_.written() != file_.bytes) return OtherBytes();
    PTEEDIT_TRY(output_.StoreAhead());
    while (hashed_ < file_.bytes) PTEEDIT_TRY(AdvanceTo(hash_.WaitFor(std::min(file_.bytes, hashed_ + kStep))));
    PTEEDIT_ASSIGN(const Sha256Digest digest, hash_.Finish());
    return digest.Hex() == file_.sha256 ? Status() : Status(OtherBytes());
  }

 private:
  static constexpr uint64_t kStep = uint64_t{4} << 20;

  Status Copy(const Source& source, Extent rest) {
    for (uint64_t step = 0; rest.size != 0; rest = {rest.offset + step, rest.size - step}) {
      step = std::min(rest.size, kStep);
      PTEEDIT_TRY(AppendSource(source, {rest.offset, step}, output_));
      PTEEDIT_TRY(GoOn());
    }
    return {};
  }

  // Behind what was just written.
  Status GoOn() {
    if (output_.written() > file_.bytes) return OtherBytes();
    hash_.Allow(output_.written());
    return AdvanceTo(hash_.WaitFor(0));
  }

  Status AdvanceTo(uint64_t hashed) {
    const uint64_t before = std::exchange(hashed_, hashed);
    return advance_(hashed - before);
  }

  Error OtherBytes() const { return Malformed(Text("gives other bytes for ", Quoted(file_.file))); }

  TemporaryFile& output_;
  const ReleaseFile& file_;
  const Advance advance_;
  SourceSha256 hash_;
  uint64_t hashed_ = 0;
};

class Applier {
 public:
  Applier(const ApplyPlan& plan, std::string to, uint32_t permissions, const ApplyOptions& options)
      : plan_(plan), to_(std::move(to)), permissions_(permissions), options_(options) {
    for (const ApplyFile& file : plan.files) total_ += file.file.bytes;
    report_.from = plan.old.release;
    report_.to = plan.manifest.release;
  }

  Result<ApplyReport> Apply(const std::string& delta) {
    PTEEDIT_TRY(CheckPlace(delta));
    if (options_.dry_run) return WhatWouldBeDone();
    PTEEDIT_TRY(Advance(0));
    PTEEDIT_ASSIGN(made_folder_, MakeFolder(to_));
    Status applied = MakeFiles();
    if (applied) return std::move(report_);
    // What is wrong will be so the next time; all else leaves what is right for that.
    if (applied.error().code == ErrorCode::kMalformed) RemoveMade();
    return std::move(applied).error();
  }

 private:
  std::string Path(const std::string& name) const { return to_ + "/" + name; }

  ApplyReport WhatWouldBeDone() const {
    ApplyReport report{report_.from, report_.to, {}};
    for (const ApplyFile& file : plan_.files) {
      const ApplyStep step = file.unchanged != nullptr ? ApplyStep::kLinked : ApplyStep::kMade;
      report.files.push_back({file.file.file, file.file.bytes, step});
    }
    return report;
  }

  Status Advance(uint64_t bytes) {
    done_ += bytes;
    if (options_.progress && !options_.progress(done_, total_))
      return IoError("stopped; the release is not there yet").In(to_);
    return {};
  }

  Status CheckPlace(const std::string& delta) const {
    if (!PathExists(to_)) return CheckCreatable(to_);
    if (!IsFolder(to_)) return InvalidArgument("is not a folder").In(to_);
    if (IdentityOf(to_) == IdentityOf(delta)) return InvalidArgument("is the delta").In(to_);
    if (options_.replace || !PathExists(Path(kManifestName))) return {};
    PTEEDIT_ASSIGN(const std::shared_ptr<const Source> there, OpenReleaseFile(to_, kManifestName));
    const std::shared_ptr<const Source> ours = MakeViewSource("", SpanOf(plan_.text));
    PTEEDIT_ASSIGN(const bool same, SameBytes(*there, {0, there->size()}, *ours, {0, ours->size()}));
    if (same) return {};
    return Exists("holds another release").In(to_);
  }

  static ByteSpan SpanOf(const std::string& text) {
    return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
  }

  Status MakeFiles() {
    PTEEDIT_TRY(KeepFiles());
    PTEEDIT_TRY(CheckSpace());
    for (size_t i = 0; i < plan_.files.size(); ++i) {
      const ApplyFile& file = plan_.files[i];
      if (kept_[i]) continue;
      PTEEDIT_ASSIGN(const ApplyStep step, file.unchanged != nullptr ? TakeOver(file) : Make(file));
      report_.files[i].step = step;
    }
    PTEEDIT_TRY(SyncFolder(to_));
    PTEEDIT_TRY(Replace(kChecksumsName, ChecksumList(plan_.manifest)));
    PTEEDIT_TRY(Replace(kManifestName, plan_.text));
    return SyncFolderOfPlaced(to_);
  }

  Status Replace(const std::string& name, const std::string& text) const {
    PTEEDIT_ASSIGN(TemporaryFile file, TemporaryFile::CreateFor(Path(name), to_, permissions_));
    PTEEDIT_TRY(file.Append(SpanOf(text)));
    PTEEDIT_TRY(file.Seal());
    const HeldSignals held;
    PTEEDIT_TRY(file.MoveTo(Path(name), /*replace=*/true));
    return file.RemoveRest();
  }

  // Finds those that are there and right.
  Status KeepFiles() {
    for (const ApplyFile& file : plan_.files) {
      const bool kept = PathExists(Path(file.file.file)) && OpenChecked(to_, file.file).has_value();
      kept_.push_back(kept);
      report_.files.push_back({file.file.file, file.file.bytes, ApplyStep::kKept});
      if (kept) PTEEDIT_TRY(Advance(file.file.bytes));
    }
    return {};
  }

  Status CheckSpace() const {
    uint64_t needed = 0;
    for (size_t i = 0; i < plan_.files.size(); ++i) {
      if (kept_[i] || plan_.files[i].unchanged != nullptr) continue;
      const uint64_t bytes = plan_.files[i].file.bytes;
      const uint64_t missing = bytes - std::min(bytes, PartialBytes(Path(plan_.files[i].file.file)));
      needed = CheckedAdd(needed, missing).value_or(std::numeric_limits<uint64_t>::max());
    }
    PTEEDIT_ASSIGN(const uint64_t available, FreeBytes(to_));
    if (available >= needed) return {};
    return IoError(Text("needs ", needed, " bytes, only ", available, " are free")).In(to_);
  }

  // An old file gets a second name. A wrong file under it goes.
  Result<ApplyStep> TakeOver(const ApplyFile& file) {
    PTEEDIT_TRY(Hash(*file.unchanged, file.file));
    const std::string path = Path(file.file.file);
    PTEEDIT_ASSIGN(const bool linked,
                   LinkOpenFile(file.unchanged->file_place().descriptor, file.unchanged->name(), path));
    if (!linked) return Copy(file);
    made_.push_back(path);
    return ApplyStep::kLinked;
  }

  Status Hash(const Source& source, const ReleaseFile& file) {
    Sha256 hash;
    PTEEDIT_TRY(ForEachPiece(source, {0, file.bytes}, [&](ByteSpan piece) {
      hash.Update(piece);
      return Advance(piece.size);
    }));
    return CheckDigest(hash.Finish().Hex(), file.sha256, source);
  }

  Result<ApplyStep> Copy(const ApplyFile& file) {
    PTEEDIT_TRY(Write(file.file, [&](const DeltaSink& sink) {
      return sink.copy(*file.unchanged, {0, file.file.bytes});
    }));
    return ApplyStep::kCopied;
  }

  Result<ApplyStep> Make(const ApplyFile& file) {
    if (file.packed != nullptr) return Unpack(file);
    Status made = Write(file.file, [&](const DeltaSink& sink) { return BuildFile(*file.made, plan_.sources, sink); });
    if (made) return ApplyStep::kMade;
    if (made.error().code == ErrorCode::kMalformed) PTEEDIT_TRY(CheckOldFilesOf(*file.made));
    return std::move(made).error().In(plan_.made_by);
  }

  Result<ApplyStep> Unpack(const ApplyFile& file) {
    Status unpacked = Write(file.file, [&](const DeltaSink& sink) {
      return DecompressFrames(*file.packed, {0, file.packed->size()}, {}, file.file.bytes, sink.use, kFileWindowLog);
    });
    if (unpacked) return ApplyStep::kMade;
    return std::move(unpacked).error().In(file.packed->name());
  }

  // Where something went wrong: old files that are not as their manifest says.
  Status CheckOldFilesOf(const DeltaFile& made) const {
    for (const auto& [name, source] : plan_.sources.old_files) {
      const auto refers = [&, &name = name](const DeltaOperation& operation) {
        return (operation.is_copy && operation.file == name) ||
               (operation.dictionary && operation.dictionary->file == name);
      };
      if (name == kManifestName || std::none_of(made.operations.begin(), made.operations.end(), refers)) continue;
      if (const ReleaseFile* file = plan_.old.Find(name)) PTEEDIT_TRY(CheckContents(*source, file->sha256));
    }
    return {};
  }

  // `give` hands the bytes of the file to what it is called with.
  template <class Give>
  Status Write(const ReleaseFile& file, Give give) {
    const std::string path = Path(file.file);
    PTEEDIT_ASSIGN(TemporaryFile output, TemporaryFile::ResumeFor(path, permissions_));
    Status written = WriteInto(output, file, give);
    if (!written && written.error().code == ErrorCode::kMalformed) output.Drop();
    PTEEDIT_TRY(std::move(written));
    const HeldSignals held;
    PTEEDIT_TRY(output.MoveTo(path, /*replace=*/true));
    made_.push_back(path);
    return output.RemoveRest();
  }

  template <class Give>
  Status WriteInto(TemporaryFile& output, const ReleaseFile& file, Give give) {
    PTEEDIT_TRY(output.Reserve(file.bytes));
    FileMaker maker(output, file, [this](uint64_t bytes) { return Advance(bytes); });
    PTEEDIT_TRY(give(maker.AsSink()));
    PTEEDIT_TRY(maker.Finish());
    PTEEDIT_TRY(output.Seal());
    return {};
  }

  void RemoveMade() {
    for (const std::string& path : made_) RemoveMadeFile(path);
    if (made_folder_) RemoveMadeFolder(to_);
  }

  const ApplyPlan& plan_;
  const std::string to_;
  const uint32_t permissions_;
  const ApplyOptions& options_;
  std::vector<bool> kept_;         // by index of the plan's files
  std::vector<std::string> made_;  // paths
  bool made_folder_ = false;
  ApplyReport report_;
  uint64_t done_ = 0, total_ = 0;
};

}  // namespace

const char* ApplyStepName(ApplyStep step) {
  switch (step) {
    case ApplyStep::kKept:
      return "kept";
    case ApplyStep::kLinked:
      return "linked";
    case ApplyStep::kCopied:
      return "copied";
    case ApplyStep::kMade:
      return "made";
  }
  return "";
}

Result<ApplyReport> ApplyPlanned(const ApplyPlan& plan, const std::string& to, const std::string& like,
                                 const std::string& delta, const ApplyOptions& options) {
  return Applier(plan, WithoutSlashes(to), CommonPermissions({like}), options).Apply(delta);
}

Result<ApplyReport> ApplyDelta(const std::string& delta, const std::string& from, const std::string& to,
                               const ApplyOptions& options) {
  PTEEDIT_ASSIGN(const std::unique_ptr<const ApplyPlan> plan, PlanApply(delta, from));
  return ApplyPlanned(*plan, to, from + "/" + kManifestName, delta, options);
}

}  // namespace pteedit
