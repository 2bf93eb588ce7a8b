#include "merge/merge_choice.h"

#include <algorithm>
#include <map>
#include <set>

#include "merge/merge_cost.h"
#include "merge/merge_keys.h"
#include "text.h"
#include "try.h"

namespace pteedit {
namespace {

// A set's own content leaves its program only where it is larger than the tables that this takes: up to 130 bytes for
// the entry and 100 for a tensor to point to it.
constexpr uint64_t kLeastOwnBytes = 256;

constexpr uint64_t kWorthOfSharing = 8;  // sharing may cost this part of the separate copies more

// A content that several sets have, with the claims that can be served by the shared file.
struct Candidate {
  uint64_t bytes = 0;
  std::vector<size_t> claims;
  std::vector<std::string> keys;  // by index into `claims`
  std::string least_key;
};

class Chooser {
 public:
  Chooser(const Inventory& inventory, const MergeOptions& options, const MergeLimits& limits)
      : claims_(inventory.claims),
        options_(options),
        least_bytes_(limits.least_bytes),
        shares_(limits.shares),
        keys_(inventory) {
    choice_.destinations.resize(claims_.size());
  }

  Result<MergeChoice> Choose() {
    PTEEDIT_TRY(FindCandidates());
    ShareWhatPays();
    if (options_.variant_data == VariantData::kDataFile) PTEEDIT_TRY(ChooseOwn());
    return std::move(choice_);
  }

 private:
  // Whether a claim with this key changes its program; otherwise everything is outside already, under this very key.
  static bool LeavesProgram(const Claim& claim, const std::string& key) {
    return claim.is_constant || claim.entry.has_value() || claim.key != key;
  }

  void Stay(size_t claim, std::string reason) {
    std::string& known = choice_.destinations[claim].reason;
    if (known.empty()) known = std::move(reason);
  }

  // Where its key does not let it be shared.
  void StayForKey(size_t claim) {
    Stay(claim, keys_.WhyNot(claims_[claim]));
    choice_.destinations[claim].conflict = true;
  }

  size_t CountSets(const std::vector<size_t>& claims) const {
    std::set<size_t> sets;
    for (const size_t i : claims) sets.insert(claims_[i].set);
    return sets.size();
  }

  Status FindCandidates() {
    std::map<size_t, std::vector<size_t>> by_content;
    for (size_t i = 0; i < claims_.size(); ++i) by_content[claims_[i].content].push_back(i);
    for (const auto& [content, claims] : by_content) {
      if (CountSets(claims) > 1) {
        PTEEDIT_TRY(AddCandidate(claims));
      }
      if (CountSets(claims) > 1) continue;
      for (const size_t i : claims) {
        if (!claims_[i].is_constant && !keys_.WhyNot(claims_[i]).empty()) StayForKey(i);
        Stay(i, "in no other program");
      }
    }
    const auto larger_first = [](const Candidate& a, const Candidate& b) {
      return a.bytes != b.bytes ? a.bytes > b.bytes : a.least_key < b.least_key;
    };
    std::sort(candidates_.begin(), candidates_.end(), larger_first);
    return {};
  }

  Status AddCandidate(const std::vector<size_t>& claims) {
    Candidate candidate;
    candidate.bytes = claims_[claims.front()].place.extent.size;
    for (const size_t i : claims) {
      PTEEDIT_ASSIGN(std::string key, keys_.KeyFor(claims_[i]));
      if (key.empty()) {
        StayForKey(i);
      } else {
        candidate.claims.push_back(i);
        candidate.keys.push_back(std::move(key));
      }
    }
    if (CountSets(candidate.claims) > 1) {
      candidate.least_key = *std::min_element(candidate.keys.begin(), candidate.keys.end());
      candidates_.push_back(std::move(candidate));
    } else {
      for (const size_t i : candidate.claims) Stay(i, "in no other program under a key that can be shared");
    }
    return {};
  }

  bool IsOutside(const Candidate& candidate) const {
    for (size_t k = 0; k < candidate.claims.size(); ++k) {
      if (LeavesProgram(claims_[candidate.claims[k]], candidate.keys[k])) return false;
    }
    return true;
  }

  // Those that are outside already keep their places among the external tensors.
  void ShareWhatPays() {
    for (const bool outside : {true, false}) {
      for (const Candidate& candidate : candidates_) {
        if (IsOutside(candidate) == outside) Decide(candidate, outside);
      }
    }
  }

  void Decide(const Candidate& candidate, bool outside) {
    std::string reason;
    if (!shares_) {
      reason = "sharing would make the files larger together";
    } else if (options_.min_bytes) {
      if (!outside && candidate.bytes < *options_.min_bytes) reason = Smaller(*options_.min_bytes);
    } else if (!outside && candidate.bytes < least_bytes_) {
      reason = Smaller(least_bytes_);
    } else if (!(outside && least_bytes_ != 0) && !Pays(candidate)) {
      reason = "sharing it would cost more than it saves";
    } else if (!TakePlaces(candidate.claims, outside)) {
      reason = TooMany();
    }
    for (size_t k = 0; k < candidate.claims.size(); ++k) {
      if (reason.empty()) {
        const std::string& key = candidate.keys[k];
        choice_.destinations[candidate.claims[k]] = {
            Target::kShared, key, keys_.LayoutFor(key, claims_[candidate.claims[k]]), {}};
      } else {
        Stay(candidate.claims[k], reason);
      }
    }
  }

