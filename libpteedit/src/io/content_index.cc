#include "io/content_index.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <map>
#include <numeric>
#include <span>
#include <tuple>
#include <utility>

#include "base/parallel.h"
#include "io/posix_file.h"
#include "pteedit/try.h"

namespace pteedit {
namespace {

// Equal contents without hashing: places of one size form a class, which is refined piece by piece until each class has
// one member or has been read to its end. Pieces are sorted by their bytes. Most classes fall apart at the first 4 KiB;
// only what is equal is read whole. Classes are independent of each other and run in parallel, and so are the ranges of
// what is long: members are equal that are so in each range. Memory is bounded by one piece of each member, which are
// the smaller the more members there are.

// Most unequal contents differ early, so little is read of them.
constexpr uint64_t kFirstPieceBytes = 4096;
// One piece of each member of a class is in memory at most.
constexpr uint64_t kClassBytes = uint64_t{4} << 20;
constexpr uint64_t kMinPieceBytes = 16;                   // less than what the lists need for a place anyway
constexpr uint64_t kMaxPieceBytes = uint64_t{256} << 10;  // still in the cache when compared
constexpr uint64_t kRangeBytes = uint64_t{8} << 20;

// Places of one size whose bytes before `done` are equal, from where a range begins; ascending.
struct Class {
  std::vector<size_t> members;
  uint64_t done = 0;
};

// Finds the equal members of one class after the other, in memory that is used again.
class Refiner {
 public:
  explicit Refiner(const std::vector<ContentPlace>& places) : places_(places) {}

  // Calls found(members, done) for those that are equal up to `end`.
  template <class Found>
  Status Refine(Class all, uint64_t end, Found found) {
    std::vector<Run> open;
    const auto keep = [&](Run run) {
      if (run.size() != 1 && run.done != end) return open.push_back(run);
      found(std::span<const size_t>(all.members).subspan(run.begin, run.size()), run.done);
    };
    keep({0, all.members.size(), all.done});
    while (!open.empty()) {
      Run now = open.back();
      open.pop_back();
      const std::span<size_t> members = std::span(all.members).subspan(now.begin, now.size());
      const auto piece_bytes = static_cast<size_t>(PieceBytes(now, end));
      PTEEDIT_TRY(Read(members, now.done, piece_bytes));
      now.done += piece_bytes;
      if (AreEqual(piece_bytes)) {  // as most are behind the first piece
        keep(now);
        continue;
      }
      Sort(members, piece_bytes);
      for (size_t begin = 0; begin < members.size();) {
        size_t next = begin + 1;
        while (next < members.size() && std::memcmp(pieces_[begin], pieces_[next], piece_bytes) == 0) ++next;
        keep({now.begin + begin, now.begin + next, now.done});
        begin = next;
      }
    }
    return {};
  }

 private:
  // Members that stand beside each other and are equal so far.
  struct Run {
    size_t begin = 0, end = 0;
    uint64_t done = 0;
    size_t size() const { return end - begin; }
  };

  static uint64_t PieceBytes(const Run& run, uint64_t end) {
    const uint64_t fair = std::clamp<uint64_t>(kClassBytes / run.size(), kMinPieceBytes, kMaxPieceBytes);
    return std::min({run.done == 0 ? kFirstPieceBytes : kMaxPieceBytes, fair, end - run.done});
  }

  // One piece of each member, in their order.
  Status Read(std::span<const size_t> members, uint64_t done, size_t piece_bytes) {
    bytes_.resize(members.size() * piece_bytes);
    pieces_.clear();
    pieces_.reserve(members.size());
    uint8_t* next = bytes_.data();
    for (const size_t member : members) {
      const ContentPlace& place = places_[member];
      const MutableByteSpan piece{next, piece_bytes};
      PTEEDIT_TRY(done == 0 ? ReadSample(*place.source, place.extent, 0, piece)
                            : place.source->Read(place.extent.offset + done, piece));
      pieces_.push_back(next);
      next += piece_bytes;
    }
    return {};
  }

  bool AreEqual(size_t piece_bytes) const {
    return std::all_of(pieces_.begin() + 1, pieces_.end(),
                       [&](const uint8_t* piece) { return std::memcmp(pieces_.front(), piece, piece_bytes) == 0; });
  }

