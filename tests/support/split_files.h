// Splitting and joining in tests, with what must hold for every result.
#ifndef PTEEDIT_TESTS_SUPPORT_SPLIT_FILES_H_
#define PTEEDIT_TESTS_SUPPORT_SPLIT_FILES_H_

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "file_contents.h"
#include "program/binding_key.h"
#include "program/constants.h"
#include "program/content_key.h"
#include "pteedit/split.h"

namespace pteedit::test {

using Names = std::vector<std::string>;

// States too, which stay otherwise.
inline SplitOptions SplitEverything() {
  SplitOptions options;
  options.selection.mutables = true;
  return options;
}

// Under which a split writes a constant.
inline std::string KeyOf(const std::vector<uint8_t>& bytes, const TensorLayout& layout) {
  return ContentKey(Sha256Of(ByteSpan{bytes.data(), bytes.size()}), layout);
}

// A program with the data files that are loaded with it.
struct FileSet {
  Container program;
  std::vector<Container> data;

  const Container& inner() const { return program.program() != nullptr ? *program.program() : program; }
};

struct SplitFiles {
  FileSet files;  // the new data file, if any, comes last
  SplitResult result;

  bool has_data() const { return !result.data.empty(); }
  const Container& data() const { return files.data.back(); }
};

inline std::map<std::string, std::vector<uint8_t>> AllKeys(const FileSet& files) {
  std::map<std::string, std::vector<uint8_t>> keys = NamedBytes(files.program);
  for (const Container& file : files.data) keys.merge(NamedBytes(file));
  return keys;
}

inline std::vector<std::vector<uint8_t>> BlobsOf(const Container& program) {
  std::vector<std::vector<uint8_t>> blobs;
  for (const schema::ExecutionPlan* plan : OrEmpty(program.state().program_root().execution_plan())) {
    for (const schema::BackendDelegate* delegate : OrEmpty(plan->delegates())) {
      blobs.push_back(BytesOf(*program.source(), BlobExtent(program, *delegate)));
    }
  }
  return blobs;
}

// That two sets run alike: same methods, same bytes behind every tensor, blob and key of the first.
inline void ExpectSameModel(const FileSet& before, const FileSet& after) {
  EXPECT_TRUE(MethodsText(before.program) == MethodsText(after.program)) << "methods differ";
  EXPECT_EQ(StoredTensors(before.program, before.data), StoredTensors(after.program, after.data));
  EXPECT_TRUE(BlobsOf(before.inner()) == BlobsOf(after.inner())) << "blobs differ";
}

// Splits and checks that nothing is lost.
inline SplitFiles Split(const Container& program, const std::vector<Container>& data = {},
                        const SplitOptions& options = {}) {
  auto result = SplitProgram({program, data}, options);
  EXPECT_TRUE(result) << Words(result);
  SplitFiles split{{Opened(result->program, program.name()), data}, *std::move(result)};
  for (const size_t base : split.result.bases) split.files.data.push_back(options.bases[base]);
  for (const PlannedFile& file : split.result.data) split.files.data.push_back(Opened(file, options.data_name));
  const FileSet before{program, data};
  ExpectSameModel(before, split.files);
  const auto keys = AllKeys(split.files);
  for (const auto& [key, bytes] : AllKeys(before)) {
    EXPECT_TRUE(keys.count(key) != 0 && keys.at(key) == bytes) << "key '" << key << "' is lost";
  }
  return split;
}

inline Container Joined(const FileSet& files, const JoinOptions& options = {}) {
  auto result = JoinProgram({files.program, files.data}, options);
  EXPECT_TRUE(result) << Words(result);
  Container joined = Opened(result->program, options.program_name);
  ExpectSameModel(files, {joined, {}});
  return joined;
}

// Without what binds.
inline Names KeysOf(const Container& file) {
  Names keys;
  for (const NamedEntry& entry : file.named_data()) {
    if (!IsBindingEntry(entry)) keys.emplace_back(entry.key);
  }
  return keys;
}

inline Names NamesOf(const std::vector<MovedItem>& items) {
  Names names;
  for (const MovedItem& item : items) names.push_back(item.name);
  return names;
}

// "name: reason" of each.
inline Names ReasonsOf(const RewriteReport& report) {
  Names reasons;
  for (const SkippedItem& item : report.skipped) reasons.push_back(item.name + ": " + item.reason.str());
  return reasons;
}

}  // namespace pteedit::test

#endif  // PTEEDIT_TESTS_SUPPORT_SPLIT_FILES_H_
