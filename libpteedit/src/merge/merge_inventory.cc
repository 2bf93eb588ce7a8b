#include "merge/merge_inventory.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "container_state.h"
#include "key_search.h"
#include "layout.h"
#include "parallel.h"
#include "split/split_choice.h"
#include "text.h"
#include "try.h"

namespace pteedit {
namespace {

// Lists what one set holds.
class SetLister {
 public:
  SetLister(size_t number, const MergeSet& set, Inventory& inventory)
      : number_(number),
        set_(set),
        mover_(inventory.sets.back().mover),
        index_(inventory.sets.back().index),
        inventory_(inventory) {}

  Status List() {
    for (const Constant& constant : CollectConstants(set_.program)) ListConstant(constant);
    return ListKeys();
  }

 private:
  void ListConstant(const Constant& constant) {
    if (constant.store == Store::kMutable) return Skip(constant, "initial values of mutable buffers stay");
    if (const std::string reason = WhyWithoutLayout(constant); !reason.empty()) return Skip(constant, reason.c_str());
    std::vector<Claim> views;
    for (const ConstantUse& use : constant.uses) {
      const auto same = [&](const Claim& view) { return *view.layout == use.layout; };
      auto view = std::find_if(views.begin(), views.end(), same);
      if (view == views.end()) view = views.insert(view, ViewOf(constant, use.layout));
      view->uses.push_back(use);
    }
    std::move(views.begin(), views.end(), std::back_inserter(inventory_.claims));
  }

  Claim ViewOf(const Constant& constant, const TensorLayout& layout) {
    Claim claim;
    claim.set = number_;
    claim.place = {set_.program.source(), {constant.extent.offset, ByteSize(layout).value_or(0)}};
    claim.alignment = mover_.AlignmentOfConstant(constant);
    claim.layout = layout;
    claim.name = constant.name;
    claim.file = set_.program.name();
    claim.is_constant = true;
    return claim;
  }

  void Skip(const Constant& constant, const char* reason) {
    inventory_.skipped.push_back({KindOf(constant), constant.name, constant.extent.size, reason});
  }

  Status ListKeys() {
    std::map<std::string_view, Claim> keys;
    const std::vector<NamedEntry>& entries = set_.program.named_data();
    for (size_t i = 0; i < entries.size(); ++i) {
      Claim& claim = keys[entries[i].key];
      Place(claim, set_.program, entries[i], mover_.AlignmentOfEntry(i));
      claim.entry = i;
    }
    std::vector<std::vector<uint64_t>> alignments;
    for (const Container& file : set_.data) alignments.push_back(ShownAlignments(file));
    for (const auto& [key, place] : index_) {
      Claim& claim = keys[key];
      Place(claim, set_.data[place.file], *place.entry, alignments[place.file][place.entry->segment_index]);
      claim.layout = place.entry->layout;
      claim.in_data = true;
    }
    AddTensors(keys);
    PTEEDIT_TRY(AddDelegates(keys));
    for (auto& [key, claim] : keys) inventory_.claims.push_back(std::move(claim));
    return {};
  }

  void Place(Claim& claim, const Container& file, const NamedEntry& entry, uint64_t alignment) const {
    claim.set = number_;
    claim.place = {file.source(), entry.extent};
    claim.alignment = std::max(claim.alignment, alignment);
    claim.key = entry.key;
    claim.name = entry.key;
    claim.file = file.name();
  }

  void AddTensors(std::map<std::string_view, Claim>& keys) const {
    const schema::Program& root = set_.program.state().program_root();
    ForEachTensor(root, [&](size_t method, size_t value, const schema::Tensor& tensor) {
      if (StoreOf(root, tensor) != Store::kExternal) return;
      const std::string_view key = pteedit::ViewOf(tensor.extra_tensor_info()->fully_qualified_name());
      keys[key].uses.push_back({method, value, LayoutOf(tensor)});
    });
  }

  Status AddDelegates(std::map<std::string_view, Claim>& keys) const {
    std::vector<std::string_view> texts;
    for (const auto& [key, claim] : keys) texts.push_back(key);
    PTEEDIT_ASSIGN(const auto mentioned, KeysOfDelegates(set_.program, texts));
    for (const auto& method : mentioned) {
      for (const auto& delegate : method) {
        for (const size_t key : delegate) keys[texts[key]].for_delegate = true;
      }
    }
    return {};
  }

