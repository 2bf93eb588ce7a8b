#include "io/sealed_files.h"

#include <algorithm>
#include <map>
#include <optional>

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
    for (const Output& output : outputs) total_ += output.file.size() * (options.hash ? 2 : 1);
  }

  Result<SealedFile> Write(const Output& output, const std::string& folder) {
    PTEEDIT_TRY(Advance(0));
    PTEEDIT_ASSIGN(TemporaryFile file, TemporaryFile::CreateFor(output.path, folder, permissions_));
    PTEEDIT_TRY(file.Reserve(output.file.size()));
    std::vector<Copied> copied;
    for (const PlannedPiece& piece : output.file.pieces()) {
      PTEEDIT_ASSIGN(const Copied how, Copy(piece, file));
      copied.push_back(how);
    }
    PTEEDIT_ASSIGN(const std::shared_ptr<const Source> sealed, file.Seal());
    PTEEDIT_TRY(Check(*sealed, output.file, copied));
    PTEEDIT_ASSIGN(const std::string sha256, HashOf(*sealed));
    return SealedFile{std::move(file), {output.path, output.file.size(), sha256}};
  }

 private:
  enum class Copied { kThroughMemory, kInKernel };

  Status Advance(uint64_t bytes) {
    done_ += bytes;
    if (options_.progress && !options_.progress(done_, total_)) return IoError("stopped; nothing was written");
    return {};
  }

  Result<Copied> Copy(const PlannedPiece& piece, TemporaryFile& file) {
    Copied how = Copied::kInKernel;
    for (Extent rest = piece.extent; rest.size != 0;) {
      const uint64_t step = std::min(rest.size, kCopyStep);
      PTEEDIT_ASSIGN(const uint64_t copied, CopyInKernel(piece.source.get(), {rest.offset, step}, file));
      if (copied != step) how = Copied::kThroughMemory;
      PTEEDIT_TRY(CopyThroughMemory(piece.source.get(), {rest.offset + copied, step - copied}, file));
      PTEEDIT_TRY(Advance(step));
      rest = {rest.offset + step, rest.size - step};
    }
    return how;
  }

  static Result<uint64_t> CopyInKernel(const Source* source, Extent extent, TemporaryFile& file) {
    Source::FilePlace place = source == nullptr ? Source::FilePlace() : source->file_place();
    if (place.descriptor < 0 || extent.size < kStreamPieceBytes) return uint64_t{0};
    place.offset += extent.offset;
    return file.AppendFromFile(place, extent.size);
  }

  static Status CopyThroughMemory(const Source* source, Extent extent, TemporaryFile& file) {
    if (source != nullptr) return ForEachPiece(*source, extent, [&](ByteSpan bytes) { return file.Append(bytes); });
    static const std::vector<uint8_t> zeros(kStreamPieceBytes);
    for (uint64_t left = extent.size; left != 0;) {
      const size_t step = static_cast<size_t>(std::min<uint64_t>(left, zeros.size()));
      PTEEDIT_TRY(file.Append({zeros.data(), step}));
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

  // Of what is in the file, empty where nobody asked.
  Result<std::string> HashOf(const Source& sealed) {
    if (!options_.hash) return std::string();
    Sha256 hash;
    PTEEDIT_TRY(ForEachPiece(sealed, {0, sealed.size()}, [&](ByteSpan bytes) {
      hash.Update(bytes);
      return Advance(bytes.size);
    }));
    return hash.Finish().Hex();
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
