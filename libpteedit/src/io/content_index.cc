#include "io/content_index.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

#include "base/parallel.h"
#include "io/digest.h"
#include "pteedit/try.h"

namespace pteedit {
namespace {

// Equal contents without hashing what differs: places of one size form a class, which is refined piece by piece until
// each class has one member or has been read to its end. A piece is found by a digest and compared byte by byte, so no
// collision can make two contents one. Most classes fall apart at the first 4 KiB; only what is equal is read whole.
// Classes are independent of each other and run in parallel, and so are the ranges of what is long: members are equal
// that are so in each range. Memory is bounded by one piece of each member, which are the smaller the more members
// there are.

// Most unequal contents differ early, so little is read of them.
constexpr uint64_t kFirstPieceBytes = 4096;
// One piece of each member of a class is in memory at most.
constexpr uint64_t kClassBytes = uint64_t{32} << 20;
constexpr uint64_t kMinPieceBytes = 64;                   // about what the lists need for a place anyway
constexpr uint64_t kMaxPieceBytes = uint64_t{256} << 10;  // still in the cache when compared
constexpr uint64_t kRangeBytes = uint64_t{8} << 20;

// Places of one size whose bytes before `done` are equal, from where a range begins; ascending.
struct Class {
  std::vector<size_t> members;
  uint64_t done = 0;
};

uint64_t PieceBytes(const Class& all, uint64_t end) {
  const uint64_t fair = std::clamp<uint64_t>(kClassBytes / all.members.size(), kMinPieceBytes, kMaxPieceBytes);
  return std::min({all.done == 0 ? kFirstPieceBytes : kMaxPieceBytes, fair, end - all.done});
}

// Finds the equal members of one class after the other, in memory that is used again.
class Refiner {
 public:
  explicit Refiner(const std::vector<ContentPlace>& places) : places_(places) {}

  // Calls found(Class) for those that are equal up to `end`.
  template <class Found>
  Status Refine(Class all, uint64_t end, Found found) {
    std::vector<Class> open;
    const auto keep = [&](Class one) {
      if (one.members.size() != 1 && one.done != end) return open.push_back(std::move(one));
      found(std::move(one));
    };
    keep(std::move(all));
    while (!open.empty()) {
      const Class now = std::move(open.back());
      open.pop_back();
      const uint64_t piece_bytes = PieceBytes(now, end);
      PTEEDIT_TRY(Read(now, static_cast<size_t>(piece_bytes)));
      for (auto begin = pieces_.begin(); begin != pieces_.end();) {
        const auto next = EndOfEqual(begin, static_cast<size_t>(piece_bytes));
        Class equal{{}, now.done + piece_bytes};
        for (; begin != next; ++begin) equal.members.push_back(begin->member);
        keep(std::move(equal));
      }
    }
    return {};
  }

 private:
  struct Piece {
    Xxh128Digest digest;
    size_t member = 0;
    const uint8_t* bytes = nullptr;

    bool operator<(const Piece& other) const { return std::tie(digest, member) < std::tie(other.digest, other.member); }
  };
  using Place = std::vector<Piece>::iterator;

  // One piece of each member, those of one digest beside each other.
  Status Read(const Class& all, size_t piece_bytes) {
    bytes_.resize(all.members.size() * piece_bytes);
    pieces_.clear();
    pieces_.reserve(all.members.size());
    uint8_t* next = bytes_.data();
    for (const size_t member : all.members) {
      const ContentPlace& place = places_[member];
      PTEEDIT_TRY(place.source->Read(place.extent.offset + all.done, {next, piece_bytes}));
      pieces_.push_back({Xxh128Of(ByteSpan{next, piece_bytes}), member, next});
      next += piece_bytes;
    }
    std::sort(pieces_.begin(), pieces_.end());
    return {};
  }

  // Brings what has the bytes of the first, and not only the digest, to the front.
  Place EndOfEqual(Place begin, size_t piece_bytes) {
    const Place end =
        std::find_if(begin, pieces_.end(), [&](const Piece& piece) { return piece.digest != begin->digest; });
    const uint8_t* first = begin->bytes;
    return std::stable_partition(
        begin, end, [&](const Piece& piece) { return std::equal(first, first + piece_bytes, piece.bytes); });
  }

