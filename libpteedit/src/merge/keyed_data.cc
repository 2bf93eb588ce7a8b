#include "merge/keyed_data.h"

#include <algorithm>
#include <tuple>

#include "base/checked.h"
#include "edit/data_builder.h"
#include "edit/data_files.h"
#include "edit/plan.h"
#include "pteedit/try.h"

namespace pteedit {
namespace {

// What is aligned to less than this gets, with all others, the most that any of them has: a mixture could not be read
// off the file again.
constexpr uint64_t kCommonAlignment = 128;

bool IsBefore(ByteSpan a, ByteSpan b) {
  return std::lexicographical_compare(a.data, a.data + a.size, b.data, b.data + b.size);
}

uint64_t SizeOf(const std::vector<PlannedFile>& files) {
  uint64_t bytes = 0;
  for (const PlannedFile& file : files) bytes += file.size();
  return bytes;
}

bool Contains(const std::vector<const Source*>& list, const Source* source) {
  return std::find(list.begin(), list.end(), source) != list.end();
}

}  // namespace

uint64_t KeyedData::Content::AlignmentAtLeast(uint64_t least) const {
  return std::max({alignment, page_alignment, least});
}

void KeyedData::Add(const Destination& destination, const Claim& claim, std::optional<uint64_t> known_alignment) {
  Entry& entry = entries_[destination.key.str()];
  entry.content = claim.content;
  entry.layout = destination.layout;
  const Source* source = claim.source();
  const bool has_it = claim.in_data && claim.key == destination.key.str();
  if (has_it && !Contains(entry.sources, source)) entry.sources.push_back(source);
  Content& content = contents_[claim.content];
  const bool is_first = content.first == nullptr;
  if (is_first) content.first = &claim;
  const uint64_t page_alignment = known_alignment ? 0 : claim.page_alignment;
  content.alignment = std::max(content.alignment, known_alignment.value_or(claim.alignment));
  content.page_alignment = is_first ? page_alignment : std::min(content.page_alignment, page_alignment);
}

void KeyedData::KeepAlignments(KeyAlignments& alignments) {
  for (const auto& [key, entry] : entries_) {
    uint64_t &known = alignments[std::string(key)], &now = contents_.at(entry.content).alignment;
    known = now = std::max(known, contents_.at(entry.content).AlignmentAtLeast(1));
  }
}

Result<DataFiles> KeyedData::Plan(const DataFilesOptions& options) const {
  DataFiles planned;
  if (entries_.empty()) return planned;
  if (options.previous == nullptr) {
    PTEEDIT_ASSIGN(const Container* whole, FindWhole(options));
    if (whole != nullptr) {
      planned.files.push_back(PlanCopy(*whole));
    } else {
      PTEEDIT_ASSIGN(planned.files, Build(options, {}));
    }
    return planned;
  }
  PTEEDIT_ASSIGN(std::vector<PlannedFile> anew, Build(options, {}));
  Begun begun = Begin(options);
  planned.kept = begun.kept;
  PTEEDIT_ASSIGN(planned.files, Build(options, std::move(begun)));
  const uint64_t bytes = SizeOf(planned.files);
  planned.kept.cost_bytes = bytes - std::min(bytes, SizeOf(anew));
  return planned;
}

Result<const Container*> KeyedData::FindWhole(const DataFilesOptions& options) const {
  const Container* best = nullptr;
  std::set<const Source*> seen;
  for (const Container& file : options.known) {
    if (!seen.insert(file.source().get()).second || !IsWhole(file, options.min_alignment)) continue;
    const uint64_t size = file.source()->size(), least = best != nullptr ? best->source()->size() : size;
    if (options.max_bytes) {
      PTEEDIT_ASSIGN(const uint64_t bound_size,
                     SizeWhenBound(PlanCopy(file), options.bind, DataFilesOptions().min_alignment, Places::kAnew));
      if (bound_size > *options.max_bytes) continue;
    }
    if (best == nullptr || size < least || (size == least && IsBefore(file.tables(), best->tables()))) best = &file;
  }
  return best;
}

bool KeyedData::IsWhole(const Container& file, uint64_t min_alignment) const {
  if (file.kind() != FileKind::kData || file.header().layout_06) return false;
  if (file.named_data().size() != entries_.size()) return false;
  std::set<uint32_t> used;  // or what no key refers to would be shared, and gone in the next release
  for (const NamedEntry& named : file.named_data()) used.insert(named.segment_index);
  if (used.size() != file.segments().size()) return false;
  return std::all_of(file.named_data().begin(), file.named_data().end(), [&](const NamedEntry& named) {
    const auto found = entries_.find(named.key);
    if (found == entries_.end()) return false;
    const Entry& entry = found->second;
    const uint64_t alignment = contents_.at(entry.content).AlignmentAtLeast(min_alignment);
    const bool is_round = named.extent.size == 0 || named.extent.offset % alignment == 0;
    return Contains(entry.sources, file.source().get()) && named.layout == entry.layout && is_round;
  });
}

// The roundest first, which takes the least padding; equal ones by their least keys.
std::vector<size_t> KeyedData::InOrder(uint64_t common) const {
  std::vector<size_t> order;
  std::vector<bool> seen(LeastUnused());
  for (const auto& [key, entry] : entries_) {
    if (!seen[entry.content]) order.push_back(entry.content);
    seen[entry.content] = true;
  }
  const auto rank = [&](size_t number) {
    const Content& content = contents_.at(number);
    return std::pair(content.AlignmentAtLeast(common), content.first->extent.size);
  };
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return rank(a) > rank(b); });
  return order;
}

