#include "io/extent_hashes.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "base/parallel.h"
#include "io/digest.h"
#include "io/streaming.h"
#include "pteedit/try.h"

namespace pteedit {
namespace {

constexpr uint64_t kWindowBytes = 16 * kStreamPieceBytes;  // all who hash it find it in the processor's cache

// Reads one window after the other, and hashes it for each place that has a part of it.
template <class Hash>
class ExtentHasher {
 public:
  ExtentHasher(const Source& source, const std::vector<Extent>& places, unsigned threads)
      : source_(source), places_(places), threads_(threads), bytes_(kWindowBytes), hex_(places.size()) {}

  Result<std::vector<std::string>> Run() && {
    for (uint64_t begin = 0; next_ < places_.size() || !begun_.empty(); begin = end_) {
      if (begun_.empty()) begin = places_[next_].offset;
      end_ = begin + std::min(kWindowBytes, std::max(source_.size(), begin) - begin);
      PTEEDIT_TRY(Read(begin));
      for (; next_ < places_.size() && (places_[next_].offset < end_ || places_[next_].offset == begin); ++next_)
        begun_.push_back({next_, nullptr});
      ParallelFor(begun_.size(), threads_, [&](size_t i) { HashWindow(begin, begun_[i]); });
      std::erase_if(begun_, [](const Begun& one) { return one.hash == nullptr; });
    }
    return std::move(hex_);
  }

 private:
  struct Begun {
    size_t place;
    std::unique_ptr<Hash> hash;  // only between two windows
  };

  Status Read(uint64_t begin) {
    const uint64_t size = end_ - begin;
    std::vector<Status> read(static_cast<size_t>((size + kStreamPieceBytes - 1) / kStreamPieceBytes));
    ParallelFor(read.size(), threads_, [&](size_t i) {
      const uint64_t offset = i * kStreamPieceBytes;
      const auto step = static_cast<size_t>(std::min<uint64_t>(kStreamPieceBytes, size - offset));
      read[i] = source_.Read(begin + offset, {bytes_.data() + offset, step});
    });
    for (Status& status : read) PTEEDIT_TRY(std::move(status));
    return {};
  }

  void HashWindow(uint64_t begin, Begun& one) {
    const Extent& place = places_[one.place];
    const uint64_t from = std::max(place.offset, begin), to = std::min(place.offset + place.size, end_);
    if (one.hash == nullptr) one.hash = std::make_unique<Hash>();
    one.hash->Update({bytes_.data() + (from - begin), static_cast<size_t>(to - from)});
    if (to != place.offset + place.size) return;
    hex_[one.place] = one.hash->Finish().Hex();
    one.hash.reset();
  }

  const Source& source_;
  const std::vector<Extent>& places_;
  const unsigned threads_;
  std::vector<uint8_t> bytes_;  // of the window that ends at end_
  uint64_t end_ = 0;
  size_t next_ = 0;  // of places_, the first that no window has reached
  std::vector<Begun> begun_;
  std::vector<std::string> hex_;
};

}  // namespace

template <class Hash>
Result<std::vector<std::string>> HashExtents(const Source& source, const std::vector<Extent>& places,
                                             unsigned threads) {
  return ExtentHasher<Hash>(source, places, threads).Run();
}
template Result<std::vector<std::string>> HashExtents<Sha256>(const Source&, const std::vector<Extent>&, unsigned);
template Result<std::vector<std::string>> HashExtents<Xxh128>(const Source&, const std::vector<Extent>&, unsigned);

}  // namespace pteedit
