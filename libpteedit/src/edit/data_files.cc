#include "edit/data_files.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "base/text.h"
#include "edit/plan.h"
#include "pteedit/try.h"

namespace pteedit {
namespace {

// Hands segments out from the first to the last, each file as many as it takes.
class DataFileFiller {
 public:
  DataFileFiller(DataModel more, const DataFileLimits& limits)
      : more_(std::move(more)), limits_(limits), entries_(more_.segments.size()) {
    const std::vector<tables::DataEntry>& entries = more_.tables.named_data.items;
    for (size_t i = 0; i < entries.size(); ++i) entries_[entries[i].segment_index].push_back(i);
  }

  bool done() const { return next_ == more_.segments.size(); }

  // Adds as many segments as fit, and none where not even one does. A file grows with them, so steps are doubled until
  // one is too long, and halved then: the tables of a file are packed a few times.
  Result<DataModel> Fill(const DataModel& file) {
    const size_t left = more_.segments.size() - next_;
    size_t count = limits_.max_bytes ? 0 : left, too_many = left + 1;
    for (size_t step = 1; count + 1 < too_many;) {
      const size_t larger = std::min(count + step, too_many - 1);
      PTEEDIT_ASSIGN(const uint64_t size, SizeOf(With(file, larger)));
      const bool fits = size <= *limits_.max_bytes;
      (fits ? count : too_many) = larger;
      step = fits ? step * 2 : std::max<size_t>(1, (too_many - count) / 2);
    }
    DataModel filled = With(file, count);
    next_ += count;
    return filled;
  }

  Result<uint64_t> SizeOf(const DataModel& file) const {
    PTEEDIT_ASSIGN(const PlannedFile planned, PlanFile(file, limits_.min_alignment));
    return SizeWhenBound(planned, limits_.bind, limits_.min_alignment, limits_.places);
  }

  Error NothingFits() const {
    const Result<uint64_t> alone = SizeOf(With({}, 1));
    if (!alone) return alone.error();
    const tables::DataEntry& entry = more_.tables.named_data.items[entries_[next_].front()];
    return InvalidArgument(Text("key ", Quoted(tables::ViewOf(entry.key)), " takes ", *alone,
                                " bytes in a file of its own, more than the ", limits_.max_bytes.value_or(0),
                                " that one may have"));
  }

 private:
  DataModel With(const DataModel& file, size_t count) const {
    DataModel filled = file;
    if (count == 0) return filled;
    filled.changed = true;
    const auto first = static_cast<uint32_t>(next_), base = static_cast<uint32_t>(filled.segments.size());
    std::vector<size_t> added;
    for (size_t i = next_; i < next_ + count; ++i) {
      filled.segments.push_back(more_.segments[i]);
      added.insert(added.end(), entries_[i].begin(), entries_[i].end());
    }
    std::sort(added.begin(), added.end());
    filled.tables.named_data.present = true;
    for (const size_t i : added) {
      filled.tables.named_data.items.push_back(more_.tables.named_data.items[i]);
      uint32_t& segment = filled.tables.named_data.items.back().segment_index;
      segment = segment - first + base;
    }
    return filled;
  }

  const DataModel more_;
  const DataFileLimits limits_;
  std::vector<std::vector<size_t>> entries_;  // by segment
  size_t next_ = 0;
};

Result<std::vector<DataModel>> Filled(std::vector<DataModel> models, DataModel more, const DataFileLimits& limits) {
  if (models.empty() && !limits.max_bytes && !more.segments.empty()) {
    more.changed = true;
    models.push_back(std::move(more));
    return models;
  }
  DataFileFiller filler(std::move(more), limits);
  if (!models.empty() && !filler.done()) {
    PTEEDIT_ASSIGN(models.back(), filler.Fill(models.back()));
  }
  while (!filler.done()) {
    PTEEDIT_ASSIGN(DataModel filled, filler.Fill({}));
    if (filled.segments.empty()) return filler.NothingFits();
    models.push_back(std::move(filled));
  }
  return models;
}

}  // namespace

Result<std::vector<PlannedFile>> PlanDataFiles(std::vector<DataModel> begun, DataModel more,
                                               const DataFileLimits& limits) {
  PTEEDIT_ASSIGN(const std::vector<DataModel> models, Filled(std::move(begun), std::move(more), limits));
  std::vector<PlannedFile> files;
  for (const DataModel& model : models) {
    PTEEDIT_ASSIGN(PlannedFile file, PlanFile(model, limits.min_alignment));
    files.push_back(std::move(file));
  }
  return files;
}

}  // namespace pteedit
