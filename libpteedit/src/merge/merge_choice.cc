#include "merge/merge_choice.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <numeric>
#include <set>
#include <span>

#include "base/shared_texts.h"
#include "base/text.h"
#include "merge/merge_cost.h"
#include "merge/merge_keys.h"
#include "pteedit/try.h"

namespace pteedit {
namespace {

constexpr uint64_t kMinSharedFile = 256;  // twice its header and root

// What one set has of one content. Constants leave its program together, and so do keys.
struct Holding {
  std::vector<uint32_t> constants, keys;  // indices of claims
};

// A content of which a shared file can serve some claims: those that have a key there.
struct Candidate {
  std::span<const uint32_t> claims;  // all that have it, by set
  uint64_t bytes = 0;
  size_t least_sets = 2;  // that have to let it go: one is enough for what devices share, and for the foundation
  SharedText least_key;
};

class Chooser {
 public:
  Chooser(const Inventory& inventory, const MergeOptions& options)
      : claims_(inventory.claims),
        contents_(ClaimsByContent(inventory)),
        options_(options),
        previous_(inventory.previous),
        matched_(inventory.matched),
        is_alone_(inventory.sets == 1 && !options.previous),
        keys_(inventory) {
    choice_.destinations.resize(claims_.size());
    shared_keys_.resize(claims_.size());
    least_bytes_.resize(claims_.size());
  }

  Result<MergeChoice> Choose() {
    FindLeastBytes();
    ChooseBases();
    PTEEDIT_TRY(FindCandidates());
    for (const Candidate& candidate : candidates_) {
      if (IsOutside(candidate)) TakePlacesOfKeys(candidate);
    }
    for (const Candidate& candidate : candidates_) Decide(candidate);
    if (!IsAnyNeeded()) ShareNothing("no program refers to it");
    if (!options_.min_bytes && !PayForAFile()) ShareNothing("too little for a file of its own");
    if (options_.variant_data == VariantData::kDataFile) PTEEDIT_TRY(ChooseOwn());
    TellWhyNoBase();
    return std::move(choice_);
  }

 private:
  static bool IsOutside(const Claim& claim) { return claim.in_data && !claim.stays_in_program(); }

  bool IsServed(size_t claim) const { return claims_[claim].is_served(); }

  // What is outside already keeps its places, the largest of the others get what is left.
  void ChooseBases() {
    for (const bool is_constant : {false, true}) {
      for (const uint32_t i : LargestFirst()) {
        if (!IsServed(i) || claims_[i].is_constant != is_constant) continue;
        if (is_constant && !HavePlaces({i})) {
          Stay(i, TooMany());
          continue;
        }
        const NamedEntry& entry = *claims_[i].base->entry;
        choice_.destinations[i] = {DestinationKind::kBase, texts_(entry.key), entry.layout, {}};
        TakePlaces({i});
      }
    }
    base_places_ = external_;
  }

  void TellWhyNoBase() {
    for (uint32_t i = 0; i < claims_.size(); ++i) {
      Destination& destination = choice_.destinations[i];
      if (destination.target == DestinationKind::kProgram && !claims_[i].base->reason.empty())
        destination.reason = texts_(claims_[i].base->reason);
    }
  }

  // From which size on the claims of one set and content leave their program. It depends on this set alone, so that no
  // further set changes it.
  void FindLeastBytes() {
    for (const std::span<const uint32_t> claims : contents_) {
      for (const Holding& holding : HoldingsOf(claims)) {
        SetLeastBytes(holding.constants);
        SetLeastBytes(holding.keys);
      }
    }
  }

  // Of claims that are listed by set: one for each set.
  std::vector<Holding> HoldingsOf(std::span<const uint32_t> claims) const {
    std::vector<Holding> holdings;
    for (size_t i = 0; i < claims.size(); ++i) {
      const Claim& claim = claims_[claims[i]];
      if (i == 0 || claims_[claims[i - 1]].set != claim.set) holdings.emplace_back();
      (claim.is_constant ? holdings.back().constants : holdings.back().keys).push_back(claims[i]);
    }
    return holdings;
  }

