#include "merge/merge_inventory.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

#include "base/first_of_equal.h"
#include "base/parallel.h"
#include "base/shared_texts.h"
#include "base/text.h"
#include "diff/content_match.h"
#include "edit/model.h"
#include "edit/mover.h"
#include "merge/merge_cost.h"
#include "merge/merge_keys.h"
#include "program/binding_key.h"
#include "program/container_state.h"
#include "program/found_names.h"
#include "program/key_search.h"
#include "program/layout.h"
#include "program/segment_users.h"
#include "pteedit/try.h"
#include "verify/check_inputs.h"

namespace pteedit {
namespace {

constexpr uint64_t kMinAlignment = 16;     // that every layout has
constexpr uint64_t kUsualAlignment = 128;  // of segments: no more padding than is inside and outside anyway

// How far, from each offset, some extent reaches that begins there or before.
class Reach {
 public:
  explicit Reach(const std::vector<Extent>& extents) {
    for (const Extent& extent : extents) {
      uint64_t& end = ends_[extent.offset];
      end = std::max(end, extent.offset + extent.size);
    }
    uint64_t furthest = 0;
    for (auto& [offset, end] : ends_) end = furthest = std::max(furthest, end);
  }
  bool Covers(const Extent& extent) const {
    const auto behind = ends_.upper_bound(extent.offset);
    return behind != ends_.begin() && std::prev(behind)->second >= extent.offset + extent.size;
  }

 private:
  std::map<uint64_t, uint64_t> ends_;
};

// Lists what one set holds.
class SetLister {
 public:
  SetLister(uint32_t number, const MergeSet& set, ProgramModel model, Inventory& inventory)
      : number_(number), set_(set), mover_(std::move(model)), inventory_(inventory), first_(inventory.claims.size()) {
    for (const uint64_t alignment : EvidentAlignments(set.files.file())) {
      if (alignment > kUsualAlignment) padding_left_ = std::max(padding_left_, alignment);
    }
  }

  Status List() {
    const std::vector<Constant> constants = CollectConstants(set_.files.file());
    for (const Constant& constant : constants) {
      if (constant.store == Store::kSegment) constant_places_.push_back(constant.extent);
    }
    for (const Constant& constant : constants) ListConstant(constant);
    return ListKeys();
  }

 private:
  void ListConstant(const Constant& constant) {
    if (constant.store == Store::kMutable) return Skip(constant, "initial values of mutable buffers stay");
    if (const std::string reason = WhyWithoutLayout(constant); !reason.empty()) return Skip(constant, reason);
    std::vector<Claim> views;
    for (const ConstantUse& use : constant.uses) {
      const TensorLayout layout = use.layout();
      const auto same = [&](const Claim& view) { return *view.layout == layout; };
      auto view = std::find_if(views.begin(), views.end(), same);
      if (view == views.end()) view = views.insert(view, ViewOf(constant, layout));
      view->uses.Edit().push_back(use);
    }
    std::move(views.begin(), views.end(), std::back_inserter(inventory_.claims));
  }

  Claim ViewOf(const Constant& constant, const TensorLayout& layout) {
    Claim claim;
    claim.set = number_;
    claim.file = &set_.files.file();
    claim.extent = {constant.extent.offset, ByteSize(layout).value_or(0)};
    SetAlignment(claim, mover_.AlignmentOfConstant(constant), EvidentAlignmentOf(constant));
    claim.padding_left = padding_left_;
    claim.layout = layouts_(layout);
    claim.constant = constant.name;
    claim.is_constant = true;
    return claim;
  }

  // A variant with few constants may have them rounder than another.
  uint64_t EvidentAlignmentOf(const Constant& constant) {
    const uint64_t shown = mover_.AlignmentOfConstant(constant);
    if (constant.store != Store::kSegment) return kMinAlignment;
    if (!constant_alignment_) {
      const uint32_t segment = set_.files.file().state().program_root().constant_segment()->segment_index();
      const uint64_t start = set_.files.file().segments()[segment].offset;
      constant_alignment_ = EvidentAlignment(constant_places_, start, kMinAlignment, shown);
    }
    return *constant_alignment_;
  }

