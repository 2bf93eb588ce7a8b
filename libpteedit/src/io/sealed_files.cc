#include "io/sealed_files.h"

#include <algorithm>
#include <map>
#include <optional>

#include "base/parallel.h"
#include "base/text.h"
#include "io/digest.h"
#include "io/posix_file.h"
#include "io/streaming.h"
#include "pteedit/try.h"

namespace pteedit {
namespace {

constexpr uint64_t kCopyStep = uint64_t{64} << 20;  // between two calls of the progress function
// Of what the kernel copied by itself, this much is compared at both ends: a copy that is shifted or cut shows there.
constexpr uint64_t kComparedEnd = 4096;

// What all outputs of a run have in common while they are being written.
class Writer {
 public:
  Writer(const std::vector<Output>& outputs, const std::vector<std::string>& inputs, const WriteOptions& options)
      : options_(options), permissions_(CommonPermissions(inputs)) {
    for (const Output& output : outputs) total_ += output.file.size();
  }

  Result<SealedFile> Write(const Output& output, const std::string& folder) {
    PTEEDIT_TRY(Advance(0));
    PTEEDIT_ASSIGN(TemporaryFile file, TemporaryFile::CreateFor(output.path, folder, permissions_));
    PTEEDIT_TRY(file.Reserve(output.file.size()));
    std::vector<Copied> copied;
    Sha256 hash;
    for (const PlannedPiece& piece : output.file.pieces()) {
      PTEEDIT_ASSIGN(const Copied how, Copy(piece, file, hash));
      copied.push_back(how);
    }
    PTEEDIT_ASSIGN(const std::shared_ptr<const Source> sealed, file.Seal());
    PTEEDIT_TRY(Check(*sealed, output.file, copied));
    return SealedFile{std::move(file), {output.path, output.file.size(), options_.hash ? hash.Finish().Hex() : ""}};
  }

 private:
  enum class Copied { kThroughMemory, kInKernel };

  Status Advance(uint64_t bytes) {
    done_ += bytes;
    if (options_.progress && !options_.progress(done_, total_)) return IoError("stopped; nothing was written");
    return {};
  }

  Result<Copied> Copy(const PlannedPiece& piece, TemporaryFile& file, Sha256& hash) {
    Copied how = Copied::kInKernel;
    for (Extent rest = piece.extent; rest.size != 0;) {
      const Extent step{rest.offset, std::min(rest.size, kCopyStep)};
      PTEEDIT_ASSIGN(const Copied step_how, CopyAndHash(piece.source.get(), step, file, hash));
      if (step_how == Copied::kThroughMemory) how = step_how;
      PTEEDIT_TRY(Advance(step.size));
      rest = {rest.offset + step.size, rest.size - step.size};
    }
    return how;
  }

  // Both at the same time, each on a thread, where that is worth it.
  Result<Copied> CopyAndHash(const Source* source, Extent extent, TemporaryFile& file, Sha256& hash) {
    if (!options_.hash) return CopyStep(source, extent, file);
    Result<Copied> copied = Copied::kInKernel;
    Status hashed;
    ParallelFor(2, extent.size < kStreamPieceBytes ? 1 : 2, [&](size_t part) {
      if (part == 0) {
        copied = CopyStep(source, extent, file);
      } else {
        hashed = ForEachPieceOrZeros(source, extent, [&](ByteSpan bytes) {
          hash.Update(bytes);
          return Status();
        });
      }
    });
    if (copied && !hashed) return std::move(hashed).error();
    return copied;
  }

  static Result<Copied> CopyStep(const Source* source, Extent extent, TemporaryFile& file) {
    PTEEDIT_ASSIGN(const uint64_t copied, CopyInKernel(source, extent, file));
    PTEEDIT_TRY(ForEachPieceOrZeros(source, {extent.offset + copied, extent.size - copied},
                                    [&](ByteSpan bytes) { return file.Append(bytes); }));
    return copied == extent.size ? Copied::kInKernel : Copied::kThroughMemory;
  }