  static std::string Smaller(uint64_t bytes) { return Text("smaller than ", bytes, " bytes"); }
  std::string TooMany() const {
    return Text("its method would have more than ", options_.max_external_tensors, " external tensors");
  }

  // Whether the shared file and what points to it are smaller than a copy in each program, or not much larger: what is
  // there once is also shipped and loaded once.
  bool Pays(const Candidate& candidate) const {
    uint64_t shared = candidate.bytes + kSegmentBytes, apart = 0;
    std::set<std::string_view> entries;
    std::set<std::pair<size_t, std::string_view>> texts;
    std::set<std::pair<size_t, bool>> copies;  // by set and store
    for (size_t k = 0; k < candidate.claims.size(); ++k) {
      const Claim& claim = claims_[candidate.claims[k]];
      const std::string& key = candidate.keys[k];
      if (entries.insert(key).second) shared += EntryBytes(key.size(), keys_.LayoutFor(key, claim));
      const bool points_anew = claim.is_constant || claim.key != key;
      if (points_anew && texts.insert({claim.set, key}).second) shared += TextBytes(key.size());
      if (points_anew) shared += claim.uses.size() * kExternalUseBytes;
      const bool for_tensors = !claim.uses.empty();
      if (for_tensors && copies.insert({claim.set, true}).second) apart += candidate.bytes + kBufferBytes;
      if (for_tensors && !claim.for_delegate) continue;
      apart += kNamedDataBytes + TextBytes(key.size());
      if (copies.insert({claim.set, false}).second) apart += candidate.bytes + kSegmentBytes;
    }
    return shared < apart + apart / kWorthOfSharing;
  }

  // Counts external tensors by set and method. False, and nothing counted, where a method would have too many.
  bool TakePlaces(const std::vector<size_t>& claims, bool always) {
    std::map<std::pair<size_t, size_t>, uint64_t> more;
    for (const size_t i : claims) {
      for (const ConstantUse& use : claims_[i].uses) ++more[{claims_[i].set, use.method}];
    }
    for (const auto& [place, count] : more) {
      if (!always && external_[place] + count > options_.max_external_tensors) return false;
    }
    for (const auto& [place, count] : more) external_[place] += count;
    return true;
  }

  Status ChooseOwn() {
    for (size_t i = 0; i < claims_.size(); ++i) {
      const Claim& claim = claims_[i];
      const bool is_outside = claim.in_data && !claim.stays_in_program();
      if (choice_.destinations[i].target != Target::kProgram || !is_outside) continue;
      choice_.destinations[i] = {Target::kOwn, std::string(claim.key), claim.layout, {}};
      TakePlaces({i}, true);
    }
    const uint64_t least = options_.min_bytes.value_or(std::max(least_bytes_, kLeastOwnBytes));
    for (const size_t i : LargestFirst()) {
      const Claim& claim = claims_[i];
      if (choice_.destinations[i].target != Target::kProgram || claim.stays_in_program()) continue;
      if (claim.place.extent.size < least) {
        choice_.destinations[i].reason = Smaller(least);
        continue;
      }
      PTEEDIT_TRY(MoveToOwn(i));
    }
    return {};
  }

  Status MoveToOwn(size_t i) {
    std::string key(claims_[i].key);
    if (claims_[i].is_constant) {
      PTEEDIT_ASSIGN(key, keys_.ContentKeyOf(claims_[i]));
      if (keys_.IsTaken(key)) return {};
    }
    if (!options_.min_bytes && !TakePlaces({i}, false)) {
      choice_.destinations[i].reason = TooMany();
    } else {
      choice_.destinations[i] = {Target::kOwn, std::move(key), claims_[i].layout, {}};
    }
    return {};
  }

  // Equal sizes in the set's own order, which is that of first use.
  std::vector<size_t> LargestFirst() const {
    std::vector<size_t> order(claims_.size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t a, size_t b) { return claims_[a].place.extent.size > claims_[b].place.extent.size; });
    return order;
  }

  const std::vector<Claim>& claims_;
  const MergeOptions& options_;
  uint64_t least_bytes_;
  bool shares_;
  MergeKeys keys_;
  std::vector<Candidate> candidates_;  // largest first
  std::map<std::pair<size_t, size_t>, uint64_t> external_;
  MergeChoice choice_;
};

}  // namespace

Result<MergeChoice> ChooseForMerge(const Inventory& inventory, const MergeOptions& options, const MergeLimits& limits) {
  return Chooser(inventory, options, limits).Choose();
}

}  // namespace pteedit
