#include "pteedit/names.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "base/checked.h"
#include "base/parallel.h"
#include "base/text.h"
#include "formats/safetensors.h"
#include "inspect/stored_forms.h"
#include "io/digest.h"
#include "program/constants.h"
#include "program/container_state.h"
#include "program/content_key.h"
#include "program/found_names.h"
#include "program/layout.h"
#include "program/listing_size.h"
#include "pteedit/delegates.h"
#include "pteedit/dtypes.h"
#include "pteedit/try.h"

namespace pteedit {
namespace {

constexpr size_t kMaxNames = 8;         // of one content; all zeros may have thousands
constexpr uint64_t kTellingBytes = 64;  // below, equal bytes alone say little

using Place = std::pair<uint64_t, uint64_t>;  // offset, size

// What is to get a name.
struct Sought {
  uint64_t bytes = 0;
  std::optional<Extent> place;              // nothing where the bytes are in another file
  std::string key;                          // empty for constants
  std::string hash;                         // the first digits of its SHA-256, once they are known
  std::vector<std::vector<int32_t>> sizes;  // that it is read with, where that is known
  FoundNames::List names;
};

// Tensors in other files, whose keys may tell what is behind them.
void AddExternal(const schema::Program& program, std::vector<Sought>& targets) {
  std::set<std::string_view> seen;
  for (const schema::ExecutionPlan* plan : OrEmpty(program.execution_plan())) {
    for (const schema::EValue* value : OrEmpty(plan->values())) {
      const schema::Tensor* tensor = value->val_as_Tensor();
      if (tensor == nullptr || StoreOf(program, *tensor) != Store::kExternal) continue;
      const std::string_view key = ViewOf(tensor->extra_tensor_info()->fully_qualified_name());
      const TensorLayout layout = LayoutOf(*tensor);
      if (HashInKey(key).empty() || !ByteSize(layout) || !seen.insert(key).second) continue;
      targets.push_back(
          {*ByteSize(layout), std::nullopt, std::string(key), std::string(HashInKey(key)), {layout.sizes}, nullptr});
    }
  }
}

// Weights that nobody but a backend knows of, where they lie in a program.
Result<std::vector<BlobWeight>> WeightsInBlobs(const Container& program) {
  PTEEDIT_ASSIGN(const std::vector<DelegateDescription> delegates, DescribeDelegates(program));
  std::vector<BlobWeight> weights;
  for (const DelegateDescription& delegate : delegates) {
    if (!delegate.shared_with->empty()) continue;
    for (const BlobConstant& constant : delegate.contents->constants) {
      const std::optional<uint64_t> offset = constant.offset();
      if (!offset || !constant.key.empty() || !Fits(constant.extent, delegate.blob.size)) continue;
      const Extent place{delegate.blob.offset + *offset, constant.bytes};
      weights.push_back({place, {constant.sizes.begin(), constant.sizes.end()}, !constant.name.empty()});
    }
  }
  return weights;
}

std::vector<Sought> TargetsIn(const Container& file, const std::vector<BlobWeight>& weights) {
  std::vector<Sought> targets;
  for (const BlobWeight& weight : weights)
    targets.push_back({weight.place.size, weight.place, {}, {}, {weight.sizes}, nullptr});
  if (file.kind() == FileKind::kProgram) {
    for (const Constant& constant : CollectConstants(file)) {
      if (constant.extent.size == 0) continue;
      Sought target{constant.extent.size, constant.extent, {}, {}, {}, nullptr};
      for (const ConstantUse& use : constant.uses) target.sizes.push_back(use.layout().sizes);
      targets.push_back(std::move(target));
    }
    AddExternal(file.state().program_root(), targets);
  }
  for (const NamedEntry& entry : file.named_data()) {
    const Extent content = ContentOf(entry);
    Sought target{content.size, content, std::string(entry.key), std::string(HashInKey(entry.key)), {}, nullptr};
    if (entry.layout) target.sizes.push_back(entry.layout->sizes);
    if (content.size != 0) targets.push_back(std::move(target));
  }
  return targets;
}

// But for dimensions of one, which backends add and take away.
template <class Numbers>
std::string SizesInKey(Numbers sizes) {
  if (sizes.empty()) return {};
  std::erase(sizes, 1);
  return "|" + Joined(sizes, "|");
}

std::set<uint64_t> SizesOf(const std::vector<Sought*>& targets) {
  std::set<uint64_t> sizes;
  for (const Sought* target : targets) sizes.insert(target->bytes);
  return sizes;
}

}  // namespace

// A form of a content, with its hash once somebody asked for it.
struct ContentNames::State {
  struct Form {
    size_t content = 0;
    StoredForm form;
    bool is_hashed = false;
  };

  std::vector<ContentName> contents;
  std::vector<Form> forms;
  std::vector<size_t> first_called;  // by content: the first one of the same name
  // Contents that were first called so, by all digits of their hash, and behind these the sizes of small ones.
  std::map<std::string, std::set<size_t>, std::less<>> by_hash;

