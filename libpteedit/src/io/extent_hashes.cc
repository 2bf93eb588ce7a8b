#include "io/extent_hashes.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <thread>

#include "base/parallel.h"
#include "io/digest.h"
#include "io/streaming.h"
#include "pteedit/try.h"

namespace pteedit {
namespace {

// Of one thread a window is one piece; of several so much that starting them does not count.
constexpr uint64_t kPiecesOfThreads = 64;

// Pieces that several threads need, each read once by whoever comes first.
class Window {
 public:
  Window(const Source& source, uint64_t pieces)
      : source_(source), bytes_(pieces * kCachedPieceBytes), statuses_(pieces), states_(pieces) {}

  uint64_t begin() const { return begin_; }
  uint64_t end() const { return end_; }

  void MoveTo(uint64_t begin) {
    begin_ = begin;
    end_ = begin + std::min<uint64_t>(bytes_.size(), std::max(source_.size(), begin) - begin);
    next_ = 0;
    for (std::atomic<State>& state : states_) state = State::kUnread;
  }

  // Calls use(ByteSpan) with the parts of [from, to), which lies in the window, in their order.
  template <class Use>
  Status ForEachPart(uint64_t from, uint64_t to, Use use) {
    while (from < to) {
      const auto piece = static_cast<size_t>((from - begin_) / kCachedPieceBytes);
      Await(piece);
      PTEEDIT_TRY(statuses_[piece]);
      const uint64_t end = std::min(to, begin_ + (piece + 1) * kCachedPieceBytes);
      use(ByteSpan{bytes_.data() + (from - begin_), static_cast<size_t>(end - from)});
      from = end;
    }
    return {};
  }

 private:
  enum class State : uint8_t { kUnread, kTaken, kRead };

  // While another thread reads the piece, this one reads those behind it.
  void Await(size_t piece) {
    while (!ReadIfNobodyDid(piece) && states_[piece].load(std::memory_order_acquire) != State::kRead) {
      const size_t ahead = next_++;
      if (ahead >= states_.size() || begin_ + ahead * kCachedPieceBytes >= end_ || !ReadIfNobodyDid(ahead))
        std::this_thread::yield();
    }
  }

  bool ReadIfNobodyDid(size_t piece) {
    State unread = State::kUnread;
    if (!states_[piece].compare_exchange_strong(unread, State::kTaken)) return false;
    const uint64_t offset = piece * kCachedPieceBytes;
    const auto size = static_cast<size_t>(std::min<uint64_t>(kCachedPieceBytes, end_ - begin_ - offset));
    statuses_[piece] = source_.Read(begin_ + offset, {bytes_.data() + offset, size});
    states_[piece].store(State::kRead, std::memory_order_release);
    return true;
  }

  const Source& source_;
  std::vector<uint8_t> bytes_;
  std::vector<Status> statuses_;  // of reading each piece
  std::vector<std::atomic<State>> states_;
  std::atomic<size_t> next_ = 0;  // of the pieces that may be read ahead
  uint64_t begin_ = 0, end_ = 0;
};

// Moves a window over the source, and hashes it for each place that has a part of it.
template <class Hash>
class ExtentHasher {
 public:
  ExtentHasher(const Source& source, const std::vector<Extent>& places, unsigned threads, const TakeDigest<Hash>& take)
      : places_(places),
        threads_(threads),
        take_(take),
        window_(source, threads > 1 ? std::min(kPiecesOfThreads, source.size() / kCachedPieceBytes + 1) : 1) {}

  Status Run() && {
    while (next_ < places_.size() || !begun_.empty()) {
      window_.MoveTo(begun_.empty() ? places_[next_].offset : window_.end());
      for (; next_ < places_.size() && BeginsHere(places_[next_]); ++next_) begun_.push_back({next_, nullptr});
      PTEEDIT_TRY(ParallelFor(begun_.size(), threads_, [&](size_t i) { return HashOf(begun_[i]); }));
      std::erase_if(begun_, [](const Begun& one) { return one.hash == nullptr; });
    }
    return {};
  }

 private:
  struct Begun {
    size_t place = 0;
    std::unique_ptr<Hash> hash;  // only between two windows
  };

  bool BeginsHere(const Extent& place) const { return place.offset < window_.end() || place.offset == window_.begin(); }

  // Goes on with it as far as the window reaches.
  Status HashOf(Begun& one) {
    const Extent& place = places_[one.place];
    const uint64_t end = place.offset + place.size;
    if (one.hash == nullptr) one.hash = std::make_unique<Hash>();
    PTEEDIT_TRY(window_.ForEachPart(std::max(place.offset, window_.begin()), std::min(end, window_.end()),
                                    [&](ByteSpan part) { one.hash->Update(part); }));
    if (end > window_.end()) return {};
    take_(one.place, one.hash->Finish());
    one.hash.reset();
    return {};
  }

  const std::vector<Extent>& places_;
  const unsigned threads_;
  const TakeDigest<Hash>& take_;
  Window window_;
  size_t next_ = 0;  // of places_, the first that no window has reached
  std::vector<Begun> begun_;
};

}  // namespace

template <class Hash>
Status HashExtents(const Source& source, const std::vector<Extent>& places, unsigned threads,
                   const TakeDigest<Hash>& take) {
  return ExtentHasher<Hash>(source, places, threads, take).Run();
}
template Status HashExtents<Sha256>(const Source&, const std::vector<Extent>&, unsigned, const TakeDigest<Sha256>&);
template Status HashExtents<Xxh128>(const Source&, const std::vector<Extent>&, unsigned, const TakeDigest<Xxh128>&);

}  // namespace pteedit
