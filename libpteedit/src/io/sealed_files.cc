#include "io/sealed_files.h"

#include <algorithm>
#include <map>
#include <optional>
#include <thread>
#include <utility>

#include "base/text.h"
#include "io/append_source.h"
#include "io/digest.h"
#include "io/posix_file.h"
#include "io/source_sha256.h"
#include "io/streaming.h"
#include "pteedit/try.h"

namespace pteedit {
namespace {

constexpr uint64_t kCopyStep = uint64_t{64} << 20;  // between two calls of the progress function
// Of what was copied as it lies in a file, this much is compared at both ends: a copy that is shifted or cut shows
// there.
constexpr uint64_t kComparedEnd = 4096;

// What all outputs of a run have in common while they are being written.
class Writer {
 public:
  Writer(const std::vector<Output>& outputs, const std::vector<std::string>& inputs, const WriteOptions& options)
      : options_(options), permissions_(CommonPermissions(inputs)) {
    for (const Output& output : outputs) total_ += output.file.size();
  }

  // How a piece of an output got there.
  enum class Copied { kThroughMemory, kFromFile };

  // An output that is complete, and not sealed yet.
  struct Filled {
    TemporaryFile file;
    std::vector<Copied> copied;  // by piece
    std::string sha256;          // where it is asked for
  };

  Result<SealedFile> Write(const Output& output, const std::string& folder) {
    PTEEDIT_ASSIGN(Filled filled, Fill(output, folder));
    return Seal(std::move(filled), output);
  }

  Result<Filled> Fill(const Output& output, const std::string& folder) {
    PTEEDIT_TRY(Tell(0));
    PTEEDIT_ASSIGN(TemporaryFile file, TemporaryFile::CreateFor(output.path, folder, permissions_));
    PTEEDIT_TRY(file.Reserve(output.file.size()));
    std::optional<SourceSha256> hash;
    if (options_.hash) hash.emplace(output.file.AsSource(output.path));
    std::vector<Copied> copied;
    uint64_t offset = 0;
    for (const PlannedPiece& piece : output.file.pieces()) {
      PTEEDIT_ASSIGN(const Copied how, Copy(piece, offset, file, hash));
      copied.push_back(how);
      offset += piece.extent.size;
    }
    if (hash) PTEEDIT_TRY(file.StoreAhead());
    for (uint64_t hashed = 0; hash && hashed < offset;) {
      hashed = hash->WaitFor(std::min(offset, hashed + kCopyStep));
      PTEEDIT_TRY(Tell(hashed));
    }
    written_ += offset;
    if (!hash) return Filled{std::move(file), std::move(copied), {}};
    PTEEDIT_ASSIGN(const Sha256Digest digest, hash->Finish());
    return Filled{std::move(file), std::move(copied), digest.Hex()};
  }

  // Makes what was filled with `before` the plan `after`, which has the same size.
  static Status Amend(Filled& filled, const PlannedFile& before, const PlannedFile& after) {
    std::map<uint64_t, size_t> known;  // of the pieces of `before`, by where they begin
    uint64_t offset = 0;
    for (size_t i = 0; i < before.pieces().size(); ++i) {
      known.emplace(offset, i);
      offset += before.pieces()[i].extent.size;
    }
    std::vector<Copied> copied;
    offset = 0;
    for (const PlannedPiece& piece : after.pieces()) {
      const auto same = known.find(offset);
      if (same != known.end() && IsSame(piece, before.pieces()[same->second])) {
        copied.push_back(filled.copied[same->second]);
      } else {
        PTEEDIT_TRY(WriteOver(piece, offset, filled.file));
        copied.push_back(Copied::kThroughMemory);
      }
      offset += piece.extent.size;
    }
    filled.copied = std::move(copied);
    return {};
  }

  static Result<SealedFile> Seal(Filled filled, const Output& output) {
    PTEEDIT_ASSIGN(const std::shared_ptr<const Source> sealed, filled.file.Seal());
    PTEEDIT_TRY(Check(*sealed, output.file, filled.copied));
    return SealedFile{std::move(filled.file), {output.path, output.file.size(), std::move(filled.sha256)}};
  }

