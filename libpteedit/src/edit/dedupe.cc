#include "edit/dedupe.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "base/renumber.h"
#include "base/text.h"
#include "edit/buffers.h"
#include "edit/segment_hosts.h"
#include "edit/segment_refs.h"
#include "edit/stored_tensors.h"
#include "io/content_index.h"
#include "program/constants.h"
#include "program/delegate_names.h"
#include "pteedit/try.h"

namespace pteedit {
namespace {

// Each list of bytes by itself (buffers of a segment, inline constants, inline blobs, segments): GroupByContent tells
// for each member the first with equal bytes, its survivor. The survivor takes the larger alignment, the others go, and
// one table of new indices, made of the survivors' by WithCopies, renumbers every reference. Only what is sure to be a
// whole takes part: a buffer that another overlaps, or whose end is a guess, stays. Names are taken from the file as it
// was opened, by place, for by then values may have moved.

// What the program as it was opened calls the bytes at a place of its file, whatever has become of its values.
class OriginNames {
 public:
  explicit OriginNames(const Container& program) : program_(program) {}

  // "buffer 3" where the bytes came from elsewhere.
  std::string OfConstant(const ContentPlace& place, size_t buffer) {
    return Find(&OriginNames::constants_, place, "buffer ", buffer);
  }
  std::string OfBlob(const ContentPlace& place, size_t blob) {
    return Find(&OriginNames::delegates_, place, "blob ", blob);
  }

 private:
  using Names = std::map<uint64_t, std::string>;

  // When the first one is asked for: most files have no copies.
  void Collect() {
    is_collected_ = true;
    for (const Constant& constant : CollectConstants(program_))
      constants_.emplace(constant.extent.offset, constant.name);
    const schema::Program& root = program_.state().program_root();
    const std::vector<DelegateNames> names = DelegateNamesIn(root);
    for (size_t plan = 0; plan < names.size(); ++plan) {
      const auto& delegates =
          OrEmpty(root.execution_plan()->Get(static_cast<flatbuffers::uoffset_t>(plan))->delegates());
      for (size_t i = 0; i < names[plan].size(); ++i) {
        const auto& delegate = *delegates.Get(static_cast<flatbuffers::uoffset_t>(i));
        delegates_.emplace(BlobExtent(program_, delegate).offset, names[plan][i]);
      }
    }
  }

  std::string Find(Names OriginNames::*kind, const ContentPlace& place, const char* what, size_t index) {
    if (!is_collected_) Collect();
    const Names& names = this->*kind;
    const auto found = names.find(place.extent.offset);
    if (place.source != program_.source() || found == names.end()) return Text(what, index);
    return found->second;
  }

  const Container program_;
  bool is_collected_ = false;
  Names constants_, delegates_;
};

// Some bytes that may be a copy of others in the same list.
struct Candidate {
  size_t index = 0;  // as the tables number it
  ContentPlace place;
};

bool SamePlace(const ContentPlace& a, const ContentPlace& b) { return a.source == b.source && a.extent == b.extent; }

ContentPlace PlaceOf(const PlannedFile& bytes, const std::string& name) {
  const PlannedPiece* piece = bytes.only_piece();
  if (piece != nullptr && piece->source != nullptr) return {piece->source, piece->extent};
  return {bytes.AsSource(name), {0, bytes.size()}};
}

// For each index below `count` the one that has its bytes from now on. Bytes that lie in one place already stay.
Result<std::vector<uint32_t>> FindSurvivors(const std::vector<Candidate>& candidates, size_t count, unsigned threads) {
  std::vector<uint32_t> survivors(count);
  std::iota(survivors.begin(), survivors.end(), uint32_t{0});
  std::vector<ContentPlace> places;
  for (const Candidate& candidate : candidates) places.push_back(candidate.place);
  PTEEDIT_ASSIGN(const std::vector<uint32_t> first, GroupByContent(places, threads));
  for (size_t i = 0; i < candidates.size(); ++i) {
    if (places[i].extent.size == 0 || SamePlace(places[i], places[first[i]])) continue;
    survivors[candidates[i].index] = static_cast<uint32_t>(candidates[first[i]].index);
  }
  return survivors;
}

// The new indices of all, where `renumbered` has those of the survivors.
std::vector<uint32_t> WithCopies(std::vector<uint32_t> renumbered, const std::vector<uint32_t>& survivors) {
  for (size_t i = 0; i < survivors.size(); ++i) renumbered[i] = renumbered[survivors[i]];
  return renumbered;
}

std::vector<bool> AreSurvivors(const std::vector<uint32_t>& survivors) {
  std::vector<bool> wanted(survivors.size());
  for (size_t i = 0; i < survivors.size(); ++i) wanted[i] = survivors[i] == i;
  return wanted;
}

bool HasCopies(const std::vector<uint32_t>& survivors) {
  return AreSurvivors(survivors) != std::vector<bool>(survivors.size(), true);
}

// Drops copies from a list of bytes inside the tables. Returns the new index of each.
std::vector<uint32_t> DropCopies(std::vector<tables::InlineBytes>& list, const std::vector<uint32_t>& survivors) {
  for (size_t i = 0; i < list.size(); ++i) {
    tables::Blob& survivor = list[survivors[i]].value;
    survivor.alignment = std::max(survivor.alignment, list[i].value.alignment);
  }
  return WithCopies(Keep(list, AreSurvivors(survivors)), survivors);
}

// Points every reference at the survivor and drops the copies.
template <class AnyModel>
void DropSegmentCopies(AnyModel& model, const std::vector<uint32_t>& survivors) {
  for (size_t i = 0; i < survivors.size(); ++i) {
    Segment& survivor = model.segments[survivors[i]];
    survivor.alignment = std::max(survivor.alignment, model.segments[i].alignment);
    const bool takes_no_room = survivors[i] != i && model.segments[i].inside && !survivor.inside;
    if (takes_no_room) survivor.bytes = model.segments[i].bytes, survivor.inside = true;
  }
  ForEachSegmentRef(model.tables, [&](uint32_t& index) { index = survivors[index]; });
  KeepSegments(model, AreSurvivors(survivors));
}

Candidate SegmentCandidate(const std::vector<Segment>& segments, size_t index) {
  return {index, PlaceOf(segments[index].bytes, Text("segment ", index))};
}

// The first key on each copy that goes.
template <class Entries>
std::vector<Duplicate> KeysOfCopies(const Entries& entries, const std::vector<Segment>& segments,
                                    const std::vector<uint32_t>& survivors) {
  std::vector<Duplicate> found;
  std::vector<bool> told(segments.size());
  for (const auto& entry : entries) {
    const uint32_t segment = entry.segment_index;
    if (survivors[segment] == segment || told[segment]) continue;
    told[segment] = true;
    found.push_back({"named-data", std::string(tables::ViewOf(entry.key)), segments[segment].bytes.size()});
  }
  return found;
}

constexpr unsigned BitOf(SegmentUser::Kind kind) { return 1U << static_cast<unsigned>(kind); }

class Deduper {
 public:
  Deduper(ProgramModel& model, unsigned threads)
      : model_(model), threads_(threads), names_(*model.origin), inside_(model.segments) {}

