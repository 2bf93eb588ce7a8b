#include "io/content_index.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <tuple>
#include <utility>

#include "base/parallel.h"
#include "io/digest.h"
#include "io/streaming.h"
#include "pteedit/try.h"

namespace pteedit {
namespace {

// Equal contents without hashing what differs: places of one size form a class, which is refined piece by piece until
// each class has one member or has been read to its end. A piece is found by a digest and compared byte by byte, so no
// collision can make two contents one. Most classes fall apart at the first 4 KiB; only what is equal is read whole.
// Classes are independent of each other and run in parallel; memory is bounded by one piece of each member, which are
// the smaller the more members there are.

// Most unequal contents differ early, so little is read of them.
constexpr uint64_t kFirstPieceBytes = 4096;
// One piece of each member of a class is in memory at most.
constexpr uint64_t kClassBytes = uint64_t{32} << 20;
constexpr uint64_t kMinPieceBytes = 64;  // about what the lists need for a place anyway

// Places of one size whose first `done` bytes are equal, ascending.
struct Class {
  std::vector<size_t> members;
  uint64_t done = 0;
};

// Reads one piece of each member of a class and sorts the members by it. Buffers are used again, as long as pieces have
// one size: fresh ones would cost more than reading.
class PieceIndex {
 public:
  void Start(size_t piece_bytes) {
    if (piece_bytes != buffer_.size()) parts_.clear();
    buffer_.resize(piece_bytes);
    by_digest_.clear();
    used_ = 0;
  }

  Status Add(size_t member, const Source& source, uint64_t offset) {
    PTEEDIT_TRY(source.Read(offset, {buffer_.data(), buffer_.size()}));
    std::vector<size_t>& candidates = by_digest_[Xxh128Of(ByteSpan{buffer_.data(), buffer_.size()})];
    for (const size_t candidate : candidates) {
      if (parts_[candidate].piece != buffer_) continue;
      parts_[candidate].members.push_back(member);
      return {};
    }
    candidates.push_back(used_);
    if (used_ == parts_.size()) parts_.emplace_back();
    Part& part = parts_[used_++];
    part.members = {member};
    part.piece.resize(buffer_.size());
    std::swap(part.piece, buffer_);
    return {};
  }

  // The members whose pieces are equal, in order of the first.
  std::vector<std::vector<size_t>> TakeGroups() {
    std::vector<std::vector<size_t>> groups;
    for (size_t i = 0; i < used_; ++i) groups.push_back(std::move(parts_[i].members));
    return groups;
  }

 private:
  struct Part {
    std::vector<size_t> members;
    std::vector<uint8_t> piece;
  };
  std::vector<uint8_t> buffer_;
  std::map<Xxh128Digest, std::vector<size_t>> by_digest_;  // indices of parts; more than one where digests collide
  std::vector<Part> parts_;
  size_t used_ = 0;
};

uint64_t PieceBytes(const Class& all, uint64_t size) {
  const uint64_t fair = std::clamp<uint64_t>(kClassBytes / all.members.size(), kMinPieceBytes, kStreamPieceBytes);
  return std::min({all.done == 0 ? kFirstPieceBytes : kStreamPieceBytes, fair, size - all.done});
}

// Writes for each member of `all` the first one with equal bytes to `first`.
Status Refine(const std::vector<ContentPlace>& places, Class all, std::vector<size_t>& first) {
  const uint64_t size = places[all.members.front()].extent.size;
  std::vector<Class> open;
  open.push_back(std::move(all));
  PieceIndex index;
  while (!open.empty()) {
    const Class now = std::move(open.back());
    open.pop_back();
    if (now.members.size() == 1 || now.done == size) {
      for (const size_t member : now.members) first[member] = now.members.front();
      continue;
    }
    const uint64_t piece_bytes = PieceBytes(now, size);
    index.Start(static_cast<size_t>(piece_bytes));
    for (const size_t member : now.members) {
      const ContentPlace& place = places[member];
      PTEEDIT_TRY(index.Add(member, *place.source, place.extent.offset + now.done));
    }
    for (std::vector<size_t>& members : index.TakeGroups())
      open.push_back({std::move(members), now.done + piece_bytes});
  }
  return {};
}

// For each place the first that is the very same part of the very same source; where there is no byte, that is any.
std::vector<size_t> FirstAtSamePlace(const std::vector<ContentPlace>& places) {
  std::map<std::tuple<uint64_t, const Source*, uint64_t>, size_t> known;
  std::vector<size_t> first;
  for (size_t i = 0; i < places.size(); ++i) {
    const Extent& extent = places[i].extent;
    const bool empty = extent.size == 0;
    first.push_back(
        known.try_emplace({extent.size, empty ? nullptr : places[i].source.get(), empty ? 0 : extent.offset}, i)
            .first->second);
  }
  return first;
}

}  // namespace

Result<std::vector<size_t>> GroupByContent(const std::vector<ContentPlace>& places, unsigned threads) {
  const std::vector<size_t> at_place = FirstAtSamePlace(places);
  std::map<uint64_t, Class> by_size;
  for (size_t i = 0; i < places.size(); ++i) {
    if (at_place[i] == i) by_size[places[i].extent.size].members.push_back(i);
  }
  std::vector<Class> classes;
  for (auto& [size, all] : by_size) classes.push_back(std::move(all));
  std::vector<size_t> first(places.size());
  std::vector<Status> done(classes.size());
  ParallelFor(classes.size(), threads, [&](size_t i) { done[i] = Refine(places, std::move(classes[i]), first); });
  for (const Status& status : done) PTEEDIT_TRY(status);
  for (size_t i = 0; i < places.size(); ++i) first[i] = first[at_place[i]];
  return first;
}

}  // namespace pteedit
