#include "merge/previous_contents.h"

#include <algorithm>

#include "edit/model.h"
#include "program/constants.h"
#include "program/container_state.h"
#include "program/file_set.h"
#include "pteedit/try.h"

namespace pteedit {
namespace {

constexpr uint64_t kMinOwnBytes = 64;  // shorter ones are equal by chance

}  // namespace

Result<PreviousContents> PreviousContents::List(const PreviousRelease& release, const std::set<uint64_t>& sizes) {
  PTEEDIT_TRY(CheckAreData(release.shared));
  PreviousContents contents;
  contents.shared_ = release.shared;
  for (const Container& file : release.shared) {
    PTEEDIT_TRY(CheckRewritable(file));
    if (file.header().layout_06) return Unsupported("is in the layout of release 0.6").In(file.name());
    std::vector<std::optional<size_t>>& entries = contents.entries_.emplace_back();
    for (const NamedEntry& entry : file.named_data()) {
      entries.emplace_back();
      if (sizes.count(entry.extent.size) != 0) entries.back() = contents.Add({file.source(), entry.extent});
    }
  }
  for (const ProgramSet& variant : release.variants) {
    PTEEDIT_TRY(CheckIsProgram(variant.file()));
    contents.ListVariant(variant, sizes);
  }
  return contents;
}

size_t PreviousContents::Add(const ContentPlace& place) {
  places_.push_back(place);
  return places_.size() - 1;
}

void PreviousContents::ListVariant(const ProgramSet& files, const std::set<uint64_t>& sizes) {
  std::vector<size_t>& places = variant_places_.emplace_back();
  const auto add = [&](const Container& file, Extent extent) {
    if (sizes.count(extent.size) != 0) places.push_back(Add({file.source(), extent}));
  };
  const Container& program = files.program();
  for (const Constant& constant : CollectConstants(program)) add(program, constant.extent);
  for (const NamedEntry& entry : program.named_data()) add(program, entry.extent);
  for (const Container& file : files.data()) {
    for (const NamedEntry& entry : file.named_data()) add(file, entry.extent);
  }
}

void PreviousContents::Number(const std::vector<std::optional<size_t>>& numbers,
                              const std::vector<std::set<size_t>>& sets) {
  for (std::vector<std::optional<size_t>>& entries : entries_) {
    for (std::optional<size_t>& entry : entries) {
      if (entry) entry = numbers[*entry];
      if (entry) shared_contents_.insert(*entry);
    }
  }
  std::map<size_t, size_t> holders;  // by content: how many variants have it
  for (const std::vector<size_t>& places : variant_places_) {
    std::map<size_t, uint64_t>& own = own_.emplace_back();
    for (const size_t place : places) {
      const std::optional<size_t> content = numbers[place];
      if (!content || WasShared(*content)) continue;
      if (own.emplace(*content, places_[place].extent.size).second) ++holders[*content];
      own_contents_.insert(*content);
    }
  }
  for (std::map<size_t, uint64_t>& own : own_) {
    std::erase_if(own, [&](const auto& content) {
      return content.second < kMinOwnBytes || holders[content.first] == own_.size();
    });
  }
  for (const std::set<size_t>& contents : sets) variants_of_sets_.push_back(VariantsIn(contents));
}

std::set<size_t> PreviousContents::VariantsIn(const std::set<size_t>& contents) const {
  std::set<size_t> variants;
  for (size_t i = 0; i < own_.size(); ++i) {
    uint64_t all = 0, held = 0;
    for (const auto& [content, bytes] : own_[i]) {
      all += bytes;
      if (contents.count(content) != 0) held += bytes;
    }
    if (held != 0 && held >= all - held) variants.insert(i);
  }
  return variants;
}

std::optional<size_t> PreviousContents::ContentOf(size_t file, size_t entry) const { return entries_[file][entry]; }

bool PreviousContents::AreOneVariant(const std::set<size_t>& sets) const {
  std::map<size_t, size_t> counts;  // by variant
  for (const size_t set : sets) {
    if (set >= variants_of_sets_.size()) return false;
    for (const size_t variant : variants_of_sets_[set]) ++counts[variant];
  }
  return std::any_of(counts.begin(), counts.end(), [&](const auto& count) { return count.second == sets.size(); });
}

}  // namespace pteedit