  // By the bytes of their pieces, equal ones in their order.
  void Sort(std::span<size_t> members, size_t piece_bytes) {
    std::sort(pieces_.begin(), pieces_.end(), [&](const uint8_t* a, const uint8_t* b) {
      const int order = std::memcmp(a, b, piece_bytes);
      return order != 0 ? order < 0 : a < b;
    });
    sorted_.clear();
    sorted_.reserve(members.size());
    for (const uint8_t* piece : pieces_)
      sorted_.push_back(members[static_cast<size_t>(piece - bytes_.data()) / piece_bytes]);
    std::copy(sorted_.begin(), sorted_.end(), members.begin());
  }

  const std::vector<ContentPlace>& places_;
  std::vector<uint8_t> bytes_;
  std::vector<const uint8_t*> pieces_;  // in bytes_
  std::vector<size_t> sorted_;
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
  std::vector<std::vector<Class>> ranges;
};

void WriteFirsts(std::span<const size_t> equal, std::vector<size_t>& first) {
  for (const size_t member : equal) first[member] = equal.front();
}

uint64_t SizeOf(const Class& all, const std::vector<ContentPlace>& places) {
  return places[all.members.front()].extent.size;
}

// Reads each class on, up to `end`. Writes `first` of what is then like no other, or read whole, and returns the rest
// in the order of the classes.
Result<std::vector<Class>> RefineTo(uint64_t end, const std::vector<ContentPlace>& places, std::vector<Class> classes,
                                    unsigned threads, std::vector<size_t>& first) {
  std::vector<std::vector<Class>> open(classes.size());
  const auto refine = [&](Refiner& refiner, size_t i) {
    const uint64_t size = SizeOf(classes[i], places);
    const auto found = [&](std::span<const size_t> equal, uint64_t done) {
      if (equal.size() == 1 || done == size) return WriteFirsts(equal, first);
      open[i].push_back({{equal.begin(), equal.end()}, done});
    };
    return refiner.Refine(std::move(classes[i]), std::min(size, end), found);
  };
  const auto make = [&] { return Refiner(places); };
  PTEEDIT_TRY(ParallelFor(classes.size(), threads, make, refine));
  std::vector<Class> rest;
  for (std::vector<Class>& equal : open) std::move(equal.begin(), equal.end(), std::back_inserter(rest));
  return rest;
}

Status RefineFurther(const std::vector<ContentPlace>& places, std::vector<LongClass>& list, unsigned threads) {
  std::vector<std::pair<LongClass*, uint64_t>> ranges;  // where each begins
  for (LongClass& one : list) {
    const uint64_t size = SizeOf(one.all, places);
    for (uint64_t begin = one.all.done; begin < size; begin += kRangeBytes) ranges.emplace_back(&one, begin);
    one.ranges.resize(static_cast<size_t>((size - one.all.done + kRangeBytes - 1) / kRangeBytes));
  }
  const auto refine = [&](Refiner& refiner, size_t i) -> Status {
    const auto& [one, begin] = ranges[i];
    std::vector<Class> equal;
    const auto found = [&](std::span<const size_t> members, uint64_t done) {
      equal.push_back({{members.begin(), members.end()}, done});
    };
    const uint64_t end = begin + std::min(kRangeBytes, SizeOf(one->all, places) - begin);
    PTEEDIT_TRY(refiner.Refine({one->all.members, begin}, end, found));
    if (equal.size() > 1) one->ranges[static_cast<size_t>((begin - one->all.done) / kRangeBytes)] = std::move(equal);
    return {};
  };
  return ParallelFor(
      ranges.size(), threads, [&] { return Refiner(places); }, refine);
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
  std::erase_if(classes, [&](const Class& one) { return DecidedByHashes(places, one, first); });
  // What begins alike is spread over the threads, whatever there is of one size.
  PTEEDIT_ASSIGN(classes, RefineTo(kFirstPieceBytes, places, std::move(classes), threads, first));
  PTEEDIT_ASSIGN(classes, RefineTo(kRangeBytes, places, std::move(classes), threads, first));
  std::vector<LongClass> longer;
  for (Class& one : classes) longer.push_back({std::move(one), {}});
  PTEEDIT_TRY(RefineFurther(places, longer, threads));
  for (const LongClass& one : longer) WriteFirsts(one, first);
  for (size_t i = 0; i < places.size(); ++i) first[i] = first[at_place[i]];
  return first;
}

}  // namespace pteedit
