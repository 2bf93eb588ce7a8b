// Making plans real: WriteFiles, WriteStream and their checks.
#include <map>
#include <optional>

#include "checked.h"
#include "digest.h"
#include "posix_file.h"
#include "pteedit/container.h"
#include "pteedit/planned_file.h"
#include "pteedit/profile.h"
#include "streaming.h"
#include "text.h"
#include "try.h"

namespace pteedit {
namespace {

constexpr uint64_t kCopyStep = uint64_t{64} << 20;  // between two calls of the progress function

// What all outputs of a run have in common while they are being written.
class Writer {
 public:
  Writer(const std::vector<Output>& outputs, const WriteOptions& options) : options_(options) {
    for (const Output& output : outputs) total_ += output.file.size();
  }

  Result<TemporaryFile> Write(const Output& output, WrittenFile& written) {
    PTEEDIT_ASSIGN(TemporaryFile file, TemporaryFile::CreateFor(output.path));
    std::optional<Sha256> hash;
    if (options_.hash) hash.emplace();
    Status filled = Fill(file, output.file, hash);
    if (!filled) {
      Error error = std::move(filled).error();
      if (error.file == file.path()) error.file = output.path;  // nobody asked for the temporary one
      return error;
    }
    written = {output.path, output.file.size(), hash ? hash->Finish().Hex() : std::string()};
    return file;
  }

 private:
  Status Fill(TemporaryFile& file, const PlannedFile& plan, std::optional<Sha256>& hash) {
    PTEEDIT_TRY(file.Reserve(plan.size()));
    for (const PlannedPiece& piece : plan.pieces()) PTEEDIT_TRY(Copy(piece, file, hash));
    PTEEDIT_TRY(file.Sync());
    return options_.raw ? Status() : CheckAgainstPlan(file.path(), plan);
  }

  Status Advance(uint64_t bytes) {
    done_ += bytes;
    if (options_.progress && !options_.progress(done_, total_)) return IoError("stopped; nothing was written");
    return {};
  }

  Status Copy(const PlannedPiece& piece, TemporaryFile& file, std::optional<Sha256>& hash) {
    Extent rest = piece.extent;
    while (rest.size != 0) {
      const uint64_t step = std::min(rest.size, kCopyStep);
      uint64_t copied = 0;
      if (piece.source != nullptr && !hash) {
        PTEEDIT_ASSIGN(copied, CopyInKernel(*piece.source, {rest.offset, step}, file));
      }
      PTEEDIT_TRY(CopyThroughMemory(piece.source, {rest.offset + copied, step - copied}, file, hash));
      PTEEDIT_TRY(Advance(step));
      rest = {rest.offset + step, rest.size - step};
    }
    return {};
  }

  static Result<uint64_t> CopyInKernel(const Source& source, Extent extent, TemporaryFile& file) {
    Source::FilePlace place = source.file_place();
    if (place.descriptor < 0 || extent.size < kStreamPieceBytes) return uint64_t{0};
    place.offset += extent.offset;
    return file.AppendFromFile(place, extent.size);
  }

  static Status CopyThroughMemory(const std::shared_ptr<const Source>& source, Extent extent, TemporaryFile& file,
                                  std::optional<Sha256>& hash) {
    const auto use = [&](ByteSpan bytes) {
      if (hash) hash->Update(bytes);
      return file.Append(bytes);
    };
    if (source != nullptr) return ForEachPiece(*source, extent, use);
    static const std::vector<uint8_t> zeros(kStreamPieceBytes);
    for (uint64_t left = extent.size; left != 0;) {
      const size_t step = static_cast<size_t>(std::min<uint64_t>(left, zeros.size()));
      PTEEDIT_TRY(use({zeros.data(), step}));
      left -= step;
    }
    return {};
  }

  // Opening checks every reference; the tables must be the planned ones to the byte.
  static Status CheckAgainstPlan(const std::string& path, const PlannedFile& plan) {
    PTEEDIT_ASSIGN(std::shared_ptr<const Source> source, OpenFileSource(path));
    if (source->size() != plan.size()) {
      return IoError(Text("has ", source->size(), " bytes, ", plan.size(), " were written")).In(path);
    }
    PTEEDIT_ASSIGN(const std::optional<ProfileKind> profile, FindProfileKind(source));
    if (profile) {
      const Result<SizeNode> sizes = MeasureProfile(source, *profile);
      return sizes ? Status() : Status(sizes.error());
    }
    PTEEDIT_ASSIGN(const Container container, Container::Open(source));
    std::vector<uint8_t> planned(container.tables().size);
    PTEEDIT_TRY(plan.AsSource(path)->Read(0, {planned.data(), planned.size()}));
    if (std::equal(planned.begin(), planned.end(), container.tables().data)) return {};
    return IoError("reads back other tables than were written").In(path);
  }

