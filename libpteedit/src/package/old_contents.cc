#include "package/old_contents.h"

#include <algorithm>
#include <utility>

#include "io/streaming.h"
#include "pteedit/bytes.h"
#include "pteedit/try.h"

namespace pteedit {
namespace {

// Old bytes are known by chunks, whose borders follow from the content (chunks.h), so they are found again wherever
// they moved. A chunk of the new file whose digest is known is a seed: it is compared and lengthened in both
// directions, byte by byte, and the chunks that this covers are skipped. So memory grows with the number of chunks, not
// of bytes, short copies around a change are exact, and bytes that repeat are read once.

// Reads two sources side by side to see how far they agree.
class Comparer {
 public:
  // How many bytes from the two places on are equal, at most `limit`.
  Result<uint64_t> Forwards(const Source& a, uint64_t a_at, const Source& b, uint64_t b_at, uint64_t limit) {
    for (uint64_t done = 0; done < limit;) {
      const size_t step = StepOf(done, limit);
      PTEEDIT_TRY(a.Read(a_at + done, {a_.data(), step}));
      PTEEDIT_TRY(b.Read(b_at + done, {b_.data(), step}));
      const auto unequal = std::mismatch(a_.begin(), a_.begin() + static_cast<ptrdiff_t>(step), b_.begin()).first;
      const auto equal = static_cast<size_t>(unequal - a_.begin());
      done += equal;
      if (equal != step) return done;
    }
    return limit;
  }

  // How many bytes before the two places are equal, at most `limit`.
  Result<uint64_t> Backwards(const Source& a, uint64_t a_end, const Source& b, uint64_t b_end, uint64_t limit) {
    for (uint64_t done = 0; done < limit;) {
      const size_t step = StepOf(done, limit);
      PTEEDIT_TRY(a.Read(a_end - done - step, {a_.data(), step}));
      PTEEDIT_TRY(b.Read(b_end - done - step, {b_.data(), step}));
      size_t equal = 0;
      while (equal < step && a_[step - 1 - equal] == b_[step - 1 - equal]) ++equal;
      done += equal;
      if (equal != step) return done;
    }
    return limit;
  }

 private:
  // Most differences are near, so little is read at first.
  static constexpr uint64_t kFirstBytes = 4096;
  static constexpr uint64_t kMostBytes = uint64_t{256} << 10;
  static size_t StepOf(uint64_t done, uint64_t limit) {
    return static_cast<size_t>(std::min(std::clamp(done, kFirstBytes, kMostBytes), limit - done));
  }
  std::vector<uint8_t> a_ = std::vector<uint8_t>(kMostBytes);
  std::vector<uint8_t> b_ = std::vector<uint8_t>(kMostBytes);
};

// Goes through the chunks of one new file and lengthens what is found.
class CopyFinder {
 public:
  CopyFinder(const OldContents& old, const Source& source) : old_(old), source_(source) {}

  uint64_t end() const { return end_; }

  // `chunk` is at `place`, unless only its digest is.
  Status Try(Extent chunk, OldPlace place) {
    const uint64_t skip = end_ > chunk.offset ? end_ - chunk.offset : 0;
    const uint64_t at = chunk.offset + skip;
    place.offset += skip;
    const Source& old = *old_.file(place.file);
    const uint64_t most = std::min(source_.size() - at, old.size() - place.offset);
    PTEEDIT_ASSIGN(const uint64_t size, comparer_.Forwards(source_, at, old, place.offset, most));
    if (size < chunk.size - skip) return {};
    const uint64_t before = std::min(at - end_, place.offset);
    PTEEDIT_ASSIGN(const uint64_t more, comparer_.Backwards(source_, at, old, place.offset, before));
    Append({at - more, {place.file, place.offset - more}, size + more});
    return {};
  }

  std::vector<FoundCopy> Take() {
    std::erase_if(copies_, [](const FoundCopy& copy) { return copy.size < kMinCopyBytes; });
    return std::move(copies_);
  }

 private:
  void Append(FoundCopy copy) {
    end_ = copy.at + copy.size;
    if (!copies_.empty()) {
      FoundCopy& last = copies_.back();
      const bool follows = last.from.file == copy.from.file && last.at + last.size == copy.at &&
                           last.from.offset + last.size == copy.from.offset;
      if (follows) {
        last.size += copy.size;
        return;
      }
    }
    copies_.push_back(copy);
  }

  const OldContents& old_;
  const Source& source_;
  Comparer comparer_;
  std::vector<FoundCopy> copies_;
  uint64_t end_ = 0;  // of what is copied so far
};

}  // namespace

Status OldContents::Add(std::shared_ptr<const Source> source) {
  const size_t index = files_.size();
  PTEEDIT_ASSIGN(const std::vector<Region> regions, RegionsOf(source));
  std::map<std::string, Extent> by_name;
  for (const Region& region : regions) {
    if (!region.name.empty()) by_name.try_emplace(region.name, region.extent);
    PTEEDIT_ASSIGN(const std::vector<Chunk> chunks, CutChunks(*source, region.extent));
    for (const Chunk& chunk : chunks) places_.try_emplace(chunk.digest, OldPlace{index, chunk.extent.offset});
  }
  files_.push_back({std::move(source), std::move(by_name)});
  return {};
}

std::optional<Extent> OldContents::FindRegion(size_t file, const std::string& name) const {
  const auto found = files_[file].regions.find(name);
  if (found == files_[file].regions.end()) return std::nullopt;
  return found->second;
}

Result<std::vector<FoundCopy>> OldContents::FindCopies(const Source& source, const std::vector<Region>& regions) const {
  CopyFinder finder(*this, source);
  for (const Region& region : regions) {
    PTEEDIT_ASSIGN(const std::vector<Chunk> chunks, CutChunks(source, region.extent));
    for (const Chunk& chunk : chunks) {
      if (chunk.extent.offset + chunk.extent.size <= finder.end()) continue;
      const auto found = places_.find(chunk.digest);
      if (found == places_.end()) continue;
      PTEEDIT_TRY(finder.Try(chunk.extent, found->second));
    }
  }
  return finder.Take();
}

}  // namespace pteedit