  void SetLeastBytes(const std::vector<uint32_t>& claims) {
    SharingCost cost;
    for (const uint32_t i : claims) cost.Add(claims_[i]);
    for (const uint32_t i : claims) least_bytes_[i] = options_.min_bytes.value_or(cost.least_bytes());
  }

  bool IsLargeEnough(size_t claim) const { return claims_[claim].extent.size >= least_bytes_[claim]; }
  // Whether it leaves its program for its own sake.
  bool Pays(size_t claim) const { return IsLargeEnough(claim) && (options_.min_bytes || !claims_[claim].bytes_stay); }

  void Stay(size_t claim, std::string_view reason) {
    SharedText& known = choice_.destinations[claim].reason;
    if (known.empty()) known = texts_(reason);
  }

  // Where its key does not let it be shared.
  void StayForKey(size_t claim) {
    Stay(claim, keys_.WhyNot(claims_[claim]));
    choice_.destinations[claim].conflict = true;
  }

  // Why a content, of which these are the claims, is nothing to be shared; empty where it may be.
  std::string WhyAlone(size_t content, std::span<const uint32_t> claims) const {
    std::set<size_t> sets;
    for (const uint32_t i : claims) sets.insert(claims_[i].set);
    if (previous_.WasShared(content)) return {};
    const bool is_matched = matched_.count(content) != 0;
    if (!is_matched && !options_.match.empty()) return "not in the files to match";
    if (!is_matched && sets.size() == 1) return is_alone_ ? "no base has it" : "in no other program";
    if (previous_.WasInVariantsOnly(content)) return "in variants only, as in the release before";
    if (is_matched) return {};
    return previous_.AreOneVariant(sets) ? "only in one variant of the release before and its hotfixes" : "";
  }

  Status FindCandidates() {
    candidates_.reserve(contents_.size());  // what grows by itself is there twice
    for (const std::span<const uint32_t> claims : contents_) {
      if (IsServed(claims.front())) continue;  // then it is alone
      const std::string why_alone = WhyAlone(claims_[claims.front()].content, claims);
      if (why_alone.empty()) {
        PTEEDIT_TRY(AddCandidate(claims));
        continue;
      }
      for (const uint32_t i : claims) {
        if (!claims_[i].is_constant && !keys_.WhyNot(claims_[i]).empty()) StayForKey(i);
        Stay(i, why_alone);
      }
    }
    const auto larger_first = [](const Candidate& a, const Candidate& b) {
      return a.bytes != b.bytes ? a.bytes > b.bytes : a.least_key < b.least_key;
    };
    std::sort(candidates_.begin(), candidates_.end(), larger_first);
    return {};
  }

  Status AddCandidate(std::span<const uint32_t> claims) {
    Candidate candidate;
    candidate.claims = claims;
    candidate.bytes = claims_[claims.front()].extent.size;
    const size_t content = claims_[claims.front()].content;
    if (previous_.WasShared(content) || matched_.count(content) != 0) candidate.least_sets = 1;
    for (const uint32_t i : claims) {
      PTEEDIT_ASSIGN(std::string key, keys_.KeyFor(claims_[i]));
      if (key.empty()) {
        StayForKey(i);
        continue;
      }
      shared_keys_[i] = ShareIfEqual(key, candidate.least_key);
      if (candidate.least_key.empty() || shared_keys_[i] < candidate.least_key) candidate.least_key = shared_keys_[i];
    }
    if (HoldingsOf(candidate).size() >= candidate.least_sets) {
      candidates_.push_back(std::move(candidate));
    } else {
      for (const uint32_t i : KeyedClaimsOf(candidate)) Stay(i, "in no other program under a key that can be shared");
    }
    return {};
  }

