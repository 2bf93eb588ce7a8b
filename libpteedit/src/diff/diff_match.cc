#include "diff/diff_match.h"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "base/kept_texts.h"
#include "base/text_map.h"

namespace pteedit {
namespace {

using Key = std::optional<std::string>;  // nothing where a row is not to be matched by it

// One text, so that two differ where one of their texts does.
template <class Texts>
std::string JoinedKey(const Texts& texts) {
  std::string key;
  for (const std::string_view text : texts) key += std::to_string(text.size()), key += ':', key += text;
  return key;
}

Key KeyOf(std::initializer_list<std::string_view> texts) { return JoinedKey(texts); }

std::vector<std::string_view> ConstantTypes(const DiffDelegate& delegate) {
  std::vector<std::string_view> types;
  for (const DiffDelegate::Constant& constant : delegate.constants) types.push_back(constant.type);
  return types;
}

std::vector<std::string_view> SortedKeys(const DiffDelegate& delegate) {
  std::vector<std::string_view> keys = delegate.keys;
  std::sort(keys.begin(), keys.end());
  return keys;
}

constexpr uint32_t kNone = DiffRow::kNone;

// By key, and of rows with one key the first of them first.
std::vector<std::pair<std::string_view, uint32_t>> RowsByKey(const DiffSide& side) {
  std::vector<std::pair<std::string_view, uint32_t>> by_key;
  by_key.reserve(side.keys.size());
  for (uint32_t i = 0; i < side.rows.size(); ++i) {
    for (const NamedEntry* entry : side.KeysOf(side.rows[i])) by_key.emplace_back(entry->key, i);
  }
  std::sort(by_key.begin(), by_key.end());
  return by_key;
}

class RowMatcher {
 public:
  RowMatcher(const DiffSide& before, const DiffSide& after) : before_(before), after_(after) {
    matches_.old_of.resize(after.rows.size(), kNone);
    matches_.is_taken.resize(before.rows.size());
  }

  RowMatches Match() && {
    MatchContents();
    By([](const DiffSide&, const DiffRow& row) {
      return row.given_name().empty() ? Key() : KeyOf({row.what(), row.given_name()});
    });
    By([](const DiffSide&, const DiffRow& row) { return row.given_name().empty() ? Key() : Key(row.given_name()); });
    // Made of a hash, but of other bytes: somebody changed them.
    By([](const DiffSide& side, const DiffRow& row) {
      return row.key_count == 0 ? Key() : Key(side.KeysOf(row).front()->key);
    });
    MatchDelegates();
    MatchKeysOfDelegates();
    MatchBetweenNeighbours();
    const auto is_free = [](const DiffRow& row) { return row.type != nullptr && row.given_name().empty(); };
    By([&](const DiffSide&, const DiffRow& row) {
      return is_free(row) ? KeyOf({row.what(), row.type->name, row.type->sizes}) : Key();
    });
    By([&](const DiffSide&, const DiffRow& row) {
      return is_free(row) ? KeyOf({row.what(), row.type->sizes}) : Key();
    });
    By([](const DiffSide&, const DiffRow& row) {
      const bool is_component = !row.is_delegate() && !row.is_weight();
      return is_component ? KeyOf({row.what(), row.name}) : Key();
    });
    return std::move(matches_);
  }

 private:
  // Only rows of one kind are matched: delegates, weights, or what is neither.
  static char KindOf(const DiffRow& row) { return row.is_delegate() ? 'd' : row.is_weight() ? 'w' : 'o'; }

  // Most contents are in one row of each side, which need no names.
  void MatchSingleContents() {
    constexpr uint32_t kSeveral = kNone - 1;
    std::vector<uint32_t> old_row(before_.rows.size() + after_.rows.size(), kNone), new_row = old_row;  // by content
    const auto note = [](const std::vector<DiffRow>& rows, std::vector<uint32_t>& row_of) {
      for (uint32_t i = 0; i < rows.size(); ++i) {
        if (rows[i].has_bytes()) row_of[rows[i].content] = row_of[rows[i].content] == kNone ? i : kSeveral;
      }
    };
    note(before_.rows, old_row);
    note(after_.rows, new_row);
    for (size_t i = 0; i < old_row.size(); ++i) {
      if (old_row[i] >= kSeveral || new_row[i] >= kSeveral) continue;
      if (KindOf(before_.rows[old_row[i]]) == KindOf(after_.rows[new_row[i]])) Take(old_row[i], new_row[i]);
    }
  }