  static Result<uint64_t> CopyInKernel(const Source* source, Extent extent, TemporaryFile& file) {
    Source::FilePlace place = source == nullptr ? Source::FilePlace() : source->file_place();
    if (place.descriptor < 0 || extent.size < kStreamPieceBytes) return uint64_t{0};
    place.offset += extent.offset;
    return file.AppendFromFile(place, extent.size);
  }

  template <class Use>
  static Status ForEachPieceOrZeros(const Source* source, Extent extent, Use use) {
    if (source != nullptr) return ForEachPiece(*source, extent, use);
    static const std::vector<uint8_t> kZeros(kStreamPieceBytes);
    for (uint64_t left = extent.size; left != 0;) {
      const size_t step = static_cast<size_t>(std::min<uint64_t>(left, kZeros.size()));
      PTEEDIT_TRY(use(ByteSpan{kZeros.data(), step}));
      left -= step;
    }
    return {};
  }

  // All that passed through memory is compared; what the kernel copied by itself at its ends, as reading it all again
  // costs more than copying it.
  static Status Check(const Source& sealed, const PlannedFile& plan, const std::vector<Copied>& copied) {
    if (sealed.size() != plan.size())
      return IoError(Text("has ", sealed.size(), " bytes, ", plan.size(), " were written")).In(sealed.name());
    const std::shared_ptr<const Source> planned = plan.AsSource(sealed.name());
    Extent next;  // to compare, up to where the loop is
    for (size_t i = 0; i < copied.size(); ++i) {
      const uint64_t size = plan.pieces()[i].extent.size;
      if (copied[i] == Copied::kThroughMemory || size <= 2 * kComparedEnd) {
        next.size += size;
        continue;
      }
      next.size += kComparedEnd;
      PTEEDIT_TRY(Compare(sealed, *planned, next));
      next = {next.offset + next.size + size - 2 * kComparedEnd, kComparedEnd};
    }
    return Compare(sealed, *planned, next);
  }

  static Status Compare(const Source& sealed, const Source& planned, Extent extent) {
    PTEEDIT_ASSIGN(const bool same, SameBytes(sealed, extent, planned, extent));
    if (same) return {};
    return IoError(Text("reads back other bytes than were planned, of the ", extent.size, " at ", Hex(extent.offset)))
        .In(sealed.name());
  }

  const WriteOptions& options_;
  uint32_t permissions_;
  uint64_t done_ = 0;
  uint64_t total_ = 0;
};

}  // namespace

Status CheckSpace(const std::vector<Output>& outputs, const std::string& folder) {
  struct Need {
    std::string folder;
    uint64_t bytes = 0;
  };
  std::map<uint64_t, Need> needs;  // by device
  for (const Output& output : outputs) {
    const std::string place = folder.empty() ? FolderOf(output.path) : folder;
    const std::optional<FileIdentity> identity = IdentityOf(place);
    if (!identity) return IoError("cannot create: its folder does not exist").In(output.path);
    Need& need = needs[identity->device];
    need.folder = place;
    need.bytes += output.file.size();
  }
  for (const auto& [device, need] : needs) {
    PTEEDIT_ASSIGN(const uint64_t available, FreeBytes(need.folder));
    if (available >= need.bytes) continue;
    return IoError(Text("needs ", need.bytes, " bytes, only ", available, " are free")).In(need.folder);
  }
  return {};
}

Result<std::vector<SealedFile>> WriteSealed(const std::vector<Output>& outputs, const std::string& folder,
                                            const std::vector<std::string>& inputs, const WriteOptions& options) {
  Writer writer(outputs, inputs, options);
  std::vector<SealedFile> files;
  for (const Output& output : outputs) {
    PTEEDIT_ASSIGN(SealedFile file, writer.Write(output, folder.empty() ? FolderOf(output.path) : folder));
    files.push_back(std::move(file));
  }
  return files;
}

}  // namespace pteedit