  const WriteOptions& options_;
  uint64_t done_ = 0;
  uint64_t total_ = 0;
};

Status CheckSpace(const std::vector<Output>& outputs) {
  struct Need {
    std::string folder;
    uint64_t bytes = 0;
  };
  std::map<uint64_t, Need> needs;  // by device
  for (const Output& output : outputs) {
    const std::optional<FileIdentity> folder = IdentityOfFolder(output.path);
    if (!folder) return IoError("cannot create: its folder does not exist").In(output.path);
    Need& need = needs[folder->device];
    need.folder = FolderOf(output.path);
    need.bytes += output.file.size();
  }
  for (const auto& [device, need] : needs) {
    PTEEDIT_ASSIGN(const uint64_t available, FreeBytes(need.folder));
    if (available >= need.bytes) continue;
    return IoError(Text("needs ", need.bytes, " bytes, only ", available, " are free")).In(need.folder);
  }
  return {};
}

// Renames all or none.
Status Publish(std::vector<TemporaryFile>& files, const std::vector<Output>& outputs, bool replace) {
  std::vector<Backup> backups;
  Status failure;
  for (size_t i = 0; i < files.size() && failure; ++i) {
    backups.push_back(replace ? Backup::Of(outputs[i].path) : Backup());
    failure = files[i].RenameTo(outputs[i].path, replace);
    if (failure) {
      failure = SyncFolder(FolderOf(outputs[i].path));
    } else {
      backups.pop_back();
    }
  }
  if (!failure) {
    for (size_t i = backups.size(); i-- > 0;) backups[i].Restore(outputs[i].path);
  }
  return failure;
}

}  // namespace

Status CheckOutputs(const std::vector<std::string>& outputs, const std::vector<std::string>& inputs, bool replace) {
  for (size_t i = 0; i < outputs.size(); ++i) {
    const std::string& output = outputs[i];
    const std::optional<FileIdentity> identity = IdentityOf(output);
    const std::optional<FileIdentity> folder = IdentityOfFolder(output);
    for (const std::string& input : inputs) {
      if (identity && identity == IdentityOf(input)) {
        return InvalidArgument(Text("the output is the input ", Quoted(input), "; inputs are never changed"))
            .In(output);
      }
    }
    for (size_t j = 0; j < i; ++j) {
      const bool same_name =
          BaseName(output) == BaseName(outputs[j]) && folder && folder == IdentityOfFolder(outputs[j]);
      if (same_name || (identity && identity == IdentityOf(outputs[j]))) {
        return InvalidArgument(Text("the output is also the output ", Quoted(outputs[j]))).In(output);
      }
    }
    if (replace && IsSpecialFile(output)) {
      return InvalidArgument("the output is no regular file, and is not replaced").In(output);
    }
    if (!replace && PathExists(output)) {
      return InvalidArgument("the output exists already; --force replaces it").In(output);
    }
  }
  return {};
}

Result<std::vector<WrittenFile>> WriteFiles(const std::vector<Output>& outputs, const std::vector<std::string>& inputs,
                                            const WriteOptions& options) {
  std::vector<std::string> paths;
  for (const Output& output : outputs) paths.push_back(output.path);
  PTEEDIT_TRY(CheckOutputs(paths, inputs, options.replace));
  PTEEDIT_TRY(CheckSpace(outputs));
  Writer writer(outputs, options);
  std::vector<TemporaryFile> files;
  std::vector<WrittenFile> written(outputs.size());
  for (size_t i = 0; i < outputs.size(); ++i) {
    PTEEDIT_ASSIGN(TemporaryFile file, writer.Write(outputs[i], written[i]));
    files.push_back(std::move(file));
  }
  PTEEDIT_TRY(Publish(files, outputs, options.replace));
  return written;
}

Status WriteStream(const PlannedFile& file, int descriptor) {
  const std::shared_ptr<const Source> source = file.AsSource("standard output");
  return ForEachPiece(*source, {0, file.size()}, [&](ByteSpan bytes) { return WriteToDescriptor(descriptor, bytes); });
}

}  // namespace pteedit
