#include "inspect/labeled_lines.h"

#include <algorithm>
#include <limits>

namespace pteedit {
namespace {

void AddTo(Line& line, Label label, uint64_t begin, uint64_t end) {
  constexpr uint64_t kMost = std::numeric_limits<uint32_t>::max();
  for (; begin != end; begin = line.back().end())
    line.push_back({begin, static_cast<uint32_t>(std::min(end - begin, kMost)), label});
}

}  // namespace

Line LineOf(const Chunked<Part>& parts, size_t file) {
  const auto end_of = [&](uint32_t part) { return parts[part].extent.offset + parts[part].extent.size; };
  const auto is_there = [&](uint32_t part) { return parts[part].file == file && parts[part].extent.size != 0; };
  std::vector<uint32_t> begins;
  Label most = kSeveralLabel;
  size_t count = 0;
  for (uint32_t i = 0; i < parts.size(); ++i) count += is_there(i) ? 1 : 0;
  begins.reserve(count);
  for (uint32_t i = 0; i < parts.size(); ++i) {
    if (!is_there(i)) continue;
    begins.push_back(i);
    most = std::max(most, parts[i].label);
  }
  std::vector<uint32_t> ends = begins;
  std::sort(begins.begin(), begins.end(),
            [&](uint32_t a, uint32_t b) { return parts[a].extent.offset < parts[b].extent.offset; });
  std::sort(ends.begin(), ends.end(), [&](uint32_t a, uint32_t b) { return end_of(a) < end_of(b); });
  Line line;
  std::vector<size_t> open(most + size_t{1});  // parts by label
  size_t labels = 0, sum = 0;                  // of those that have any: where it is one, the sum is that
  Label label = kNobodyLabel;                  // since
  uint64_t since = 0;
  auto begin = begins.begin(), end = ends.begin();
  while (end != ends.end()) {
    const uint64_t place = begin == begins.end() ? end_of(*end) : std::min(parts[*begin].extent.offset, end_of(*end));
    for (; begin != begins.end() && parts[*begin].extent.offset == place; ++begin) {
      if (open[parts[*begin].label]++ == 0) ++labels, sum += parts[*begin].label;
    }
    for (; end != ends.end() && end_of(*end) == place; ++end) {
      if (--open[parts[*end].label] == 0) --labels, sum -= parts[*end].label;
    }
    const Label now = labels == 0 ? kNobodyLabel : labels == 1 ? static_cast<Label>(sum) : kSeveralLabel;
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