  size_t number_;
  const MergeSet& set_;
  Mover& mover_;
  const DataIndex& index_;
  Inventory& inventory_;
};

Error WrongSet(const MergeSet& set, const char* what) { return Unsupported(what).In(set.program.name()); }

// A set that lacks keys is whole for nobody, so it is the set that is wrong and not the call.
Error NotMergeable(Error error) {
  if (error.code == ErrorCode::kInvalidArgument) error.code = ErrorCode::kUnsupported;
  return error;
}

Status ListSet(size_t number, const MergeSet& set, Inventory& inventory) {
  if (set.program.kind() == FileKind::kBundle)
    return WrongSet(set, "is a bundled program; only programs can be merged");
  if (set.program.kind() == FileKind::kData) return WrongSet(set, "is a data file; give it with its program");
  Result<DataIndex> index = CheckTogether(set.program, set.data);
  if (!index) return NotMergeable(std::move(index).error());
  PTEEDIT_ASSIGN(ProgramModel model, ReadProgramModel(set.program));
  for (const Container& file : set.data) PTEEDIT_TRY(CheckRewritable(file));
  inventory.sets.push_back({Mover(std::move(model)), *std::move(index)});
  return SetLister(number, set, inventory).List();
}

// Claims on one place are compared once.
Status FindEqual(std::vector<Claim>& claims, unsigned threads) {
  using Place = std::tuple<const Source*, uint64_t, uint64_t>;
  std::map<Place, size_t> numbers;
  std::vector<ContentPlace> places;
  for (Claim& claim : claims) {
    const Extent extent = claim.place.extent;
    const auto [found, is_new] =
        numbers.try_emplace({claim.place.source.get(), extent.offset, extent.size}, places.size());
    if (is_new) places.push_back(claim.place);
    claim.content = found->second;
  }
  PTEEDIT_ASSIGN(const std::vector<size_t> first, GroupByContent(places, threads));
  for (Claim& claim : claims) claim.content = first[claim.content];
  return {};
}

// Of contents that tensors read, where several sets have them or what one has alone may leave its program.
std::vector<const Claim*> ClaimsToHash(const std::vector<Claim>& claims, VariantData variant_data) {
  std::map<size_t, std::set<size_t>> sets;
  for (const Claim& claim : claims) sets[claim.content].insert(claim.set);
  std::map<size_t, const Claim*> to_hash;
  for (const Claim& claim : claims) {
    const bool may_leave = variant_data == VariantData::kDataFile || sets[claim.content].size() > 1;
    if (may_leave && (claim.is_constant || !claim.uses.empty())) to_hash.emplace(claim.content, &claim);
  }
  std::vector<const Claim*> list;
  for (const auto& [content, claim] : to_hash) list.push_back(claim);
  return list;
}

Status HashContents(Inventory& inventory, const MergeOptions& options) {
  const std::vector<const Claim*> claims = ClaimsToHash(inventory.claims, options.variant_data);
  std::vector<Status> statuses(claims.size());
  std::vector<Sha256Digest> digests(claims.size());
  ParallelFor(claims.size(), options.threads, [&](size_t i) {
    Result<Sha256Digest> digest = Sha256Of(*claims[i]->place.source, claims[i]->place.extent);
    if (digest) digests[i] = *digest;
    if (!digest) statuses[i] = std::move(digest).error();
  });
  for (Status& status : statuses) PTEEDIT_TRY(std::move(status));
  for (size_t i = 0; i < claims.size(); ++i) inventory.digests[claims[i]->content] = digests[i];
  return {};
}

}  // namespace

Result<Inventory> TakeInventory(const std::vector<MergeSet>& sets, const MergeOptions& options) {
  Inventory inventory;
  inventory.sets.reserve(sets.size());
  for (size_t i = 0; i < sets.size(); ++i) PTEEDIT_TRY(ListSet(i, sets[i], inventory));
  PTEEDIT_TRY(FindEqual(inventory.claims, options.threads));
  PTEEDIT_TRY(HashContents(inventory, options));
  return inventory;
}

}  // namespace pteedit