  Result<std::vector<Duplicate>> Run() {
    if (model_.tables.constant_segment) {
      PTEEDIT_TRY(DedupePart({Store::kSegment, 0}, *model_.tables.constant_segment, "constant"));
    }
    for (uint32_t i = 0; i < model_.tables.mutable_data_segments.items.size(); ++i) {
      PTEEDIT_TRY(DedupePart({Store::kMutable, i}, model_.tables.mutable_data_segments.items[i], "mutable"));
    }
    PTEEDIT_TRY(DedupeInlineConstants());
    PTEEDIT_TRY(DedupeInlineBlobs());
    PTEEDIT_TRY(DedupeSegments());
    return std::move(duplicates_);
  }

 private:
  void Found(const char* what, std::string name, uint64_t bytes) {
    duplicates_.push_back({what, std::move(name), bytes});
    model_.changed = true;
  }

  Status DedupePart(const BufferStore& store, tables::SubsegmentOffsets& part, const char* what) {
    if (part.offsets.size() == 0 || !IsSegmentOfItsOwn(model_, part)) return {};
    Segment& segment = model_.segments[part.segment_index];
    std::vector<BufferUse> uses = UsesOf(model_.tables, store, part.offsets.size());
    std::vector<Candidate> candidates;
    const PartCutter parts(segment.bytes);
    for (const size_t i : BuffersAlone(part, BufferEnds(part, segment.bytes.size(), uses), uses)) {
      const PlannedFile bytes = parts.Cut({part.offsets[i], uses[i].known_bytes});
      candidates.push_back({i, PlaceOf(bytes, Text("buffer ", i))});
    }
    PTEEDIT_ASSIGN(const std::vector<uint32_t> survivors, FindSurvivors(candidates, uses.size(), threads_));
    if (!HasCopies(survivors)) return {};
    for (const Candidate& candidate : candidates) {
      if (survivors[candidate.index] == candidate.index) continue;
      Found(what, names_.OfConstant(candidate.place, candidate.index), candidate.place.extent.size);
    }
    for (size_t i = 0; i < uses.size(); ++i) {
      uses[i].wanted = survivors[i] == i;
      BufferUse& survivor = uses[survivors[i]];
      survivor.alignment = std::max(survivor.alignment, uses[i].alignment);
    }
    uses = WithAlignmentsInside(std::move(uses), inside_.AlignmentsIn(part));
    RenumberBuffers(model_.tables, store, WithCopies(TakeOutBuffers(part, segment, uses), survivors));
    return {};
  }

