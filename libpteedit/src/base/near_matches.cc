#include "pteedit/near_matches.h"

#include <algorithm>
#include <numeric>

#include "base/text.h"

namespace pteedit {
namespace {

// Longer names are compared by their beginnings only.
constexpr size_t kComparedBytes = 64;

std::string Folded(std::string_view text) { return FoldCase(text.substr(0, kComparedBytes)); }

// How many letters must be inserted, removed or changed to get from one to the other.
size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 0; i < a.size(); ++i) {
    size_t diagonal = row[0]++;
    for (size_t j = 0; j < b.size(); ++j) {
      const size_t change = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({change, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

constexpr size_t kUnlike = ~size_t{0};

// The smaller, the more alike. A part of the name is nearer than a misspelling; both are given folded.
size_t Unlikeness(const std::string& wanted, const std::string& name) {
  const size_t longer = std::max(wanted.size(), name.size());
  const size_t shorter = std::min(wanted.size(), name.size());
  const bool is_part = !wanted.empty() && name.find(wanted) != std::string::npos;
  if (is_part) return longer - shorter;
  const size_t tolerated = std::max<size_t>(1, wanted.size() / 3);
  if (longer - shorter > tolerated) return kUnlike;
  const size_t distance = EditDistance(wanted, name);
  return distance <= tolerated ? kComparedBytes + distance : kUnlike;
}

}  // namespace

std::string FoldCase(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), [](char letter) {
    return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
  });
  return out;
}

std::vector<std::string> NearMatches(const std::vector<std::string>& names, const std::string& wanted, size_t count) {
  struct Match {
    size_t unlikeness;
    const std::string* name;
  };
  std::vector<Match> matches;
  const std::string folded = Folded(wanted);
  for (const std::string& name : names) {
    const size_t unlikeness = Unlikeness(folded, Folded(name));
    if (unlikeness != kUnlike) matches.push_back({unlikeness, &name});
  }
  std::stable_sort(matches.begin(), matches.end(),
                   [](const Match& a, const Match& b) { return a.unlikeness < b.unlikeness; });
  std::vector<std::string> near;
  for (size_t i = 0; i < matches.size() && near.size() < count; ++i) {
    if (std::find(near.begin(), near.end(), *matches[i].name) == near.end()) near.push_back(*matches[i].name);
  }
  return near;
}

const std::string* FindName(const std::vector<std::string>& names, const std::string& wanted) {
  const std::string* found = nullptr;
  const std::string folded = FoldCase(wanted);
  for (const std::string& name : names) {
    if (name == wanted) return &name;
  }
  for (const std::string& name : names) {
    if (FoldCase(name) != folded) continue;
    if (found != nullptr && *found != name) return nullptr;
    found = &name;
  }
  return found;
}

std::string DidYouMean(const std::string& wanted, const std::vector<std::string>& names, size_t count) {
  const std::string near = Joined(NearMatches(names, wanted, count), " or ", Quoted);
  return near.empty() ? Quoted(wanted) : Text(Quoted(wanted), ", did you mean ", near, "?");
}

}  // namespace pteedit