  std::vector<uint32_t> KeyedClaimsOf(const Candidate& candidate) const {
    std::vector<uint32_t> keyed;
    std::copy_if(candidate.claims.begin(), candidate.claims.end(), std::back_inserter(keyed),
                 [&](uint32_t i) { return !shared_keys_[i].empty(); });
    return keyed;
  }
  std::vector<Holding> HoldingsOf(const Candidate& candidate) const { return HoldingsOf(KeyedClaimsOf(candidate)); }

  // Whether enough sets have it outside already: then it is shared whatever its size, and its tensors come before those
  // that are to leave their programs.
  bool IsOutside(const Candidate& candidate) const {
    const std::vector<Holding> holdings = HoldingsOf(candidate);
    const auto sets = std::count_if(holdings.begin(), holdings.end(), [&](const Holding& holding) {
      return std::any_of(holding.keys.begin(), holding.keys.end(), [&](uint32_t i) { return IsOutside(claims_[i]); });
    });
    return static_cast<size_t>(sets) >= candidate.least_sets;
  }

  // Shares what enough sets let go. Then all keys go, as one must not be in a program and in the shared file, but
  // constants only where they are large enough and their methods have room.
  void Decide(const Candidate& candidate) {
    size_t sets = 0;
    std::vector<uint32_t> leaving;
    for (const Holding& holding : HoldingsOf(candidate)) {
      const bool keys_leave = std::any_of(holding.keys.begin(), holding.keys.end(),
                                          [&](uint32_t i) { return IsOutside(claims_[i]) || Pays(i); });
      const bool constants_leave = ConstantsLeave(holding);
      if (keys_leave || constants_leave) ++sets;
      leaving.insert(leaving.end(), holding.keys.begin(), holding.keys.end());
      if (constants_leave) leaving.insert(leaving.end(), holding.constants.begin(), holding.constants.end());
    }
    if (sets < candidate.least_sets) {
      for (const uint32_t i : leaving) Stay(i, IsLargeEnough(i) ? "stays in the other programs" : Smaller(i));
      return;
    }
    if (!IsOutside(candidate)) TakePlacesOfKeys(candidate);
    for (const uint32_t i : leaving) {
      if (claims_[i].is_constant) TakePlaces({i});
      choice_.destinations[i] = {
          DestinationKind::kShared, shared_keys_[i], keys_.LayoutFor(shared_keys_[i], claims_[i]), {}};
    }
  }

  // What is outside is shared whatever its size, but not so little that the file itself is most of it, unless several
  // sets have the very file already.
  bool PayForAFile() const {
    uint64_t bytes = 0;
    std::set<size_t> contents;
    std::map<const Source*, size_t> files;  // and the set
    for (uint32_t i = 0; i < claims_.size(); ++i) {
      const Claim& claim = claims_[i];
      if (choice_.destinations[i].target != DestinationKind::kShared) continue;
      if (contents.insert(claim.content).second) bytes += claim.extent.size;
      const auto [file, is_new] = files.try_emplace(claim.source(), claim.set);
      if (file->second != claim.set) return true;
    }
    return bytes >= kMinSharedFile;
  }

  // A file to whose keys nobody refers would be no part of the programs.
  bool IsAnyNeeded() const {
    for (uint32_t i = 0; i < claims_.size(); ++i) {
      if (choice_.destinations[i].target == DestinationKind::kShared && claims_[i].is_needed()) return true;
    }
    return false;
  }

  void ShareNothing(const char* reason) {
    for (uint32_t i = 0; i < claims_.size(); ++i) {
      if (choice_.destinations[i].target != DestinationKind::kShared) continue;
      choice_.destinations[i] = {DestinationKind::kProgram, {}, {}, {}, !claims_[i].is_needed()};
      choice_.destinations[i].reason = texts_(reason);
    }
    external_ = base_places_;
  }

  bool ConstantsLeave(const Holding& holding) {
    if (holding.constants.empty()) return false;
    std::string reason;
    if (!IsLargeEnough(holding.constants.front())) reason = Smaller(holding.constants.front());
    if (reason.empty() && !HavePlaces(holding.constants)) reason = TooMany();
    for (const uint32_t i : holding.constants) {
      if (!reason.empty()) Stay(i, reason);
    }
    return reason.empty();
  }

