#include "io/content_index.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <limits>
#include <map>
#include <numeric>
#include <span>
#include <tuple>
#include <utility>

#include "base/chunked.h"
#include "base/parallel.h"
#include "base/text.h"
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
  std::vector<uint32_t> members;
  uint64_t done = 0;
};

// Finds the equal members of one class after the other, in memory that is used again.
class Refiner {
 public:
  explicit Refiner(const ViewOfContent& view_of) : view_of_(view_of) {}

  // Calls found(members, done) for those that are equal up to `end`.
  template <class Found>
  Status Refine(Class all, uint64_t end, Found found) {
    Chunked<Run> open;
    const auto keep = [&](Run run) {
      if (run.size() != 1 && run.done != end) return open.push_back(run);
      found(std::span<const uint32_t>(all.members).subspan(run.begin, run.size()), run.done);
    };
    keep({0, static_cast<uint32_t>(all.members.size()), all.done});
    while (!open.empty()) {
      Run now = open.back();
      open.pop_back();
      const std::span<uint32_t> members = std::span(all.members).subspan(now.begin, now.size());
      const auto piece_bytes = static_cast<size_t>(PieceBytes(now, end));
      PTEEDIT_TRY(Read(members, now.done, piece_bytes));
      now.done += piece_bytes;
      if (AreEqual(members.size(), piece_bytes)) {  // as most are behind the first piece
        keep(now);
        continue;
      }
      Sort(members, piece_bytes);
      for (uint32_t begin = 0; begin < members.size();) {
        uint32_t next = begin + 1;
        while (next < members.size() && !is_other_[next]) ++next;
        keep({now.begin + begin, now.begin + next, now.done});
        begin = next;
      }
    }
    return {};
  }

 private:
  // Members that stand beside each other and are equal so far.
  struct Run {
    uint32_t begin = 0, end = 0;
    uint64_t done = 0;
    uint32_t size() const { return end - begin; }
  };

  static uint64_t PieceBytes(const Run& run, uint64_t end) {
    const uint64_t fair = std::clamp<uint64_t>(kClassBytes / run.size(), kMinPieceBytes, kMaxPieceBytes);
    return std::min({run.done == 0 ? kFirstPieceBytes : kMaxPieceBytes, fair, end - run.done});
  }

  // One piece of each member, in their order.
  Status Read(std::span<const uint32_t> members, uint64_t done, size_t piece_bytes) {
    bytes_.resize(members.size() * piece_bytes);
    for (size_t i = 0; i < members.size(); ++i) {
      const ContentView view = view_of_(members[i]);
      const MutableByteSpan piece{&bytes_[i * piece_bytes], piece_bytes};
      PTEEDIT_TRY(done == 0 ? ReadSample(*view.source, view.extent, 0, piece)
                            : view.source->Read(view.extent.offset + done, piece));
    }
    return {};
  }

  int Compare(size_t a, size_t b, size_t piece_bytes) const {
    return std::memcmp(&bytes_[a * piece_bytes], &bytes_[b * piece_bytes], piece_bytes);
  }

  bool AreEqual(size_t members, size_t piece_bytes) const {
    for (size_t i = 1; i < members; ++i) {
      if (Compare(0, i, piece_bytes) != 0) return false;
    }
    return true;
  }

  // By the bytes of their pieces, equal ones in their order. Notes which differ from the one before.
  void Sort(std::span<uint32_t> members, size_t piece_bytes) {
    order_.resize(members.size());
    std::iota(order_.begin(), order_.end(), uint32_t{0});
    std::sort(order_.begin(), order_.end(), [&](uint32_t a, uint32_t b) {
      const int order = Compare(a, b, piece_bytes);
      return order != 0 ? order < 0 : a < b;
    });
    is_other_.assign(members.size(), false);
    for (size_t i = 1; i < order_.size(); ++i) is_other_[i] = Compare(order_[i - 1], order_[i], piece_bytes) != 0;
    for (uint32_t& one : order_) one = members[one];
    std::copy(order_.begin(), order_.end(), members.begin());
  }

  const ViewOfContent& view_of_;
  std::vector<uint8_t> bytes_;  // a piece of each member
  std::vector<uint32_t> order_;
  std::vector<bool> is_other_;
};

// Places of one size as a class, of those that are the very same part of the very same source only the first, which
// `first` has for all of them. Where there is no byte, any part is the same.
std::vector<Class> ClassesBySize(const ViewOfContent& view_of, std::vector<uint32_t>& first) {
  const auto where = [&](size_t i) {
    const auto& [source, extent] = view_of(i);
    return extent.size == 0 ? std::tuple(uint64_t{0}, static_cast<const Source*>(nullptr), uint64_t{0})
                            : std::tuple(extent.size, source, extent.offset);
  };
  std::vector<uint32_t> order(first.size());
  std::iota(order.begin(), order.end(), uint32_t{0});
  std::sort(order.begin(), order.end(),
            [&](uint32_t a, uint32_t b) { return std::pair(where(a), a) < std::pair(where(b), b); });
  std::vector<Class> classes;
  for (size_t begin = 0; begin < order.size();) {
    const uint64_t size = view_of(order[begin]).extent.size;
    size_t end = begin, different = 0;
    for (; end < order.size() && view_of(order[end]).extent.size == size; ++end) {
      const bool is_again = end != begin && where(order[end - 1]) == where(order[end]);
      first[order[end]] = is_again ? first[order[end - 1]] : order[end];
      different += is_again ? 0 : 1;
    }
    std::vector<uint32_t> members;
    members.reserve(different);
    for (; begin < end; ++begin) {
      if (first[order[begin]] == order[begin]) members.push_back(order[begin]);
    }
    std::sort(members.begin(), members.end());
    classes.push_back({std::move(members)});
  }
  return classes;
}

