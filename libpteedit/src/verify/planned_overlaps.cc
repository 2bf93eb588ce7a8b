#include "verify/planned_overlaps.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <queue>
#include <tuple>
#include <utility>

namespace pteedit {
namespace {

using Spot = std::pair<uint32_t, uint64_t>;  // arena and offset

// Walks through the steps with what lives at each. What lives lies apart, but for values on the same bytes.
class Sweep {
 public:
  // Where the value overlaps one that lives. Otherwise it lives from now on.
  std::optional<PlannedValue> Add(const PlannedValue& value) {
    Expire(value.life.first);
    const auto same = living_.find({value.arena, value.place.offset});
    if (same != living_.end() && same->second.newest.place.size == value.place.size) return Join(value, same->second);
    if (const PlannedValue* other = FindOverlapped(value)) {
      if (value.use.is_redirected) return std::nullopt;
      return *other;
    }
    living_[{value.arena, value.place.offset}] = {value, 1, Written(value)};
    ends_.push({value.life.last, {value.arena, value.place.offset}});
    return std::nullopt;
  }

 private:
  struct Living {
    PlannedValue newest;
    size_t count = 0;
    std::optional<PlannedValue> read_last;  // of those whose content is surely theirs
  };

  // A value that holds what one kernel, or the caller, put there once.
  static std::optional<PlannedValue> Written(const PlannedValue& value) {
    if (value.use.is_redirected || !IsWrittenAtBegin(value) || value.use.writes > 1) return std::nullopt;
    return value;
  }
  static bool IsWrittenAtBegin(const PlannedValue& value) {
    const bool is_input = value.life.first == 0 && value.use.writes == 0;
    return is_input || (value.use.writes != 0 && value.use.first_write == value.life.first);
  }

  std::optional<PlannedValue> Join(const PlannedValue& value, Living& group) {
    ++group.count;
    ends_.push({value.life.last, {value.arena, value.place.offset}});
    group.newest = value;
    const std::optional<PlannedValue> before = group.read_last;
    const std::optional<PlannedValue> written = Written(value);
    if (written && (!before || before->use.last_read < written->use.last_read)) group.read_last = written;
    const bool is_lost =
        before && IsWrittenAtBegin(value) && !value.use.is_redirected && before->use.last_read > value.life.first;
    return is_lost ? before : std::nullopt;
  }

  const PlannedValue* FindOverlapped(const PlannedValue& value) const {
    auto next = living_.lower_bound({value.arena, value.place.offset});
    const bool meets_next = next != living_.end() && next->first.first == value.arena &&
                            next->first.second - value.place.offset < value.place.size;
    if (meets_next) return &next->second.newest;
    if (next == living_.begin()) return nullptr;
    --next;
    const bool meets =
        next->first.first == value.arena && value.place.offset - next->first.second < next->second.newest.place.size;
    return meets ? &next->second.newest : nullptr;
  }

  void Expire(uint64_t now) {
    while (!ends_.empty() && ends_.top().first < now) {
      const auto found = living_.find(ends_.top().second);
      if (--found->second.count == 0) living_.erase(found);
      ends_.pop();
    }
  }

  std::map<Spot, Living> living_;
  std::priority_queue<std::pair<uint64_t, Spot>, std::vector<std::pair<uint64_t, Spot>>, std::greater<>> ends_;
};

}  // namespace

std::vector<PlannedOverlap> FindPlannedOverlaps(std::vector<PlannedValue> values) {
  std::erase_if(values, [](const PlannedValue& value) { return value.life.last == 0; });  // set, and never read
  std::stable_sort(values.begin(), values.end(), [](const PlannedValue& a, const PlannedValue& b) {
    return std::tie(a.life.first, a.value) < std::tie(b.life.first, b.value);
  });
  Sweep sweep;
  std::vector<PlannedOverlap> found;
  for (const PlannedValue& value : values) {
    if (const std::optional<PlannedValue> other = sweep.Add(value)) found.push_back({*other, value});
  }
  return found;
}

}  // namespace pteedit