  static void SetAlignment(Claim& claim, uint64_t shown, uint64_t evident) {
    claim.alignment = std::max(claim.alignment, evident);
    if (shown >= kPageAlignment) claim.page_alignment = std::max(claim.page_alignment, shown);
  }

  void Skip(const Constant& constant, std::string_view reason) {
    inventory_.skipped.push_back({KindOf(constant), constant.name, constant.extent.size, reasons_(reason)});
  }

  Status ListKeys() {
    const std::vector<NamedEntry>& entries = set_.files.file().named_data();
    BeginKeys(entries);
    const FileAlignments program(set_.files.file());
    for (size_t i = 0; i < entries.size(); ++i) {
      Claim& claim = *FindClaim(entries[i].key);
      Place(claim, set_.files.file(), entries[i], program);
      claim.padding_left = padding_left_;
      claim.entry = static_cast<uint32_t>(i);
    }
    const std::vector<FileAlignments> data(set_.files.data().begin(), set_.files.data().end());
    for (const DataPlace& place : set_.files.data_keys()) {
      if (IsBindingEntry(*place.entry)) continue;  // of a base: other files are unbound here
      Claim& claim = *FindClaim(place.key());
      Place(claim, set_.files.data()[place.file], *place.entry, data[place.file]);
      claim.layout = place.entry->layout;
      claim.in_data = true;
    }
    AddTensors();
    PTEEDIT_TRY(AddDelegates());
    MarkBytesThatStay();
    return {};
  }

  // A claim for each key of the program and of its data files.
  void BeginKeys(const std::vector<NamedEntry>& entries) {
    for (const NamedEntry& entry : entries) keys_.push_back(entry.key);
    for (const DataPlace& place : set_.files.data_keys()) {
      if (!IsBindingEntry(*place.entry)) keys_.push_back(place.key());
    }
    std::sort(keys_.begin(), keys_.end());
    keys_.erase(std::unique(keys_.begin(), keys_.end()), keys_.end());
    first_key_ = inventory_.claims.size();
    inventory_.claims.resize(first_key_ + keys_.size());
  }

  // Null where there is no such key.
  Claim* FindClaim(std::string_view key) {
    const auto found = std::lower_bound(keys_.begin(), keys_.end(), key);
    if (found == keys_.end() || *found != key) return nullptr;
    return &inventory_.claims[first_key_ + static_cast<size_t>(found - keys_.begin())];
  }

  // A segment may serve a blob and keys, or keys of which one stays, and may lie inside another. A key with the very
  // bytes of a constant may go with it.
  void MarkBytesThatStay() {
    std::vector<Extent> stay;
    ForEachSegmentUser(set_.files.file(), [&](uint32_t segment, const SegmentUser& user) {
      const bool is_key = user.kind == SegmentUser::Kind::kNamedData;
      if (is_key && !FindClaim(set_.files.file().named_data()[user.index].key)->stays_in_program()) return;
      stay.push_back(set_.files.file().segments()[segment]);
    });
    std::set<std::pair<uint64_t, uint64_t>> constants;
    for (size_t i = first_; i < first_key_; ++i) {
      const Extent extent = inventory_.claims[i].extent;
      constants.emplace(extent.offset, extent.size);
    }
    const Reach reach(stay);
    for (const NamedEntry& entry : set_.files.file().named_data()) {
      const bool is_constant = constants.count({entry.extent.offset, entry.extent.size}) != 0;
      FindClaim(entry.key)->bytes_stay = !is_constant && reach.Covers(entry.extent);
    }
  }

  struct FileAlignments {
    explicit FileAlignments(const Container& file) : shown(ShownAlignments(file)), evident(EvidentAlignments(file)) {}
    std::vector<uint64_t> shown, evident;  // by segment
  };

  void Place(Claim& claim, const Container& file, const NamedEntry& entry, const FileAlignments& alignments) const {
    claim.set = number_;
    claim.file = &file;
    claim.extent = entry.extent;
    SetAlignment(claim, alignments.shown[entry.segment_index], alignments.evident[entry.segment_index]);
    claim.key = entry.key;
  }

