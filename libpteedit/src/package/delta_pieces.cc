#include "package/delta_pieces.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

#include "package/zstd_frames.h"

namespace pteedit {
namespace {

// New bytes that changed a little compress well beside the old ones. So each frame gets as dictionary the old bytes
// that lie where it does: behind the copy before it, in the region of its name, or at its place in the file it
// replaces. The dictionary is a window around that place and no more, so applying takes the memory of one window and
// one frame, however large the files are. That is also why short copies beside new bytes are dropped: the window has
// them, and a frame that goes on is cheaper than two operations of the manifest.

// A dictionary has the bytes that lie where the new ones do, and these on both sides.
constexpr uint64_t kLeastMargin = uint64_t{64} << 10;
constexpr uint64_t kMostMargin = (kMaxDictionaryBytes - kMaxFrameBytes) / 2;

// A copy that is shorter takes more bytes in a manifest than in a frame whose dictionary has it.
constexpr uint64_t kMinOwnCopyBytes = uint64_t{16} << 10;

// Without those that a dictionary has: short ones beside new bytes, from about where the bytes before came from.
std::vector<FoundCopy> LongOrFar(const std::vector<FoundCopy>& copies, uint64_t size,
                                 std::optional<size_t> counterpart) {
  std::vector<FoundCopy> kept;
  FoundCopy last{0, {counterpart.value_or(0), 0}, 0};
  uint64_t end = 0;
  for (size_t i = 0; i < copies.size(); ++i) {
    const FoundCopy& copy = copies[i];
    const uint64_t next = i + 1 < copies.size() ? copies[i + 1].at : size;
    const bool is_beside_new = copy.at != end || copy.at + copy.size != next;
    end = copy.at + copy.size;
    const uint64_t follows = last.from.offset + (copy.at - last.at);
    const uint64_t away = std::max(follows, copy.from.offset) - std::min(follows, copy.from.offset);
    const bool is_near = (counterpart || !kept.empty()) && last.from.file == copy.from.file && away <= kLeastMargin / 2;
    if (is_near && is_beside_new && copy.size < kMinOwnCopyBytes) continue;
    kept.push_back(copy);
    last = copy;
  }
  return kept;
}

class Cutter {
 public:
  Cutter(const OldContents& old, const std::vector<Region>& regions, std::optional<size_t> counterpart)
      : old_(old), regions_(regions), counterpart_(counterpart) {}

  void Copy(const FoundCopy& copy) {
    last_ = &copy;
    pieces_.push_back({{copy.at, copy.size}, OldExtent{copy.from.file, {copy.from.offset, copy.size}}, {}});
  }

  void CutNew(uint64_t begin, uint64_t end) {
    for (uint64_t at = begin; at < end;) {
      const Extent extent{at, std::min({kMaxFrameBytes, end - at, NextLargeRegion(at) - at})};
      pieces_.push_back({extent, {}, DictionaryOf(extent)});
      at += extent.size;
    }
  }

  std::vector<DeltaPiece> Take() { return std::move(pieces_); }

 private:
  // Behind `at`, which only grows: there another dictionary fits better.
  uint64_t NextLargeRegion(uint64_t at) {
    while (next_ < regions_.size()) {
      const Extent& region = regions_[next_].extent;
      if (region.offset > at && region.size >= kLeastMargin) return region.offset;
      ++next_;
    }
    return std::numeric_limits<uint64_t>::max();
  }

  std::optional<OldExtent> DictionaryOf(Extent extent) const {
    const std::optional<OldPlace> before = PlaceBefore(extent.offset);
    if (!before) return std::nullopt;
    const uint64_t size = old_.file(before->file)->size();
    const uint64_t margin = std::clamp(extent.size / 2, kLeastMargin, kMostMargin);
    // A place behind the end of a file that is shorter now has the end as its dictionary.
    const uint64_t middle = std::min(before->offset, size - std::min(size, extent.size));
    const uint64_t begin = middle - std::min(middle, margin);
    const uint64_t end = std::min(size, middle + extent.size + margin);
    if (begin == end) return std::nullopt;
    return OldExtent{before->file, {begin, end - begin}};
  }

  // Where in the old files the bytes may have been.
  std::optional<OldPlace> PlaceBefore(uint64_t at) const {
    const Region& region =
        *std::prev(std::upper_bound(regions_.begin(), regions_.end(), at,
                                    [](uint64_t offset, const Region& other) { return offset < other.extent.offset; }));
    const bool follows = last_ != nullptr && last_->at + last_->size > region.extent.offset;
    if (!follows && counterpart_ && !region.name.empty()) {
      const std::optional<Extent> was = old_.FindRegion(*counterpart_, region.name);
      if (was) return OldPlace{*counterpart_, was->offset + (at - region.extent.offset)};
    }
    if (last_ != nullptr) return OldPlace{last_->from.file, last_->from.offset + (at - last_->at)};
    if (counterpart_) return OldPlace{*counterpart_, at};
    return std::nullopt;
  }

  const OldContents& old_;
  const std::vector<Region>& regions_;
  std::optional<size_t> counterpart_;
  size_t next_ = 0;  // of the regions
  const FoundCopy* last_ = nullptr;
  std::vector<DeltaPiece> pieces_;
};

}  // namespace

std::vector<DeltaPiece> CutPieces(const OldContents& old, uint64_t size, const std::vector<Region>& regions,
                                  const std::vector<FoundCopy>& copies, std::optional<size_t> counterpart) {
  Cutter cutter(old, regions, counterpart);
  const std::vector<FoundCopy> kept = LongOrFar(copies, size, counterpart);
  uint64_t end = 0;
  for (const FoundCopy& copy : kept) {
    cutter.CutNew(end, copy.at);
    cutter.Copy(copy);
    end = copy.at + copy.size;
  }
  cutter.CutNew(end, size);
  return cutter.Take();
}

}  // namespace pteedit
