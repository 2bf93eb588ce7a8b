// Merging in tests, with what must hold for every result.
#ifndef PTEEDIT_TESTS_SUPPORT_MERGE_FILES_H_
#define PTEEDIT_TESTS_SUPPORT_MERGE_FILES_H_

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "pteedit/merge.h"
#include "split_files.h"

namespace pteedit::test {

struct MergeFiles {
  std::vector<FileSet> sets;        // each with the shared file, if it needs it, and its own
  std::optional<Container> shared;  // the first, where there are several
  std::vector<Container> shards;
  MergeResult result;

  // The sets as inputs of another merge.
  std::vector<MergeSet> AsInputs() const {
    std::vector<MergeSet> inputs;
    for (size_t i = 0; i < sets.size(); ++i) {
      const std::string number = std::to_string(i);
      inputs.push_back({{sets[i].program, sets[i].data}, "program" + number, "data" + number});
    }
    return inputs;
  }

  uint64_t size() const {
    uint64_t bytes = 0;
    for (const PlannedFile& file : result.shared) bytes += file.size();
    for (const MergedProgram& program : result.programs) {
      bytes += program.program.size() + (program.data ? program.data->size() : 0);
    }
    return bytes;
  }
};

inline MergeSet SetOf(const Container& program, const std::vector<Container>& data = {}) {
  return {{program, data}, "out/" + program.name(), "out/" + program.name() + ".ptd"};
}

inline uint64_t SizeOf(const std::vector<MergeSet>& sets) {
  std::set<const Source*> sources;
  for (const MergeSet& set : sets) {
    sources.insert(set.files.file().source().get());
    for (const Container& file : set.files.data()) sources.insert(file.source().get());
  }
  uint64_t bytes = 0;
  for (const Source* source : sources) bytes += source->size();
  return bytes;
}

// No key twice among the files that are loaded together.
inline void ExpectDisjointKeys(const FileSet& files) {
  std::vector<std::string> keys = KeysOf(files.program);
  for (const Container& file : files.data) {
    EXPECT_FALSE(file.named_data().empty()) << file.name() << " has no keys; the runtime refuses it";
    const std::vector<std::string> more = KeysOf(file);
    keys.insert(keys.end(), more.begin(), more.end());
  }
  std::sort(keys.begin(), keys.end());
  const auto twice = std::adjacent_find(keys.begin(), keys.end());
  EXPECT_TRUE(twice == keys.end()) << "key '" << *twice << "' is in two files";
}

// Bytes of tables: in a program of one method and in its data file.
inline constexpr uint64_t kMostOfABinding = 512;

// Merges and checks that every set means what it meant and nothing has grown.
inline MergeFiles Merge(const std::vector<MergeSet>& sets, const MergeOptions& options = {}) {
  auto result = MergePrograms(sets, options);
  EXPECT_TRUE(result) << Words(result);
  MergeFiles merged{{}, std::nullopt, {}, *std::move(result)};
  for (const PlannedFile& file : merged.result.shared) merged.shards.push_back(Opened(file, options.shared_name));
  if (!merged.shards.empty()) merged.shared = merged.shards.front();
  for (size_t i = 0; i < sets.size(); ++i) {
    const MergedProgram& program = merged.result.programs[i];
    FileSet files{Opened(program.program, sets[i].program_name), {}};
    for (const size_t base : program.bases) files.data.push_back(options.bases[base]);
    for (const size_t shard : program.shared) files.data.push_back(merged.shards[shard]);
    if (program.data) files.data.push_back(Opened(*program.data, sets[i].data_name));
    ExpectSameModel({sets[i].files.file(), sets[i].files.data()}, files);
    ExpectDisjointKeys(files);
    merged.sets.push_back(std::move(files));
  }
  if (!options.min_bytes && !options.previous && !options.max_shard_bytes && options.match.empty() &&
      options.min_alignment == MergeOptions().min_alignment) {
    EXPECT_LE(merged.size(), SizeOf(sets) + kMostOfABinding * merged.result.report.bindings.size());
  }
  return merged;
}

// Of all shards.
inline std::vector<std::string> SharedKeys(const MergeFiles& merged) {
  std::vector<std::string> keys;
  for (const Container& shard : merged.shards) {
    const std::vector<std::string> more = KeysOf(shard);
    keys.insert(keys.end(), more.begin(), more.end());
  }
  return keys;
}

// Why what the report calls so stayed.
inline std::string ReasonFor(const MergeFiles& merged, const std::string& name) {
  for (const SkippedItem& item : merged.result.report.skipped) {
    if (item.name == name) return item.reason;
  }
  return "not skipped";
}

}  // namespace pteedit::test

#endif  // PTEEDIT_TESTS_SUPPORT_MERGE_FILES_H_