  const std::vector<ContentPlace>& places_;
  std::vector<uint8_t> bytes_;
  std::vector<Piece> pieces_;
};

// Places of one size as a class, of those that are the very same part of the very same source only the first, which
// `first` has for all of them. Where there is no byte, any part is the same.
std::vector<Class> ClassesBySize(const std::vector<ContentPlace>& places, std::vector<size_t>& first) {
  const auto where = [&](size_t i) {
    const auto& [source, extent] = places[i];
    return extent.size == 0 ? std::tuple(uint64_t{0}, static_cast<const Source*>(nullptr), uint64_t{0})
                            : std::tuple(extent.size, source.get(), extent.offset);
  };
  std::vector<size_t> order(places.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(),
            [&](size_t a, size_t b) { return std::pair(where(a), a) < std::pair(where(b), b); });
  std::vector<Class> classes;
  for (size_t i = 0; i < order.size(); ++i) {
    const size_t now = order[i];
    first[now] = i != 0 && where(order[i - 1]) == where(now) ? first[order[i - 1]] : now;
    if (i == 0 || places[order[i - 1]].extent.size != places[now].extent.size) classes.emplace_back();
    if (first[now] == now) classes.back().members.push_back(now);
  }
  for (Class& one : classes) std::sort(one.members.begin(), one.members.end());
  return classes;
}

// Where all members of a class have a known hash, that decides and nothing of them is read: true, and `first` is
// written.
bool DecidedByHashes(const std::vector<ContentPlace>& places, const Class& all, std::vector<size_t>& first) {
  std::map<Sha256Bytes, size_t> by_hash;
  std::vector<std::pair<size_t, size_t>> found;  // member and the first one like it
  for (const size_t member : all.members) {
    const auto hash = places[member].source->known_sha256(places[member].extent);
    if (!hash) return false;
    found.emplace_back(member, by_hash.emplace(*hash, member).first->second);
  }
  for (const auto& [member, like] : found) first[member] = like;
  return true;
}

// A class whose first range is equal, and what each further range makes of it.
struct LongClass {
  Class all;
  uint64_t size;
  std::vector<std::vector<Class>> ranges;
};

void WriteFirsts(const Class& equal, std::vector<size_t>& first) {
  for (const size_t member : equal.members) first[member] = equal.members.front();
}

Status RefineFurther(const std::vector<ContentPlace>& places, std::vector<LongClass>& list, unsigned threads) {
  std::vector<std::pair<LongClass*, uint64_t>> ranges;  // where each begins
  for (LongClass& one : list) {
    for (uint64_t begin = one.all.done; begin < one.size; begin += kRangeBytes) ranges.emplace_back(&one, begin);
    one.ranges.resize(static_cast<size_t>((one.size - one.all.done + kRangeBytes - 1) / kRangeBytes));
  }
  std::vector<Status> statuses(ranges.size());
  ParallelFor(ranges.size(), threads, [&](size_t i) {
    const auto& [one, begin] = ranges[i];
    std::vector<Class> equal;
    statuses[i] = Refiner(places).Refine({one->all.members, begin}, begin + std::min(kRangeBytes, one->size - begin),
                                         [&](Class found) { equal.push_back(std::move(found)); });
    if (equal.size() > 1) one->ranges[static_cast<size_t>((begin - one->all.done) / kRangeBytes)] = std::move(equal);
  });
  for (Status& status : statuses) PTEEDIT_TRY(std::move(status));
  return {};
}

// Members are equal that are in one class of every range.
void WriteFirsts(const LongClass& one, std::vector<size_t>& first) {
  std::map<size_t, std::vector<size_t>> classes_of;  // of each member, in the ranges that tell some apart
  for (const std::vector<Class>& range : one.ranges) {
    for (size_t i = 0; i < range.size(); ++i) {
      for (const size_t member : range[i].members) classes_of[member].push_back(i);
    }
  }
  std::map<std::vector<size_t>, size_t> like;
  for (const size_t member : one.all.members) first[member] = like.emplace(classes_of[member], member).first->second;
}

}  // namespace

Result<std::vector<size_t>> GroupByContent(const std::vector<ContentPlace>& places, unsigned threads) {
  std::vector<size_t> at_place(places.size()), first(places.size());
  std::vector<Class> classes = ClassesBySize(places, at_place);
  std::vector<Status> statuses(classes.size());
  std::vector<std::vector<LongClass>> begun(classes.size());  // equal in their first range
  ParallelFor(classes.size(), threads, [&](size_t i) {
    if (DecidedByHashes(places, classes[i], first)) return;
    const uint64_t size = places[classes[i].members.front()].extent.size;
    statuses[i] = Refiner(places).Refine(std::move(classes[i]), std::min(size, kRangeBytes), [&](Class one) {
      if (one.members.size() == 1 || one.done == size) return WriteFirsts(one, first);
      begun[i].push_back({std::move(one), size, {}});
    });
  });
  for (Status& status : statuses) PTEEDIT_TRY(std::move(status));
  std::vector<LongClass> longer;
  for (std::vector<LongClass>& equal : begun) std::move(equal.begin(), equal.end(), std::back_inserter(longer));
  PTEEDIT_TRY(RefineFurther(places, longer, threads));
  for (const LongClass& one : longer) WriteFirsts(one, first);
  for (size_t i = 0; i < places.size(); ++i) first[i] = first[at_place[i]];
  return first;
}

}  // namespace pteedit