  void MatchContents() {
    MatchSingleContents();
    const auto content = [](const DiffRow& row) { return std::to_string(row.content); };
    By([&](const DiffSide&, const DiffRow& row) {
      return row.has_bytes() ? KeyOf({content(row), row.what(), row.name}) : Key();
    });
    By([&](const DiffSide&, const DiffRow& row) {
      return row.has_bytes() ? KeyOf({content(row), row.what()}) : Key();
    });
    By([&](const DiffSide&, const DiffRow& row) { return row.has_bytes() ? Key(content(row)) : Key(); });
    // Without bytes there is a name and a type.
    By([&](const DiffSide&, const DiffRow& row) {
      return row.is_weight() && !row.has_bytes()
                 ? KeyOf({row.what(), row.given_name(), row.type != nullptr ? row.type->Text() : ""})
                 : Key();
    });
  }

  void MatchDelegates() {
    const auto by = [&](auto key_of) {
      By([&](const DiffSide& side, const DiffRow& row) {
        const DiffDelegate* delegate = side.DelegateOf(row);
        return delegate != nullptr ? key_of(*delegate) : Key();
      });
    };
    using Delegate = DiffDelegate;
    const auto operators = [](const Delegate& one) { return JoinedKey(one.operators); };
    const auto keys = [](const Delegate& one) { return JoinedKey(SortedKeys(one)); };
    const auto types = [](const Delegate& one) { return JoinedKey(ConstantTypes(one)); };
    by([&](const Delegate& one) { return KeyOf({one.backend, operators(one), keys(one), types(one)}); });
    by([&](const Delegate& one) { return KeyOf({one.backend, operators(one), types(one)}); });
    by([&](const Delegate& one) { return KeyOf({one.backend, operators(one)}); });
    by([&](const Delegate& one) { return KeyOf({one.backend, keys(one)}); });
    by([](const Delegate& one) { return Key(one.backend); });
  }

  static bool HaveConstants(const DiffSide& side) {
    return std::any_of(side.delegates.begin(), side.delegates.end(),
                       [](const DiffDelegate& one) { return !one.constants.empty(); });
  }

  // Keys that stand at the same place in the lists of two delegates that are matched: pairs that nothing contradicts.
  void MatchKeysOfDelegates() {
    if (!HaveConstants(before_) || !HaveConstants(after_))
      return;                                     // of which there may be no list, but of keys a long one
    std::map<uint32_t, uint32_t> old_of, new_of;  // kNone where there are several
    const auto then_by_key = RowsByKey(before_), now_by_key = RowsByKey(after_);
    const auto row_of = [](const auto& by_key, std::string_view key) {
      const auto found = std::lower_bound(by_key.begin(), by_key.end(), std::pair(key, uint32_t{0}));
      return found == by_key.end() || found->first != key ? kNone : found->second;
    };
    const auto note = [](auto& map, uint32_t from, uint32_t to) {
      const auto [place, is_new] = map.emplace(from, to);
      if (!is_new && place->second != to) place->second = kNone;
    };
    for (size_t i = 0; i < after_.rows.size(); ++i) {
      if (!after_.rows[i].is_delegate() || matches_.old_of[i] == kNone) continue;
      const auto& then = before_.DelegateOf(before_.rows[matches_.old_of[i]])->constants;
      const auto& now = after_.DelegateOf(after_.rows[i])->constants;
      for (size_t c = 0; then.size() == now.size() && c < now.size(); ++c) {
        const uint32_t old_row = row_of(then_by_key, then[c].key), new_row = row_of(now_by_key, now[c].key);
        if (old_row == kNone || new_row == kNone || matches_.is_taken[old_row] || matches_.old_of[new_row] != kNone)
          continue;
        note(new_of, old_row, new_row);
        note(old_of, new_row, old_row);
      }
    }
    for (const auto& [now, then] : old_of) {
      if (then == kNone || new_of.at(then) != now) continue;
      if (before_.rows[then].given_name().empty() && after_.rows[now].given_name().empty()) Take(then, now);
    }
  }