KeyedData::Begun KeyedData::Begin(const DataFilesOptions& options) const {
  Begun begun;
  for (size_t i = 0; i < options.previous->shared().size(); ++i) BeginFile(i, options, begun);
  begun.kept.kept_entries = begun.keys.size();
  begun.kept.new_entries = entries_.size() - begun.keys.size();
  for (const auto& [key, entry] : entries_) {
    const auto place = begun.contents.find(entry.content);
    if (place == begun.contents.end() || !begun.keys.insert(key).second) continue;
    BegunFile& file = begun.files[place->second.first];
    file.builder.AddEntry(key, place->second.second, entry.layout.get());
    file.unchanged = false;
  }
  for (const auto& [number, content] : contents_) {
    const bool is_kept = begun.contents.count(number) != 0;
    (is_kept ? begun.kept.kept_bytes : begun.kept.new_bytes) += content.first->extent.size;
  }
  return begun;
}

// Its entries in their order, as far as their contents are to be kept.
void KeyedData::BeginFile(size_t file, const DataFilesOptions& options, Begun& begun) const {
  const Container& before = options.previous->shared()[file];
  begun.kept.entries += before.named_data().size();
  std::vector<KeptContent> contents = ContentsToKeep(file, options, begun, Base::kStays);
  if (BaseWith(contents, file, options, begun) == Base::kMoves)
    contents = ContentsToKeep(file, options, begun, Base::kMoves);
  if (contents.empty()) return;
  BegunFile now{{}, &before, !options.max_bytes || before.source()->size() <= *options.max_bytes};
  now.builder.KeepSegmentBase(before.header().segment_base_offset);
  for (const KeptContent& kept : contents) {
    const Claim& claim = *contents_.at(kept.content).first;
    const uint32_t segment = now.builder.AddSegment(claim.file->source(), claim.extent);
    now.builder.KeepPlace(segment, kept.place);
    if (kept.inside) now.builder.LetLieInside(segment);
    // What the place has behind the base it keeps, and what base and place have together too while the base stays.
    const uint64_t alignment = contents_.at(kept.content).AlignmentAtLeast(options.min_alignment);
    now.builder.Align(segment, AlignmentOf(kept.place, alignment));
    begun.contents[kept.content] = {begun.files.size(), segment};
  }
  for (size_t i = 0; i < before.named_data().size(); ++i) {
    const NamedEntry& named = before.named_data()[i];
    const auto entry = entries_.find(named.key);
    const bool is_same = entry != entries_.end() && options.previous->ContentOf(file, i) == entry->second.content;
    const auto place = is_same ? begun.contents.find(entry->second.content) : begun.contents.end();
    const bool is_here = place != begun.contents.end() && place->second.first == begun.files.size();
    now.unchanged = now.unchanged && is_here && named.layout == entry->second.layout;
    if (is_here && begun.keys.insert(entry->first).second)
      now.builder.AddEntry(entry->first, place->second.second, entry->second.layout.get());
  }
  begun.files.push_back(std::move(now));
}