  // From `first` on.
  std::vector<Candidate> InlineCandidates(const std::vector<tables::InlineBytes>& list, size_t first) const {
    const ByteSpan all = model_.origin->tables();
    std::vector<Candidate> candidates;
    for (size_t i = first; i < list.size(); ++i) {
      const tables::Vector<uint8_t>& bytes = list[i].value.bytes;
      const bool in_origin = bytes.size() != 0 && bytes.begin() >= all.data && bytes.end() <= all.data + all.size;
      if (in_origin) {
        candidates.push_back(
            {i, {model_.origin->source(), {static_cast<uint64_t>(bytes.begin() - all.data), bytes.size()}}});
      } else {
        candidates.push_back({i, {MakeViewSource("inline bytes", {bytes.data(), bytes.size()}), {0, bytes.size()}}});
      }
    }
    return candidates;
  }

  Status DedupeInlineConstants() {
    std::vector<tables::InlineBytes>& list = model_.tables.constant_buffer.items;
    const std::vector<Candidate> candidates = InlineCandidates(list, 1);  // 0 is the placeholder
    PTEEDIT_ASSIGN(const std::vector<uint32_t> survivors, FindSurvivors(candidates, list.size(), threads_));
    if (!HasCopies(survivors)) return {};
    for (const Candidate& candidate : candidates) {
      if (survivors[candidate.index] == candidate.index) continue;
      Found("constant", names_.OfConstant(candidate.place, candidate.index), candidate.place.extent.size);
    }
    RenumberBuffers(model_.tables, {Store::kInline, 0}, DropCopies(list, survivors));
    return {};
  }

  Status DedupeInlineBlobs() {
    std::vector<tables::InlineBytes>& list = model_.tables.backend_delegate_data.items;
    const std::vector<Candidate> candidates = InlineCandidates(list, 0);
    PTEEDIT_ASSIGN(const std::vector<uint32_t> survivors, FindSurvivors(candidates, list.size(), threads_));
    if (!HasCopies(survivors)) return {};
    for (const Candidate& candidate : candidates) {
      if (survivors[candidate.index] == candidate.index) continue;
      Found("delegate", names_.OfBlob(candidate.place, candidate.index), candidate.place.extent.size);
    }
    const std::vector<uint32_t> renumbered = DropCopies(list, survivors);
    ForEachInlineBlobRef(model_.tables, [&](uint32_t& index) { index = renumbered[index]; });
    return {};
  }

  // Blobs of delegates share a segment with each other and keys with each other, as the exporter has it.
  Status DedupeSegments() {
    std::vector<unsigned> kinds(model_.segments.size());  // of all users
    ForEachSegmentUse(model_.tables, [&](SegmentUser::Kind kind, uint32_t& index) { kinds[index] |= BitOf(kind); });
    constexpr unsigned kBlob = BitOf(SegmentUser::Kind::kDelegate), kKey = BitOf(SegmentUser::Kind::kNamedData);
    std::vector<uint32_t> survivors(kinds.size());
    std::iota(survivors.begin(), survivors.end(), uint32_t{0});
    for (const unsigned wanted : {kBlob, kKey, kBlob | kKey}) {
      std::vector<Candidate> candidates;
      for (size_t i = 0; i < kinds.size(); ++i) {
        if (kinds[i] == wanted) candidates.push_back(SegmentCandidate(model_.segments, i));
      }
      PTEEDIT_ASSIGN(const std::vector<uint32_t> found, FindSurvivors(candidates, kinds.size(), threads_));
      for (const Candidate& candidate : candidates) survivors[candidate.index] = found[candidate.index];
    }
    if (!HasCopies(survivors)) return {};
    for (size_t i = 0; i < survivors.size(); ++i) {
      if (survivors[i] == i || kinds[i] != kBlob) continue;
      const ContentPlace place = SegmentCandidate(model_.segments, i).place;
      Found("delegate", names_.OfBlob(place, i), place.extent.size);
    }
    for (Duplicate& copy : KeysOfCopies(model_.tables.named_data.items, model_.segments, survivors))
      Found(copy.what, std::move(copy.name), copy.bytes);
    DropSegmentCopies(model_, survivors);
    return {};
  }

  ProgramModel& model_;
  unsigned threads_;
  OriginNames names_;
  const SegmentsInside inside_;
  std::vector<Duplicate> duplicates_;
};

}  // namespace

Result<std::vector<Duplicate>> DedupeModel(ProgramModel& model, unsigned threads) {
  return Deduper(model, threads).Run();
}

Result<std::vector<Duplicate>> DedupeModel(DataModel& model, unsigned threads) {
  std::vector<Candidate> candidates;
  for (size_t i = 0; i < model.segments.size(); ++i) candidates.push_back(SegmentCandidate(model.segments, i));
  PTEEDIT_ASSIGN(const std::vector<uint32_t> survivors, FindSurvivors(candidates, candidates.size(), threads));
  std::vector<Duplicate> duplicates = KeysOfCopies(model.tables.named_data.items, model.segments, survivors);
  DropSegmentCopies(model, survivors);
  model.changed = model.changed || !duplicates.empty();
  return duplicates;
}

}  // namespace pteedit
