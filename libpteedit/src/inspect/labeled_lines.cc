#include "inspect/labeled_lines.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace pteedit {
namespace {

// What is there already at the end is not added again: values next to each other often are of one constant.
void AddTo(Chunked<Stretch>& stretches, Label label, uint64_t begin, uint64_t end) {
  constexpr uint64_t kMost = std::numeric_limits<uint32_t>::max();
  for (; begin != end; begin = stretches.back().end()) {
    const Stretch stretch{begin, static_cast<uint32_t>(std::min(end - begin, kMost)), label};
    if (stretches.empty() || stretches.back() != stretch) stretches.push_back(stretch);
  }
}

}  // namespace

void LabeledParts::Add(const Part& part) {
  if (part.file >= parts_.size()) parts_.resize(part.file + size_t{1});
  AddTo(parts_[part.file], part.label, part.extent.offset, part.extent.offset + part.extent.size);
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
    if (label != kNobodyLabel) AddTo(line, label, since, place);
    label = now;
    since = place;
  }
  return line;
}

void AddUp(const std::vector<const Line*>& lines, uint64_t size, Sums& sums) {
  std::vector<size_t> next(lines.size());  // the first stretch of each that does not end before `place`
  std::vector<Label> labels(lines.size());
  for (uint64_t place = 0; place < size;) {
    uint64_t end = size;
    for (size_t i = 0; i < lines.size(); ++i) {
      const Line& line = *lines[i];
      while (next[i] < line.size() && line[next[i]].end() <= place) ++next[i];
      labels[i] = kNobodyLabel;
      if (next[i] == line.size()) continue;
      const Stretch& stretch = line[next[i]];
      const bool is_in = stretch.begin <= place;
      if (is_in) labels[i] = stretch.label;
      end = std::min(end, is_in ? stretch.end() : stretch.begin);
    }
    sums[labels] += end - place;
    place = end;
  }
}

}  // namespace pteedit