// In the order of their places; of those that overlap the first, the longest of those that begin together, and what is
// a part of it. What is empty comes before all at its place, and behind what it lies in, where it will be written. A
// place that is not round enough any more, or further behind than a file may reach, is given up.
std::vector<KeyedData::KeptContent> KeyedData::ContentsToKeep(size_t file, const DataFilesOptions& options,
                                                              const Begun& begun, Base base) const {
  const Container& before = options.previous->shared()[file];
  std::vector<KeptContent> found;
  for (size_t i = 0; i < before.named_data().size(); ++i) {
    const std::optional<size_t> number = options.previous->ContentOf(file, i);
    if (!number || contents_.count(*number) == 0 || begun.contents.count(*number) != 0) continue;
    const Extent extent = before.named_data()[i].extent;
    const uint64_t place = PlaceBehindBase(before, extent.offset);
    const uint64_t round = base == Base::kStays ? extent.offset : place;
    const bool is_round = round % contents_.at(*number).AlignmentAtLeast(options.min_alignment) == 0;
    const bool is_too_far = options.max_bytes && extent.offset + extent.size > *options.max_bytes;
    if (extent.size != 0 && (!is_round || is_too_far)) continue;
    found.push_back({place, extent.size, *number});
  }
  const auto is_before = [](const KeptContent& a, const KeptContent& b) {
    return std::tuple(a.place, a.bytes != 0, b.bytes, a.content) <
           std::tuple(b.place, b.bytes != 0, a.bytes, b.content);
  };
  std::sort(found.begin(), found.end(), is_before);
  std::vector<KeptContent> kept;
  std::set<size_t> seen;
  KeptContent whole;  // the last with bytes that is in no other
  for (KeptContent& content : found) {
    const bool is_empty = content.bytes == 0;
    if (is_empty) content.place = std::max(content.place, whole.place + whole.bytes);
    content.inside = content.place < whole.place + whole.bytes;
    if (content.inside && !IsPartOf(content, whole)) continue;
    if (!seen.insert(content.content).second) continue;
    kept.push_back(content);
    if (!content.inside && !is_empty) whole = content;
  }
  std::sort(kept.begin(), kept.end(), is_before);
  return kept;
}

bool KeyedData::IsPartOf(const KeptContent& content, const KeptContent& whole) const {
  const Claim &part = *contents_.at(content.content).first, &all = *contents_.at(whole.content).first;
  const uint64_t offset = content.place - whole.place;
  return part.source() == all.source() && part.extent.offset == all.extent.offset + offset &&
         offset + content.bytes <= whole.bytes;
}

// A base that is not round enough for what comes into the file moves to the next place that is, and then only what is
// round behind it stays so.
KeyedData::Base KeyedData::BaseWith(const std::vector<KeptContent>& kept, size_t file, const DataFilesOptions& options,
                                    const Begun& begun) const {
  uint64_t alignment = options.min_alignment;
  std::set<size_t> stays;
  for (const KeptContent& content : kept) {
    const uint64_t wanted = contents_.at(content.content).AlignmentAtLeast(options.min_alignment);
    alignment = std::max(alignment, AlignmentOf(content.place, wanted));
    stays.insert(content.content);
  }
  const bool gets_more = file + 1 == options.previous->shared().size();
  const uint64_t common = CommonAlignment(options);
  for (const auto& [number, content] : contents_) {
    if (!gets_more || stays.count(number) != 0 || begun.contents.count(number) != 0) continue;
    alignment = std::max(alignment, content.AlignmentAtLeast(common));
  }
  const uint64_t base = options.previous->shared()[file].header().segment_base_offset;
  return base % alignment == 0 ? Base::kStays : Base::kMoves;
}

uint64_t KeyedData::CommonAlignment(const DataFilesOptions& options) const {
  uint64_t common = options.min_alignment;
  for (const auto& [number, content] : contents_)
    common = std::max(common, std::min(kCommonAlignment, content.AlignmentAtLeast(options.min_alignment)));
  return common;
}

// What is new comes behind what has begun.
Result<std::vector<PlannedFile>> KeyedData::Build(const DataFilesOptions& options, Begun begun) const {
  const uint64_t common = CommonAlignment(options);
  DataBuilder builder;
  builder.MakeRoom(entries_.size());
  std::vector<uint32_t> segments(LeastUnused());  // by content
  for (const size_t number : InOrder(common)) {
    if (begun.contents.count(number) != 0) continue;
    const Content& content = contents_.at(number);
    segments[number] = builder.AddSegment(content.first->file->source(), content.first->extent);
    builder.Align(segments[number], content.AlignmentAtLeast(common));
  }
  for (const auto& [key, entry] : entries_) {
    if (begun.keys.count(key) == 0) builder.AddEntry(key, segments[entry.content], entry.layout.get());
  }
  std::vector<DataModel> files;
  for (BegunFile& file : begun.files) {
    files.push_back(std::move(file.builder).Take());
    files.back().origin = *file.origin;
    files.back().changed = !file.unchanged;
  }
  const Places places = options.previous != nullptr ? Places::kKept : Places::kAnew;
  return PlanDataFiles(std::move(files), std::move(builder).Take(),
                       {options.min_alignment, options.max_bytes, options.bind, places});
}

}  // namespace pteedit