  void AddTensors() {
    const schema::Program& root = set_.files.file().state().program_root();
    ForEachTensor(root, [&](uint32_t method, uint32_t value, const schema::Tensor& tensor) {
      if (StoreOf(root, tensor) != Store::kExternal) return;
      Claim* claim = FindClaim(pteedit::ViewOf(tensor.extra_tensor_info()->fully_qualified_name()));
      if (claim == nullptr) return;  // no checked program asks for what is not there
      claim->uses.Edit().push_back({method, value, &tensor});
      claim->for_state = claim->for_state || tensor.allocation_info() != nullptr;
    });
  }

  Status AddDelegates() {
    PTEEDIT_ASSIGN(const auto mentioned, KeysOfDelegates(set_.files.file(), keys_));
    for (const auto& method : mentioned) {
      for (const auto& delegate : method) {
        for (const size_t key : delegate) inventory_.claims[first_key_ + key].for_delegate = true;
      }
    }
    return {};
  }

  uint32_t number_;
  const MergeSet& set_;
  Mover mover_;
  Inventory& inventory_;
  std::vector<std::string_view> keys_;  // in order, each once
  size_t first_, first_key_ = 0;        // the claims of the set begin, and those of its keys
  uint64_t padding_left_ = 0;           // behind what leaves the program
  SharedTexts reasons_;
  SharedLayouts layouts_;
  std::vector<Extent> constant_places_;         // in the constant segment
  std::optional<uint64_t> constant_alignment_;  // of all of them
};

Status ListSet(uint32_t number, const MergeSet& set, Inventory& inventory) {
  if (set.files.file().kind() == FileKind::kBundle)
    return Unsupported("is a bundled program; only programs can be merged").In(set.files.file().name());
  PTEEDIT_TRY(CheckIsProgram(set.files.file()));
  PTEEDIT_TRY(CheckInputs(set.files));
  PTEEDIT_ASSIGN(ProgramModel model, ReadProgramModel(set.files.file()));
  for (const Container& file : set.files.data()) PTEEDIT_TRY(CheckRewritable(file));
  return SetLister(number, set, std::move(model), inventory).List();
}

// A constant comes out for a base only where its bytes take more than what points there instead.
bool PaysForABase(const Claim& claim, const MergeOptions& options) {
  if (!claim.is_constant) return true;
  const uint64_t least = TextBytes(kContentKeyBytes) + claim.uses->size() * kExternalUseBytes;
  return claim.extent.size >= options.min_bytes.value_or(least);
}

WantedContent WantedOf(const Claim& claim) {
  WantedContent wanted{claim.place(), std::nullopt, claim.key, false, claim.stays_in_program()};
  if (!claim.uses->empty()) wanted.layout = claim.layout;
  wanted.needs_key = claim.for_delegate || claim.for_state || claim.entry.has_value();
  return wanted;
}

// With their set where its program refers to nothing else of the base, which is not loaded then.
void LeaveUnneededKeys(const std::vector<size_t>& claims_of_set, Inventory& inventory) {
  std::set<size_t> needed;  // bases
  for (const size_t i : claims_of_set) {
    const Claim& claim = inventory.claims[i];
    if (claim.is_served() && claim.is_needed()) needed.insert(*claim.base->file);
  }
  for (const size_t i : claims_of_set) {
    const BaseAnswer& base = *inventory.claims[i].base;
    if (base.entry == nullptr || needed.count(*base.file) != 0) continue;
    inventory.claims[i].base.Edit() = {
        std::nullopt, nullptr, Text("the program needs nothing of ", inventory.bases.files()[*base.file].name())};
  }
}

// What bases serve of each set, which then has no part in what follows.
Status AskBases(Inventory& inventory, size_t sets, const MergeOptions& options) {
  if (inventory.bases.empty()) return {};
  std::vector<std::vector<size_t>> by_set(sets);
  for (size_t i = 0; i < inventory.claims.size(); ++i) {
    if (PaysForABase(inventory.claims[i], options)) by_set[inventory.claims[i].set].push_back(i);
  }
  for (const std::vector<size_t>& claims : by_set) {
    std::vector<WantedContent> wanted;
    for (const size_t i : claims) wanted.push_back(WantedOf(inventory.claims[i]));
    PTEEDIT_ASSIGN(std::vector<BaseAnswer> answers, inventory.bases.Find(wanted, options.threads));
    for (size_t i = 0; i < claims.size(); ++i) inventory.claims[claims[i]].base.Edit() = std::move(answers[i]);
    LeaveUnneededKeys(claims, inventory);
  }
  return {};
}

Status ListPrevious(Inventory& inventory, const MergeOptions& options) {
  if (!options.previous) return {};
  std::set<uint64_t> sizes;
  for (const Claim& claim : inventory.claims) sizes.insert(claim.extent.size);
  PTEEDIT_ASSIGN(inventory.previous, PreviousContents::List(*options.previous, sizes));
  return {};
}

// What stays where it was when others go gets a gap before it, which would look like padding. The first has none.
void LimitAlignments(Inventory& inventory) {
  struct Before {
    uint64_t place, bytes, alignment;
  };
  std::map<std::string_view, Before> known;
  for (const Container& file : inventory.previous.shared()) {
    const std::vector<uint64_t> alignments = ShownAlignments(file);
    for (const NamedEntry& entry : file.named_data())
      known[entry.key] = {PlaceBehindBase(file, entry.extent.offset), entry.extent.size,
                          alignments[entry.segment_index]};
  }
  for (Claim& claim : inventory.claims) {
    const auto before = claim.in_data ? known.find(claim.key) : known.end();
    if (before == known.end() || before->second.bytes != claim.extent.size) continue;
    const uint64_t place = PlaceBehindBase(*claim.file, claim.extent.offset);
    if (place == 0 || place != before->second.place) continue;
    claim.alignment = std::min(claim.alignment, before->second.alignment);
    claim.page_alignment = std::min(claim.page_alignment, before->second.alignment);
  }
}

// Those of `first`, which has them behind the `count` places of claims.
void NumberPrevious(const std::vector<uint32_t>& first, size_t count, Inventory& inventory) {
  std::vector<std::optional<size_t>> numbers;
  for (size_t i = count; i < first.size(); ++i)
    numbers.push_back(first[i] < count ? std::optional<size_t>(first[i]) : std::nullopt);
  std::vector<std::set<size_t>> contents(inventory.sets);
  for (const Claim& claim : inventory.claims) contents[claim.set].insert(claim.content);
  inventory.previous.Number(numbers, contents);
}

// The places of claims that no base serves, each once, in the order of the first claims; numbers the claims by them.
std::vector<ContentPlace> NumberPlaces(std::deque<Claim>& claims) {
  std::vector<size_t> compared;
  for (size_t i = 0; i < claims.size(); ++i) {
    if (!claims[i].is_served()) compared.push_back(i);
  }
  const std::vector<size_t> first = FirstOfEqual(claims.size(), compared, [&](size_t i) {
    const Extent extent = claims[i].extent;
    return std::tuple(claims[i].source(), extent.offset, extent.size);
  });
  std::vector<ContentPlace> places;
  for (const size_t i : compared) {
    claims[i].content = first[i] == i ? static_cast<uint32_t>(places.size()) : claims[first[i]].content;
    if (first[i] == i) places.push_back(claims[i].place());
  }
  return places;
}

// Claims on one place are compared once; those that a base serves with none.
Status FindEqual(Inventory& inventory, unsigned threads) {
  std::deque<Claim>& claims = inventory.claims;
  std::vector<ContentPlace> places = NumberPlaces(claims);
  const size_t count = places.size();
  const std::vector<ContentPlace>& previous = inventory.previous.places();
  places.insert(places.end(), previous.begin(), previous.end());
  PTEEDIT_ASSIGN(const std::vector<uint32_t> first, GroupByContent(places, threads));
  auto served = static_cast<uint32_t>(count);
  for (Claim& claim : claims) claim.content = claim.is_served() ? served++ : first[claim.content];
  std::vector<uint32_t>& order = inventory.by_content;
  order.resize(claims.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(),
                   [&](uint32_t a, uint32_t b) { return claims[a].content < claims[b].content; });
  NumberPrevious(first, count, inventory);
  return {};
}

Status FindMatched(Inventory& inventory, const std::vector<MergeSet>& sets, const MergeOptions& options) {
  if (options.match.empty()) return {};
  std::map<const Source*, Container> holders;
  for (const MergeSet& set : sets) {
    holders.emplace(set.files.file().source().get(), set.files.file());
    for (const Container& file : set.files.data()) holders.emplace(file.source().get(), file);
  }
  std::vector<NamedContent> wanted;
  std::vector<size_t> contents;
  for (const Claim& claim : inventory.claims) {
    if (claim.is_served() || claim.extent.size < kMinTellingBytes) continue;
    wanted.push_back({claim.place(), {}});
    contents.push_back(claim.content);
  }
  std::vector<Container> files;
  for (auto& [source, file] : holders) files.push_back(file);
  PTEEDIT_ASSIGN(const std::vector<bool> found, ContentMatch(options.match).Find(wanted, files, options.threads));
  for (size_t i = 0; i < found.size(); ++i) {
    if (found[i]) inventory.matched.insert(contents[i]);
  }
  return {};
}

// Of contents that get a content key where they leave their program: with several sets that have them, or alone where
// that is asked for. All others keep their keys, and which of them are equal is known without a hash.
std::vector<const Claim*> ClaimsToHash(const Inventory& inventory, VariantData variant_data) {
  const MergeKeys keys(inventory);
  std::vector<const Claim*> list;
  for (const std::span<const uint32_t> claims : ClaimsByContent(inventory)) {
    const Claim &first = inventory.claims[claims.front()], &last = inventory.claims[claims.back()];
    const bool is_shared = first.set != last.set || inventory.previous.WasShared(first.content) ||
                           inventory.matched.count(first.content) != 0;
    const auto is_to_hash = [&](size_t i) {
      const Claim& claim = inventory.claims[i];
      if (claim.is_served()) return false;
      const bool may_leave_alone = variant_data == VariantData::kDataFile && claim.is_constant;
      return may_leave_alone || (is_shared && keys.NeedsContentKey(claim));
    };
    const auto found = std::find_if(claims.begin(), claims.end(), is_to_hash);
    if (found != claims.end()) list.push_back(&inventory.claims[*found]);
  }
  return list;
}

Status HashContents(Inventory& inventory, const MergeOptions& options) {
  const std::vector<const Claim*> claims = ClaimsToHash(inventory, options.variant_data);
  inventory.digests.resize(claims.size());
  PTEEDIT_TRY(ParallelFor(claims.size(), options.threads, [&](size_t i) -> Status {
    inventory.digests[i].first = claims[i]->content;
    PTEEDIT_ASSIGN(inventory.digests[i].second, Sha256Of(*claims[i]->source(), claims[i]->extent));
    return {};
  }));
  return {};
}

}  // namespace

std::string Claim::name() const { return is_constant ? constant.str() : ShownName(*file, key); }

std::pair<size_t, size_t> ClaimsOfSet(const Inventory& inventory, size_t set) {
  const std::deque<Claim>& claims = inventory.claims;
  const auto first_from = [&](size_t wanted) {
    return static_cast<size_t>(std::ranges::lower_bound(claims, wanted, {}, &Claim::set) - claims.begin());
  };
  return {first_from(set), first_from(set + 1)};
}

std::vector<std::span<const uint32_t>> ClaimsByContent(const Inventory& inventory) {
  const std::span order(inventory.by_content);
  const auto content = [&](size_t i) { return inventory.claims[order[i]].content; };
  std::vector<std::span<const uint32_t>> contents;
  for (size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    while (end < order.size() && content(end) == content(begin)) ++end;
    contents.push_back(order.subspan(begin, end - begin));
  }
  return contents;
}

Result<Inventory> TakeInventory(const std::vector<MergeSet>& sets, const MergeOptions& options) {
  Inventory inventory;
  PTEEDIT_ASSIGN(inventory.bases, BaseFiles::Open(options.bases));
  inventory.sets = sets.size();
  for (uint32_t i = 0; i < sets.size(); ++i) PTEEDIT_TRY(ListSet(i, sets[i], inventory));
  PTEEDIT_TRY(AskBases(inventory, sets.size(), options));
  PTEEDIT_TRY(ListPrevious(inventory, options));
  LimitAlignments(inventory);
  PTEEDIT_TRY(FindEqual(inventory, options.threads));
  PTEEDIT_TRY(FindMatched(inventory, sets, options));
  PTEEDIT_TRY(HashContents(inventory, options));
  return inventory;
}

}  // namespace pteedit