 private:
  static bool IsSame(const PlannedPiece& a, const PlannedPiece& b) {
    return a.source == b.source && a.extent.offset == b.extent.offset && a.extent.size == b.extent.size;
  }

  static Status WriteOver(const PlannedPiece& piece, uint64_t offset, TemporaryFile& file) {
    return ForEachPieceOrZeros(piece.source.get(), piece.extent, [&](ByteSpan bytes) {
      const uint64_t at = offset;
      offset += bytes.size;
      return file.WriteOver(at, bytes);
    });
  }

  // Of the output that is being written.
  Status Tell(uint64_t bytes) const {
    if (options_.progress && !options_.progress(written_ + bytes, total_))
      return IoError("stopped; nothing was written");
    return {};
  }

  // What is not hashed yet is not done.
  Result<Copied> Copy(const PlannedPiece& piece, uint64_t offset, TemporaryFile& file,
                      std::optional<SourceSha256>& hash) {
    Copied how = Copied::kFromFile;
    for (Extent rest = piece.extent; rest.size != 0;) {
      const Extent step{rest.offset, std::min(rest.size, kCopyStep)};
      PTEEDIT_ASSIGN(const Copied step_how, CopyStep(piece.source.get(), step, file));
      if (step_how == Copied::kThroughMemory) how = step_how;
      offset += step.size;
      PTEEDIT_TRY(Tell(hash ? std::min(offset, hash->WaitFor(0)) : offset));
      rest = {rest.offset + step.size, rest.size - step.size};
    }
    return how;
  }

  static Result<Copied> CopyStep(const Source* source, Extent extent, TemporaryFile& file) {
    if (source != nullptr) {
      PTEEDIT_ASSIGN(const bool from_file, AppendSource(*source, extent, file));
      return from_file ? Copied::kFromFile : Copied::kThroughMemory;
    }
    PTEEDIT_TRY(ForEachPieceOrZeros(nullptr, extent, [&](ByteSpan bytes) { return file.Append(bytes); }));
    return Copied::kThroughMemory;
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

  // All that somebody made in memory is compared; what was copied as it lies in a file at its ends, as reading it all
  // again costs more than copying it.
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
  uint64_t written_ = 0;  // of the outputs before
  uint64_t total_ = 0;
};

// Whether what was written of the one can become the other.
bool AreAlike(const std::vector<Output>& a, const std::vector<Output>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Output& one, const Output& other) {
    return one.path == other.path && one.file.size() == other.file.size();
  });
}

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

Result<std::vector<SealedFile>> WriteForetold(const std::vector<Output>& outputs,
                                              const std::vector<std::string>& inputs, const WriteOptions& options) {
  Result<std::vector<Output>> settled = std::vector<Output>();
  std::thread settling([&] { settled = options.settle(); });
  Writer writer(outputs, inputs, options);
  std::vector<Writer::Filled> filled;
  Status status;
  for (size_t i = 0; i < outputs.size() && status; ++i) {
    Result<Writer::Filled> one = writer.Fill(outputs[i], FolderOf(outputs[i].path));
    if (one) {
      filled.push_back(*std::move(one));
    } else {
      status = std::move(one).error();
    }
  }
  settling.join();
  if (!settled) return std::move(settled).error();
  PTEEDIT_TRY(std::move(status));
  if (!AreAlike(outputs, *settled)) {
    filled.clear();
    PTEEDIT_TRY(CheckWriteFiles(*settled, inputs, options.replace));
    return WriteSealed(*settled, {}, inputs, options);
  }
  std::vector<SealedFile> files;
  for (size_t i = 0; i < filled.size(); ++i) {
    const Output& output = (*settled)[i];
    PTEEDIT_TRY(Writer::Amend(filled[i], outputs[i].file, output.file));
    PTEEDIT_ASSIGN(SealedFile file, Writer::Seal(std::move(filled[i]), output));
    files.push_back(std::move(file));
  }
  return files;
}

}  // namespace pteedit
