#include "inspect/labeled_lines.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace pteedit {

// What is there already at the end is not added again: values next to each other often are of one constant.
void LabeledParts::Add(const Part& part) {
  constexpr uint64_t kMost = std::numeric_limits<uint32_t>::max();
  if (part.file >= parts_.size()) parts_.resize(part.file + size_t{1});
  Chunked<Stretch>& parts = parts_[part.file];
  const uint64_t end = part.extent.offset + part.extent.size;
  for (uint64_t begin = part.extent.offset; begin != end; begin = parts.back().end()) {
    const Stretch stretch{begin, static_cast<uint32_t>(std::min(end - begin, kMost)), part.label};
    if (parts.empty() || parts.back() != stretch) parts.push_back(stretch);
  }
}

Line LabeledParts::LineOf(size_t file) const {
  if (file >= parts_.size()) return {};
  const Chunked<Stretch>& parts = parts_[file];
  std::vector<uint32_t> begins(parts.size());
  std::iota(begins.begin(), begins.end(), 0U);
  Label most = kSeveralLabel;
  for (uint32_t i = 0; i < parts.size(); ++i) most = std::max(most, parts[i].label);
  std::vector<uint32_t> ends = begins;
  std::ranges::sort(begins, {}, [&](uint32_t part) { return parts[part].begin; });
  std::ranges::sort(ends, {}, [&](uint32_t part) { return parts[part].end(); });
  Line line;
  std::vector<size_t> open(most + size_t{1});  // parts by label
  size_t distinct = 0, sum = 0;                // labels that have any: where it is one, the sum is that
  Label label = kNobodyLabel;                  // since
  uint64_t since = 0;
  auto begin = begins.begin(), end = ends.begin();
  while (end != ends.end()) {
    const uint64_t place = begin == begins.end() ? parts[*end].end() : std::min(parts[*begin].begin, parts[*end].end());
    for (; begin != begins.end() && parts[*begin].begin == place; ++begin) {
      if (open[parts[*begin].label]++ == 0) ++distinct, sum += parts[*begin].label;
    }
    for (; end != ends.end() && parts[*end].end() == place; ++end) {
      if (--open[parts[*end].label] == 0) --distinct, sum -= parts[*end].label;
    }
    const Label now = distinct == 0 ? kNobodyLabel : distinct == 1 ? static_cast<Label>(sum) : kSeveralLabel;
    if (now == label) continue;
    if (label != kNobodyLabel) line.Add(label, since, place);
    label = now;
    since = place;
  }
  return line;
}

void AddUp(const std::vector<const Line*>& lines, uint64_t size, Sums& sums) {
  std::vector<Line::Reader> next;  // the first stretch of each that does not end before `place`
  for (const Line* line : lines) next.emplace_back(*line);
  std::vector<Label> labels(lines.size());
  for (uint64_t place = 0; place < size;) {
    uint64_t end = size;
    for (size_t i = 0; i < lines.size(); ++i) {
      Line::Reader& stretch = next[i];
      while (!stretch.has_ended() && stretch.end() <= place) stretch.Next();
      labels[i] = kNobodyLabel;
      if (stretch.has_ended()) continue;
      const bool is_in = stretch.begin() <= place;
      if (is_in) labels[i] = stretch.label();
      end = std::min(end, is_in ? stretch.end() : stretch.begin());
    }
    sums[labels] += end - place;
    place = end;
  }
}

}  // namespace pteedit