  explicit State(std::vector<ContentName> all) : contents(std::move(all)) {
    std::map<std::string_view, size_t> by_name;
    for (size_t i = 0; i < contents.size(); ++i) {
      first_called.push_back(by_name.emplace(contents[i].name, i).first->second);
      if (contents[i].bytes != 0 && !contents[i].name.empty()) AddForms(i);
    }
  }

  void AddForms(size_t index) {
    const ContentName& content = contents[index];
    if (content.data == nullptr) {
      if (content.sha256.size() != kSha256Digits) return;
      AddHash(content.sha256, index, content.bytes);
      forms.push_back({index, StoredFormsOf(content).front(), true});
      return;
    }
    for (const StoredForm& form : StoredFormsOf(content)) forms.push_back({index, form});
  }

  void AddHash(const std::string& hash, size_t index, uint64_t bytes) {
    const bool is_small = bytes < kTellingBytes;
    by_hash[hash + (is_small ? SizesInKey(contents[index].sizes) : "")].insert(first_called[index]);
  }

  // Hashes the forms that have one of these sizes, plain ones or the others.
  Status HashForms(const std::set<uint64_t>& sizes, bool plain, unsigned threads) {
    std::vector<Form*> open;
    for (Form& form : forms) {
      if (form.form.is_plain() == plain && !form.is_hashed && sizes.count(form.form.bytes) != 0) open.push_back(&form);
    }
    std::vector<std::optional<Sha256Digest>> digests(open.size());
    PTEEDIT_TRY(ParallelFor(open.size(), threads, [&](size_t i) -> Status {
      PTEEDIT_ASSIGN(digests[i], DigestOf(contents[open[i]->content], open[i]->form));
      return {};
    }));
    for (size_t i = 0; i < open.size(); ++i) {
      open[i]->is_hashed = true;
      if (digests[i]) AddHash(digests[i]->Hex(), open[i]->content, open[i]->form.bytes);
    }
    return {};
  }

  // Of the kinds that are asked for.
  std::set<uint64_t> FormSizes(bool plain) const {
    std::set<uint64_t> sizes;
    for (const Form& form : forms) {
      if (form.form.is_plain() == plain) sizes.insert(form.form.bytes);
    }
    return sizes;
  }

  // All digits of a hash of which `hash` are the first.
  std::string WholeHash(const std::string& hash) const {
    if (hash.size() == kSha256Digits) return hash;
    const auto known = by_hash.lower_bound(hash);
    return known != by_hash.end() && known->first.starts_with(hash) ? known->first.substr(0, kSha256Digits) : hash;
  }

  void AddNames(const std::set<size_t>& indices, std::set<size_t>& names) const {
    for (const size_t index : indices) {
      if (names.size() == kMaxNames) return;
      names.insert(index);
    }
  }

  FoundNames::List ListOf(const std::set<size_t>& indices) const {
    std::vector<std::string> names;
    for (const size_t index : indices) names.push_back(contents[index].name);
    return names.empty() ? nullptr : std::make_shared<const std::vector<std::string>>(std::move(names));
  }

  FoundNames::List NamesOfAnySizes(const std::string& hash) const {
    std::set<size_t> names;
    for (auto known = by_hash.lower_bound(hash); known != by_hash.end() && known->first.starts_with(hash); ++known) {
      if (names.size() == kMaxNames) break;
      AddNames(known->second, names);
    }
    return ListOf(names);
  }

  FoundNames::List NamesOfSizes(const std::string& hash, const std::vector<std::vector<int32_t>>& sizes) const {
    std::set<size_t> names;
    std::vector<std::string> wanted{hash};
    for (const std::vector<int32_t>& one : sizes) wanted.push_back(hash + SizesInKey(one));
    for (const std::string& one : wanted) {
      const auto known = by_hash.find(one);
      if (known != by_hash.end()) AddNames(known->second, names);
    }
    return ListOf(names);
  }

  // What still has no name gets those of plain forms, or those of the others.
  Status Find(const Source& file, bool plain, unsigned threads, std::vector<Sought>& targets, ListingBudget& budget) {
    std::vector<Sought*> open;
    for (Sought& target : targets) {
      if (target.names == nullptr) open.push_back(&target);
    }
    PTEEDIT_TRY(HashForms(SizesOf(open), plain, threads));
    const std::set<uint64_t> sizes = FormSizes(plain);
    std::erase_if(open, [&](const Sought* target) { return sizes.count(target->bytes) == 0; });
    PTEEDIT_TRY(HashTargets(file, open, threads));
    std::map<std::string, FoundNames::List> known;  // many may be equal
    for (Sought* target : open) {
      const std::string hash = WholeHash(target->hash);
      if (target->bytes < kTellingBytes && !target->sizes.empty()) {
        target->names = NamesOfSizes(hash, target->sizes);
      } else {
        const auto [place, is_new] = known.try_emplace(hash);
        if (is_new) place->second = NamesOfAnySizes(hash);
        target->names = place->second;
      }
      if (target->names != nullptr) {
        const uint64_t rows = std::max<uint64_t>(1, target->sizes.size());
        PTEEDIT_TRY(budget.Take(ListedBytes(*target->names) * rows, "names of contents"));
      }
    }
    return {};
  }