  std::string Smaller(size_t claim) const { return Text("smaller than ", least_bytes_[claim], " bytes"); }
  std::string TooMany() const {
    return Text("its method would have more than ", options_.max_external_tensors, " external tensors");
  }

  // External tensors by set and method.
  using Places = std::map<std::pair<size_t, size_t>, uint64_t>;

  Places PlacesOf(const std::vector<uint32_t>& claims) const {
    Places places;
    for (const uint32_t i : claims) {
      for (const ConstantUse& use : *claims_[i].uses) ++places[{claims_[i].set, use.method}];
    }
    return places;
  }

  bool HavePlaces(const std::vector<uint32_t>& claims) const {
    if (options_.min_bytes) return true;
    for (const auto& [place, count] : PlacesOf(claims)) {
      const auto taken = external_.find(place);
      if ((taken == external_.end() ? 0 : taken->second) + count > options_.max_external_tensors) return false;
    }
    return true;
  }

  void TakePlacesOfKeys(const Candidate& candidate) {
    for (const Holding& holding : HoldingsOf(candidate)) TakePlaces(holding.keys);
  }

  void TakePlaces(const std::vector<uint32_t>& claims) {
    for (const auto& [place, count] : PlacesOf(claims)) external_[place] += count;
  }

  Status ChooseOwn() {
    for (uint32_t i = 0; i < claims_.size(); ++i) {
      const Claim& claim = claims_[i];
      if (choice_.destinations[i].target != DestinationKind::kProgram || !IsOutside(claim)) continue;
      SetOwn(i, claim.key);
    }
    for (const uint32_t i : LargestFirst()) {
      const Claim& claim = claims_[i];
      if (choice_.destinations[i].target != DestinationKind::kProgram || claim.stays_in_program() || IsServed(i))
        continue;
      if (Pays(i)) {
        PTEEDIT_TRY(MoveToOwn(i));
      } else {
        choice_.destinations[i].reason = texts_(Smaller(i));
      }
    }
    return {};
  }

  Status MoveToOwn(uint32_t i) {
    std::string key(claims_[i].key);
    if (claims_[i].is_constant) {
      PTEEDIT_ASSIGN(key, keys_.ContentKeyOf(claims_[i]));
      if (keys_.IsTaken(key)) return {};
    }
    if (HavePlaces({i})) {
      SetOwn(i, key);
    } else {
      choice_.destinations[i].reason = texts_(TooMany());
    }
    return {};
  }

  void SetOwn(uint32_t i, std::string_view key) {
    choice_.destinations[i] = {DestinationKind::kOwn, texts_(key), claims_[i].layout, {}};
    TakePlaces({i});
  }

  // Equal sizes in the set's own order, which is that of first use.
  std::vector<uint32_t> LargestFirst() const {
    std::vector<uint32_t> order(claims_.size());
    std::iota(order.begin(), order.end(), 0U);
    std::stable_sort(order.begin(), order.end(),
                     [&](uint32_t a, uint32_t b) { return claims_[a].extent.size > claims_[b].extent.size; });
    return order;
  }

  const std::deque<Claim>& claims_;
  const std::vector<std::span<const uint32_t>> contents_;  // the claims that have each
  const MergeOptions& options_;
  const PreviousContents& previous_;
  const std::set<size_t>& matched_;
  bool is_alone_;
  MergeKeys keys_;
  std::vector<SharedText> shared_keys_;  // by claim: what it is called in the shared file
  std::vector<uint64_t> least_bytes_;    // by claim: what is smaller does not leave the program for its own sake
  std::vector<Candidate> candidates_;    // largest first
  Places external_, base_places_;
  SharedTexts texts_;  // keys and reasons
  MergeChoice choice_;
};

}  // namespace

Result<MergeChoice> ChooseForMerge(const Inventory& inventory, const MergeOptions& options) {
  return Chooser(inventory, options).Choose();
}

}  // namespace pteedit