  // Constants without names are in the order in which they are used: those that follow the same one, then those that
  // precede the same one, are as good as the same.
  void MatchBetweenNeighbours() {
    for (const bool follows : {true, false}) {
      const std::vector<uint32_t> then =
          Neighbours(before_.rows, follows, [&](uint32_t i) { return matches_.is_taken[i] ? i : kNone; });
      const std::vector<uint32_t> now =
          Neighbours(after_.rows, follows, [&](uint32_t i) { return matches_.old_of[i]; });
      By([&](const DiffSide& side, const DiffRow& row) {
        const uint32_t neighbour = (&side == &before_ ? then : now)[Index(side, row)];
        const bool is_used_in_order =
            row.type != nullptr && row.given_name().empty() && row.key_count == 0 && neighbour != kNone;
        return is_used_in_order ? KeyOf({row.what(), std::to_string(neighbour), row.type->name, row.type->sizes})
                                : Key();
      });
    }
  }

  static size_t Index(const DiffSide& side, const DiffRow& row) { return static_cast<size_t>(&row - side.rows.data()); }

  // Of each row the old index of the nearest one before, or behind, in its component that is matched; else kNone.
  template <class OldOf>
  static std::vector<uint32_t> Neighbours(const std::vector<DiffRow>& rows, bool before, OldOf old_of) {
    std::vector<uint32_t> neighbours(rows.size());
    uint32_t nearest = kNone;
    for (size_t step = 0; step < rows.size(); ++step) {
      const size_t i = before ? step : rows.size() - 1 - step;
      if (step != 0 && rows[i].component != rows[before ? i - 1 : i + 1].component) nearest = kNone;
      neighbours[i] = nearest;
      if (const uint32_t old = old_of(static_cast<uint32_t>(i)); old != kNone) nearest = old;
    }
    return neighbours;
  }

  void Take(uint32_t then, uint32_t now) {
    matches_.old_of[now] = then;
    matches_.is_taken[then] = true;
  }

  // Of those that are left, the first of the old ones goes with the first of the new ones that has the same key.
  template <class KeyOf>
  void By(KeyOf key_of) {
    KeptTexts keys;
    TextMap<uint32_t> left(keys);                     // the first by key
    std::vector<uint32_t> next(before_.rows.size());  // the next with the same key, by row
    const auto key_in_kind = [&](const DiffSide& side, const DiffRow& row) {
      Key key = key_of(side, row);
      if (key) *key += KindOf(row);
      return key;
    };
    for (auto i = static_cast<uint32_t>(before_.rows.size()); i-- > 0;) {
      if (matches_.is_taken[i]) continue;
      const Key key = key_in_kind(before_, before_.rows[i]);
      if (!key) continue;
      if (uint32_t* first = left.Find(*key)) {
        next[i] = std::exchange(*first, i);
      } else {
        left.Add(*key, i);
        next[i] = kNone;
      }
    }
    for (uint32_t i = 0; i < after_.rows.size(); ++i) {
      if (matches_.old_of[i] != kNone) continue;
      const Key key = key_in_kind(after_, after_.rows[i]);
      uint32_t* const first = key ? left.Find(*key) : nullptr;
      if (first == nullptr || *first == kNone) continue;
      Take(*first, i);
      *first = next[*first];
    }
  }

  const DiffSide& before_;
  const DiffSide& after_;
  RowMatches matches_;
};

}  // namespace

RowMatches MatchRows(const DiffSide& before, const DiffSide& after) { return RowMatcher(before, after).Match(); }

bool AreAlike(const DiffDelegate& a, const DiffDelegate& b) {
  const auto has_key = [](const DiffDelegate::Constant& constant) { return !constant.key.empty(); };
  return a.decoded && b.decoded && a.backend == b.backend && a.operators == b.operators &&
         std::all_of(a.constants.begin(), a.constants.end(), has_key) && SortedKeys(a) == SortedKeys(b) &&
         ConstantTypes(a) == ConstantTypes(b);
}

}  // namespace pteedit