// Where a class has one member, or all have a known hash, that decides and nothing of them is read: true, and `first`
// is written.
bool DecidedByHashes(const ViewOfContent& view_of, const Class& all, std::vector<uint32_t>& first) {
  if (all.members.size() == 1) {  // also those without a byte, which may have no source
    first[all.members.front()] = all.members.front();
    return true;
  }
  std::map<Sha256Bytes, uint32_t> by_hash;
  std::vector<std::pair<uint32_t, uint32_t>> found;  // member and the first one like it
  for (const uint32_t member : all.members) {
    const auto& [source, extent] = view_of(member);
    const auto hash = source->known_sha256(extent);
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

void WriteFirsts(std::span<const uint32_t> equal, std::vector<uint32_t>& first) {
  for (const uint32_t member : equal) first[member] = equal.front();
}

uint64_t SizeOf(const Class& all, const ViewOfContent& view_of) { return view_of(all.members.front()).extent.size; }

// Reads each class on, up to `end`. Writes `first` of what is then like no other, or read whole, and returns the rest
// in the order of the classes.
Result<std::vector<Class>> RefineTo(uint64_t end, const ViewOfContent& view_of, std::vector<Class> classes,
                                    unsigned threads, std::vector<uint32_t>& first) {
  std::vector<std::vector<Class>> open(classes.size());
  const auto refine = [&](Refiner& refiner, size_t i) {
    const uint64_t size = SizeOf(classes[i], view_of);
    const auto found = [&](std::span<const uint32_t> equal, uint64_t done) {
      if (equal.size() == 1 || done == size) return WriteFirsts(equal, first);
      open[i].push_back({{equal.begin(), equal.end()}, done});
    };
    return refiner.Refine(std::move(classes[i]), std::min(size, end), found);
  };
  const auto make = [&] { return Refiner(view_of); };
  PTEEDIT_TRY(ParallelFor(classes.size(), threads, make, refine));
  std::vector<Class> rest;
  for (std::vector<Class>& equal : open) std::move(equal.begin(), equal.end(), std::back_inserter(rest));
  return rest;
}

Status RefineFurther(const ViewOfContent& view_of, std::vector<LongClass>& list, unsigned threads) {
  std::vector<std::pair<LongClass*, uint64_t>> ranges;  // where each begins
  for (LongClass& one : list) {
    const uint64_t size = SizeOf(one.all, view_of);
    for (uint64_t begin = one.all.done; begin < size; begin += kRangeBytes) ranges.emplace_back(&one, begin);
    one.ranges.resize(static_cast<size_t>((size - one.all.done + kRangeBytes - 1) / kRangeBytes));
  }
  const auto refine = [&](Refiner& refiner, size_t i) -> Status {
    const auto& [one, begin] = ranges[i];
    std::vector<Class> equal;
    const auto found = [&](std::span<const uint32_t> members, uint64_t done) {
      equal.push_back({{members.begin(), members.end()}, done});
    };
    const uint64_t end = begin + std::min(kRangeBytes, SizeOf(one->all, view_of) - begin);
    PTEEDIT_TRY(refiner.Refine({one->all.members, begin}, end, found));
    if (equal.size() > 1) one->ranges[static_cast<size_t>((begin - one->all.done) / kRangeBytes)] = std::move(equal);
    return {};
  };
  return ParallelFor(
      ranges.size(), threads, [&] { return Refiner(view_of); }, refine);
}

// Members are equal that are in one class of every range.
void WriteFirsts(const LongClass& one, std::vector<uint32_t>& first) {
  std::map<uint32_t, std::vector<size_t>> classes_of;  // of each member, in the ranges that tell some apart
  for (const std::vector<Class>& range : one.ranges) {
    for (size_t i = 0; i < range.size(); ++i) {
      for (const uint32_t member : range[i].members) classes_of[member].push_back(i);
    }
  }
  std::map<std::vector<size_t>, uint32_t> like;
  for (const uint32_t member : one.all.members) first[member] = like.emplace(classes_of[member], member).first->second;
}

}  // namespace

Result<std::vector<uint32_t>> GroupByContent(size_t count, const ViewOfContent& view_of, unsigned threads) {
  if (count > std::numeric_limits<uint32_t>::max())
    return Unsupported(Text("comparing ", count, " contents; at most 4294967295 can be"));
  std::vector<uint32_t> at_place(count), first(count);
  std::vector<Class> classes = ClassesBySize(view_of, at_place);
  std::erase_if(classes, [&](const Class& one) { return DecidedByHashes(view_of, one, first); });
  // What begins alike is spread over the threads, whatever there is of one size.
  PTEEDIT_ASSIGN(classes, RefineTo(kFirstPieceBytes, view_of, std::move(classes), threads, first));
  PTEEDIT_ASSIGN(classes, RefineTo(kRangeBytes, view_of, std::move(classes), threads, first));
  std::vector<LongClass> longer;
  for (Class& one : classes) longer.push_back({std::move(one), {}});
  PTEEDIT_TRY(RefineFurther(view_of, longer, threads));
  for (const LongClass& one : longer) WriteFirsts(one, first);
  for (size_t i = 0; i < count; ++i) first[i] = first[at_place[i]];
  return first;
}

}  // namespace pteedit