  static Status HashTargets(const Source& file, const std::vector<Sought*>& targets, unsigned threads) {
    std::map<Place, std::vector<Sought*>> by_place;
    for (Sought* target : targets) {
      if (target->hash.empty()) by_place[{target->place->offset, target->place->size}].push_back(target);
    }
    std::vector<decltype(by_place)::value_type*> places;
    for (auto& place : by_place) places.push_back(&place);
    return ParallelFor(places.size(), threads, [&](size_t i) -> Status {
      const auto& [place, sought] = *places[i];
      PTEEDIT_ASSIGN(const Sha256Digest digest, Sha256Of(file, {place.first, place.second}));
      for (Sought* target : sought) target->hash = digest.Hex();
      return {};
    });
  }
};

ContentNames::ContentNames(std::vector<ContentName> contents) : state_(std::make_shared<State>(std::move(contents))) {}

bool ContentNames::empty() const { return state_->contents.empty(); }

Result<Container> ContentNames::Name(const Container& file, unsigned threads) const {
  std::optional<Container> inner;
  if (file.program() != nullptr) {
    PTEEDIT_ASSIGN(inner, Name(*file.program(), threads));
  }
  auto names = std::make_shared<FoundNames>();
  if (file.kind() == FileKind::kProgram) {
    PTEEDIT_ASSIGN(names->weights, WeightsInBlobs(file));
  }
  std::vector<Sought> targets = TargetsIn(file, names->weights);
  ListingBudget budget(MostListedBytes(file));
  for (const bool plain : {true, false}) {
    const Status found = state_->Find(*file.source(), plain, threads, targets, budget);
    if (!found) return Error(found.error()).In(file.name());
  }
  for (const Sought& target : targets) {
    if (target.names == nullptr) continue;
    if (target.key.empty()) names->by_place.emplace(Place(target.place->offset, target.place->size), target.names);
    if (!target.key.empty()) names->by_key.emplace(target.key, target.names);
  }
  return Container::State::Named(file, std::move(names), std::move(inner));
}

Result<std::vector<ContentName>> ReadSafetensors(const std::shared_ptr<const Source>& file) {
  Result<SafetensorsHeader> header = ReadSafetensorsHeader(*file);
  if (!header) return std::move(header).error().In(file->name());
  std::vector<ContentName> contents;
  for (SafetensorsEntry& entry : header->entries) {
    PTEEDIT_ASSIGN(std::shared_ptr<const Source> data, MakeWindowSource(file, entry.place));
    contents.push_back({std::move(entry.name),
                        entry.place.size,
                        {},
                        std::move(entry.sizes),
                        std::move(data),
                        CommonDtype(entry.dtype)});
  }
  return contents;
}

Result<std::vector<ContentName>> HashContentNames(const std::vector<ContentName>& contents, unsigned threads) {
  std::vector<std::pair<const ContentName*, StoredForm>> forms;
  for (const ContentName& content : contents) {
    for (const StoredForm& form : StoredFormsOf(content)) forms.emplace_back(&content, form);
  }
  std::vector<std::optional<Sha256Digest>> digests(forms.size());
  PTEEDIT_TRY(ParallelFor(forms.size(), threads, [&](size_t i) -> Status {
    if (forms[i].first->data == nullptr) return {};
    PTEEDIT_ASSIGN(digests[i], DigestOf(*forms[i].first, forms[i].second));
    return {};
  }));
  std::vector<ContentName> hashed;
  for (size_t i = 0; i < forms.size(); ++i) {
    const auto& [content, form] = forms[i];
    if (content->data == nullptr) hashed.push_back(*content);
    if (digests[i]) hashed.push_back({content->name, form.bytes, digests[i]->Hex(), content->sizes});
  }
  return hashed;
}

NameCount CountNames(const Container& file) {
  NameCount count;
  const auto add = [&](uint64_t bytes, bool has_name) {
    ++count.contents;
    if (has_name) return;
    ++count.unnamed;
    count.unnamed_bytes += bytes;
  };
  const Container& program = ProgramIn(file);
  if (program.kind() == FileKind::kProgram) {
    for (const Constant& constant : CollectConstants(program)) add(constant.extent.size, constant.has_name);
  }
  std::map<Place, bool> keys;
  for (const NamedEntry& entry : program.named_data()) {
    const bool has_name = HashInKey(entry.key).empty() || !NamesOfKey(program, entry.key).empty();
    bool& known = keys[{entry.extent.offset, entry.extent.size}];
    known = known || has_name;
  }
  for (const auto& [place, has_name] : keys) add(place.second, has_name);
  if (program.state().names == nullptr) return count;
  for (const BlobWeight& weight : program.state().names->weights)
    add(weight.place.size, weight.has_name || FoundNamesAt(program, weight.place) != nullptr);
  return count;
}

}  // namespace pteedit
