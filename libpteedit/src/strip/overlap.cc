#include "strip/overlap.h"

#include <algorithm>
#include <string>

#include "edit/buffers.h"
#include "edit/segment_hosts.h"
#include "edit/segment_refs.h"
#include "edit/stored_tensors.h"
#include "io/content_index.h"
#include "pteedit/try.h"

namespace pteedit {
namespace {

class Overlapper {
 public:
  Overlapper(ProgramModel& model, uint64_t min_alignment, unsigned threads)
      : model_(model), min_alignment_(min_alignment), threads_(threads) {}

  Result<std::vector<Duplicate>> Run() {
    const std::optional<tables::SubsegmentOffsets>& part = model_.tables.constant_segment;
    if (!part || part->offsets.size() == 0 || !IsSegmentOfItsOwn(model_, *part)) return std::vector<Duplicate>();
    ListConstants();
    if (constants_.empty()) return std::vector<Duplicate>();
    PTEEDIT_ASSIGN(const std::vector<Pair> pairs, FindPairs());
    if (pairs.empty()) return std::vector<Duplicate>();
    Align(pairs);
    const PartCutter parts(host().bytes);
    for (const Pair& pair : pairs) PutInside(pair, parts);
    model_.changed = true;
    return KeysOf(pairs);
  }

 private:
  struct Constant {
    size_t buffer = 0;
    ContentPlace place;
  };
  struct Pair {
    size_t buffer = 0, segment = 0;
  };

  tables::SubsegmentOffsets& part() { return *model_.tables.constant_segment; }
  Segment& host() { return model_.segments[part().segment_index]; }

  void ListConstants() {
    uses_ = UsesOf(model_.tables, {Store::kSegment, 0}, part().offsets.size());
    const PartCutter parts(host().bytes);
    for (const size_t i : BuffersAlone(part(), BufferEnds(part(), host().bytes.size(), uses_), uses_)) {
      const PlannedFile bytes = parts.Cut({part().offsets[i], uses_[i].known_bytes});
      const PlannedPiece* piece = bytes.only_piece();
      if (piece != nullptr && piece->source != nullptr) constants_.push_back({i, {piece->source, piece->extent}});
    }
  }

  // Segments with bytes of their own that nothing but keys use.
  std::vector<size_t> SegmentsOfKeys() {
    std::vector<bool> for_keys(model_.segments.size()), for_others(model_.segments.size());
    ForEachSegmentUse(model_.tables, [&](SegmentUser::Kind kind, uint32_t& index) {
      (kind == SegmentUser::Kind::kNamedData ? for_keys : for_others)[index] = true;
    });
    std::vector<size_t> found;
    for (size_t i = 0; i < for_keys.size(); ++i) {
      const Segment& segment = model_.segments[i];
      const PlannedPiece* piece = segment.bytes.only_piece();
      const bool is_stored = piece != nullptr && piece->source != nullptr;
      if (for_keys[i] && !for_others[i] && is_stored && !segment.inside) found.push_back(i);
    }
    return found;
  }

  Result<std::vector<Pair>> FindPairs() {
    std::vector<ContentPlace> places;
    for (const Constant& constant : constants_) places.push_back(constant.place);
    const std::vector<size_t> segments = SegmentsOfKeys();
    for (const size_t segment : segments) {
      const PlannedPiece& piece = *model_.segments[segment].bytes.only_piece();
      places.push_back({piece.source, piece.extent});
    }
    PTEEDIT_ASSIGN(const std::vector<uint32_t> first, GroupByContent(places, threads_));
    std::vector<Pair> pairs;
    for (size_t i = 0; i < segments.size(); ++i) {
      const size_t constant = first[constants_.size() + i];
      if (constant < constants_.size()) pairs.push_back({constants_[constant].buffer, segments[i]});
    }
    return pairs;
  }

  uint64_t AlignmentFor(const Pair& pair) const {
    return std::max(model_.segments[pair.segment].alignment, min_alignment_);
  }

  // Lays the constants out anew unless those of the pairs are where the keys need them.
  void Align(const std::vector<Pair>& pairs) {
    bool is_aligned = true;
    std::vector<uint64_t> inside = SegmentsInside(model_.segments).AlignmentsIn(part());
    for (const Pair& pair : pairs) {
      inside[pair.buffer] = std::max(inside[pair.buffer], AlignmentFor(pair));
      host().alignment = std::max(host().alignment, AlignmentFor(pair));
      is_aligned = is_aligned && part().offsets[pair.buffer] % AlignmentFor(pair) == 0;
    }
    if (is_aligned) return;
    for (BufferUse& use : uses_) use.wanted = true;
    std::vector<BufferUse> uses = WithAlignmentsInside(uses_, inside);
    for (const Pair& pair : pairs) uses[pair.buffer].holds_segments = false;  // not yet
    TakeOutBuffers(part(), host(), uses);                                     // of which none goes
  }

  void PutInside(const Pair& pair, const PartCutter& parts) {
    Segment& segment = model_.segments[pair.segment];
    segment.bytes = parts.Cut({part().offsets[pair.buffer], segment.bytes.size()});
    segment.inside = true;
  }

  // The first on each segment.
  std::vector<Duplicate> KeysOf(const std::vector<Pair>& pairs) const {
    std::vector<bool> untold(model_.segments.size());
    for (const Pair& pair : pairs) untold[pair.segment] = true;
    std::vector<Duplicate> keys;
    for (const tables::NamedData& entry : model_.tables.named_data.items) {
      if (!untold[entry.segment_index]) continue;
      untold[entry.segment_index] = false;
      const uint64_t bytes = model_.segments[entry.segment_index].bytes.size();
      keys.push_back({"named-data", std::string(tables::ViewOf(entry.key)), bytes});
    }
    return keys;
  }

  ProgramModel& model_;
  const uint64_t min_alignment_;
  const unsigned threads_;
  std::vector<BufferUse> uses_;  // of the buffers in the constant segment
  std::vector<Constant> constants_;
};

}  // namespace

Result<std::vector<Duplicate>> PutKeysInside(ProgramModel& model, uint64_t min_alignment, unsigned threads) {
  return Overlapper(model, min_alignment, threads).Run();
}

}  // namespace pteedit
