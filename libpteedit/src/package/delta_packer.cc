#include "package/delta_packer.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/parallel.h"
#include "io/streaming.h"
#include "package/zstd_frames.h"
#include "pteedit/try.h"

namespace pteedit {
namespace {

// What an entry of its own takes in a manifest, beside what can be joined with the one before.
constexpr uint64_t kDictionaryStepBytes = 160, kFrameStepBytes = 64;

// New bytes as the delta has them.
struct Packed {
  std::vector<uint8_t> bytes;
  bool is_frame = false;
  std::optional<OldExtent> dictionary;
};

Result<Packed> Pack(const OldContents& old, const Source& source, const DeltaPiece& piece, int level) {
  PTEEDIT_ASSIGN(std::vector<uint8_t> raw, ReadBytes(source, piece.extent));
  const ByteSpan bytes{raw.data(), raw.size()};
  PTEEDIT_ASSIGN(std::vector<uint8_t> frame, CompressFrame(bytes, {}, level));
  Packed best{std::move(frame), true, {}};
  if (best.bytes.size() + kFrameStepBytes >= raw.size()) best = {raw, false, {}};
  if (!piece.dictionary) return best;
  PTEEDIT_ASSIGN(const std::vector<uint8_t> dictionary,
                 ReadBytes(*old.file(piece.dictionary->file), piece.dictionary->extent));
  PTEEDIT_ASSIGN(frame, CompressFrame(bytes, {dictionary.data(), dictionary.size()}, level));
  if (frame.size() + kDictionaryStepBytes < best.bytes.size()) best = {std::move(frame), true, piece.dictionary};
  return best;
}

// The steps so far, those that go together joined.
class Steps {
 public:
  void Copy(const DeltaPiece& piece) { steps_.push_back({piece.extent.size, piece.copied, {}, false, {}}); }

  void Take(uint64_t bytes, const Packed& packed) {
    const Extent place{end_, packed.bytes.size()};
    end_ += place.size;
    if (!steps_.empty()) {
      PackedStep& last = steps_.back();
      if (!last.copy && !last.dictionary && !packed.dictionary && last.is_frames == packed.is_frame) {
        last.bytes += bytes;
        last.packed.size += place.size;
        return;
      }
    }
    steps_.push_back({bytes, {}, place, packed.is_frame, packed.dictionary});
  }

  std::vector<PackedStep> Finish() { return std::move(steps_); }

 private:
  std::vector<PackedStep> steps_;
  uint64_t end_ = 0;
};

}  // namespace

Result<std::vector<PackedStep>> PackPieces(const OldContents& old, const Source& source,
                                           const std::vector<DeltaPiece>& pieces, const PackOptions& options,
                                           const std::function<Status(ByteSpan)>& append) {
  Steps steps;
  const size_t most = std::max(1U, options.threads);
  for (size_t begin = 0; begin < pieces.size();) {
    const size_t count = std::min(most, pieces.size() - begin);
    std::vector<Packed> packed(count);
    PTEEDIT_TRY(ParallelFor(count, options.threads, [&](size_t i) -> Status {
      const DeltaPiece& piece = pieces[begin + i];
      if (piece.copied) return {};
      PTEEDIT_ASSIGN(packed[i], Pack(old, source, piece, options.level));
      return {};
    }));
    for (size_t i = 0; i < count; ++i) {
      const DeltaPiece& piece = pieces[begin + i];
      if (piece.copied) {
        steps.Copy(piece);
        continue;
      }
      const Packed& one = packed[i];
      PTEEDIT_TRY(append({one.bytes.data(), one.bytes.size()}));
      steps.Take(piece.extent.size, one);
    }
    begin += count;
  }
  return steps.Finish();
}

}  // namespace pteedit
