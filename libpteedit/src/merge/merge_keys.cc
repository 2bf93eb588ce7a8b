#include "merge/merge_keys.h"

#include <algorithm>

#include "base/text.h"
#include "io/digest.h"
#include "program/content_key.h"
#include "pteedit/try.h"

namespace pteedit {

MergeKeys::MergeKeys(const Inventory& inventory) : inventory_(inventory) {
  std::vector<const Claim*> keyed;
  for (const Claim& claim : inventory.claims) {
    if (!claim.is_constant && !claim.is_served()) keyed.push_back(&claim);
  }
  std::stable_sort(keyed.begin(), keyed.end(), [](const Claim* a, const Claim* b) { return a->key < b->key; });
  for (const Claim* claim : keyed) {
    if (meanings_.empty() || meanings_.back().key() != claim->key) meanings_.emplace_back().first = claim;
    Add(*claim, meanings_.back());
  }
  for (Meaning& meaning : meanings_) {
    if (!meaning.other_layout.empty() && meaning.problem.empty()) {
      if (meaning.only_delegates) meaning.layout = std::nullopt;
      if (!meaning.only_delegates) meaning.problem = meaning.other_layout;
    }
  }
}

void MergeKeys::Add(const Claim& claim, Meaning& meaning) const {
  const auto differs = [&](const char* in_what) {
    return Text("key ", Quoted(claim.key), " has different ", in_what, " in ", meaning.first->file->name(), " and ",
                claim.file->name());
  };
  if (meaning.problem.empty() && claim.content != meaning.first->content) meaning.problem = differs("contents");
  static const SharedText kUnmentioned = std::string("no delegate mentions the key; the app may read it");
  if (meaning.problem.empty() && claim.stays_in_program()) meaning.problem = kUnmentioned;
  if (const Container* base = inventory_.bases.FileWith(claim.key); base != nullptr && meaning.problem.empty()) {
    meaning.problem = Text("key ", Quoted(claim.key), " is also in ", base->name());
  }
  if (claim.layout && meaning.layout && !(*claim.layout == *meaning.layout)) meaning.other_layout = differs("layouts");
  if (!claim.for_delegate || !claim.uses->empty()) meaning.only_delegates = false;
  if (!meaning.layout) meaning.layout = claim.layout;
}

const MergeKeys::Meaning* MergeKeys::Find(std::string_view key) const {
  const auto is_before = [](const Meaning& meaning, std::string_view wanted) { return meaning.key() < wanted; };
  const auto found = std::lower_bound(meanings_.begin(), meanings_.end(), key, is_before);
  return found != meanings_.end() && found->key() == key ? &*found : nullptr;
}

const SharedOptional<TensorLayout>& MergeKeys::LayoutFor(const std::string& key, const Claim& claim) const {
  const Meaning* meaning = Find(key);
  return meaning == nullptr ? claim.layout : meaning->layout;
}

bool MergeKeys::IsTaken(std::string_view key) const {
  return Find(key) != nullptr || inventory_.bases.FileWith(key) != nullptr;
}

bool MergeKeys::Serves(std::string_view key, const Claim& claim) const {
  const Meaning* meaning = Find(key);
  return meaning != nullptr && meaning->problem.empty() && meaning->first->content == claim.content &&
         meaning->layout && *meaning->layout == *claim.layout;
}

bool MergeKeys::KeepsKey(const Claim& claim) const { return !claim.is_constant && Find(claim.key)->problem.empty(); }

bool MergeKeys::MayGetAnotherKey(const Claim& claim) const {
  // Only constants can be told another key.
  const bool only_tensors = !claim.uses->empty() && !claim.for_delegate && !claim.for_state && !claim.entry.has_value();
  return claim.is_constant || (only_tensors && ByteSize(*claim.layout) == claim.extent.size);
}

bool MergeKeys::NeedsContentKey(const Claim& claim) const { return !KeepsKey(claim) && MayGetAnotherKey(claim); }

Result<std::string> MergeKeys::KeyFor(const Claim& claim) {
  if (KeepsKey(claim)) return std::string(claim.key);
  if (!MayGetAnotherKey(claim)) return std::string();
  PTEEDIT_ASSIGN(std::string key, ContentKeyOf(claim));
  if (IsTaken(key) && !Serves(key, claim)) return std::string();
  return key;
}

const SharedText& MergeKeys::WhyNot(const Claim& claim) const {
  static const SharedText kTaken = std::string("its content key means something else in one of the files");
  return claim.is_constant ? kTaken : Find(claim.key)->problem;
}

Result<std::string> MergeKeys::ContentKeyOf(const Claim& claim) {
  const auto known =
      std::ranges::lower_bound(inventory_.digests, claim.content, {}, &std::pair<size_t, Sha256Digest>::first);
  if (known != inventory_.digests.end() && known->first == claim.content)
    return ContentKey(known->second, *claim.layout);
  const auto [place, is_new] = more_digests_.try_emplace(claim.content);
  if (is_new) {
    PTEEDIT_ASSIGN(place->second, Sha256Of(*claim.source(), claim.extent));
  }
  return ContentKey(place->second, *claim.layout);
}

}  // namespace pteedit
