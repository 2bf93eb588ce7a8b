#include "merge/keyed_data.h"

#include <algorithm>

#include "edit/data_builder.h"
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

}  // namespace

uint64_t KeyedData::Content::AlignmentAtLeast(uint64_t least) const {
  return std::max({alignment, page_alignment, least});
}

void KeyedData::Add(const Destination& destination, const Claim& claim) {
  Entry& entry = entries_[destination.key];
  entry.content = claim.content;
  entry.layout = &destination.layout;
  if (claim.in_data && claim.key == destination.key) entry.sources.insert(claim.place.source.get());
  Content& content = contents_[claim.content];
  const bool is_first = content.first == nullptr;
  if (is_first) content.first = &claim;
  content.alignment = std::max(content.alignment, claim.alignment);
  content.page_alignment = is_first ? claim.page_alignment : std::min(content.page_alignment, claim.page_alignment);
}

Result<std::optional<PlannedFile>> KeyedData::Plan(const std::vector<Container>& known, uint64_t min_alignment) const {
  if (entries_.empty()) return std::optional<PlannedFile>();
  if (const Container* whole = FindWhole(known, min_alignment)) return std::optional<PlannedFile>(PlanCopy(*whole));
  PTEEDIT_ASSIGN(PlannedFile file, Build(min_alignment));
  return std::optional<PlannedFile>(std::move(file));
}

const Container* KeyedData::FindWhole(const std::vector<Container>& known, uint64_t min_alignment) const {
  const Container* best = nullptr;
  std::set<const Source*> seen;
  for (const Container& file : known) {
    if (!seen.insert(file.source().get()).second || !IsWhole(file, min_alignment)) continue;
    const uint64_t size = file.source()->size(), least = best != nullptr ? best->source()->size() : size;
    if (best == nullptr || size < least || (size == least && IsBefore(file.tables(), best->tables()))) best = &file;
  }
  return best;
}

bool KeyedData::IsWhole(const Container& file, uint64_t min_alignment) const {
  if (file.kind() != FileKind::kData || file.header().layout_06) return false;
  if (file.named_data().size() != entries_.size()) return false;
  return std::all_of(file.named_data().begin(), file.named_data().end(), [&](const NamedEntry& named) {
    const auto found = entries_.find(std::string(named.key));
    if (found == entries_.end()) return false;
    const Entry& entry = found->second;
    const uint64_t alignment = contents_.at(entry.content).AlignmentAtLeast(min_alignment);
    const bool is_round = named.extent.size == 0 || named.extent.offset % alignment == 0;
    return entry.sources.count(file.source().get()) != 0 && named.layout == *entry.layout && is_round;
  });
}

// The roundest first, which takes the least padding; equal ones by their least keys.
std::vector<size_t> KeyedData::InOrder(uint64_t common) const {
  std::vector<size_t> order;
  std::set<size_t> seen;
  for (const auto& [key, entry] : entries_) {
    if (seen.insert(entry.content).second) order.push_back(entry.content);
  }
  const auto rank = [&](size_t number) {
    const Content& content = contents_.at(number);
    return std::pair(content.AlignmentAtLeast(common), content.first->place.extent.size);
  };
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return rank(a) > rank(b); });
  return order;
}

Result<PlannedFile> KeyedData::Build(uint64_t min_alignment) const {
  uint64_t common = min_alignment;
  for (const auto& [number, content] : contents_)
    common = std::max(common, std::min(kCommonAlignment, content.AlignmentAtLeast(min_alignment)));
  DataBuilder builder;
  std::map<size_t, uint32_t> segments;  // by content
  for (const size_t number : InOrder(common)) {
    const Content& content = contents_.at(number);
    segments[number] = builder.AddSegment(content.first->place.source, content.first->place.extent);
    builder.Align(segments[number], content.AlignmentAtLeast(common));
  }
  for (const auto& [key, entry] : entries_) {
    const TensorLayout* layout = *entry.layout ? &**entry.layout : nullptr;
    builder.AddEntry(tables::OwnText(key), segments.at(entry.content), layout);
  }
  return PlanFile(std::move(builder).Take(), min_alignment);
}

}  // namespace pteedit
