#include "merge_laws.h"

#include <algorithm>
#include <optional>
#include <set>

#include "pteedit/same.h"
#include "pteedit/verify.h"
#include "test_files.h"
#include "verify_laws.h"

namespace pteedit::test {
namespace {

std::string Words(const Error& error) { return error.file + ": " + error.message; }

FileBytes BytesOf(const PlannedFile& plan) {
  FileBytes bytes(plan.size());
  const Status status = plan.AsSource("plan")->Read(0, {bytes.data(), bytes.size()});
  EXPECT_TRUE(status) << (status ? "" : status.error().message);
  return bytes;
}

Container Open(const FileBytes& bytes, const std::string& name) {
  auto file = Container::Open(MakeMemorySource(name, bytes));
  EXPECT_TRUE(file) << (file ? "" : Words(file.error()));
  return *file;
}

std::vector<MergeSet> Opened(const Family& family) {
  std::vector<MergeSet> sets;
  for (const Files& files : family) {
    const std::string name = "set" + std::to_string(sets.size());
    MergeSet set{Open(files.program, name + ".pte"), {}, name, name + ".ptd"};
    for (const FileBytes& data : files.data) {
      set.data.push_back(Open(data, name + "-" + std::to_string(set.data.size()) + ".ptd"));
    }
    sets.push_back(std::move(set));
  }
  return sets;
}

struct MergedFamily {
  Family family;  // each with the shared file, if there is one, and its own
  std::optional<FileBytes> shared;
  std::vector<FileBytes> needed;  // what is written: shared, programs, own data
};

struct Attempt {
  std::optional<MergedFamily> merged;
  std::string problem;  // empty where the merge was refused for a reason
};

bool HasDamage(const std::vector<MergeSet>& sets) {
  return std::any_of(sets.begin(), sets.end(),
                     [](const MergeSet& set) { return HasErrors(*VerifyOpened(set.program, set.data, {})); });
}

Attempt TryMerge(const std::vector<MergeSet>& sets, const MergeOptions& options) {
  const Result<MergeResult> result = MergePrograms(sets, options);
  if (!result) {
    // What is shared would spread the damage of one set to others.
    const bool spreads = result.error().message.starts_with("would get an error") && HasDamage(sets);
    const bool refused = result.error().code == ErrorCode::kUnsupported || spreads;
    return {std::nullopt, refused ? "" : "merge: " + Words(result.error())};
  }
  MergedFamily merged;
  if (result->shared) merged.needed.push_back(*(merged.shared = BytesOf(*result->shared)));
  for (const MergedProgram& program : result->programs) {
    Files files{BytesOf(program.program), {}, 16};
    merged.needed.push_back(files.program);
    if (merged.shared) files.data.push_back(*merged.shared);
    if (program.data) merged.needed.push_back(files.data.emplace_back(BytesOf(*program.data)));
    merged.family.push_back(std::move(files));
  }
  return {std::move(merged), ""};
}

bool IsKey(const std::string& line) { return line.starts_with("key '"); }

// The shared file has keys of other sets too.
Lines WithoutOtherKeys(const Lines& lines, const Lines& known) {
  const std::set<std::string> wanted(known.begin(), known.end());
  Lines kept;
  std::copy_if(lines.begin(), lines.end(), std::back_inserter(kept),
               [&](const std::string& line) { return !IsKey(line) || wanted.count(line) != 0; });
  return kept;
}

// Digests of all bytes that tensors, keys and blobs have.
void AddContents(const Lines& lines, std::set<std::string>& contents) {
  for (const std::string& line : lines) {
    const size_t equals = line.find(" = ");
    if (IsKey(line) || line.substr(0, equals).ends_with(".bytes")) contents.insert(line.substr(equals));
  }
}

std::string CheckMeaning(const Files& before, const Files& after) {
  const Lines meaning = ReadIndependently(before.program, before.data, Detail::kMeaning);
  const Lines merged = ReadIndependently(after.program, after.data, Detail::kMeaning);
  std::string problem = FirstDifference(meaning, WithoutOtherKeys(merged, meaning));
  if (!problem.empty()) return "after the merge:\n" + problem;
  std::vector<Container> data;
  for (const FileBytes& file : after.data) data.push_back(Open(file, "data"));
  const Result<JoinResult> joined = JoinProgram(Open(after.program, "merged"), data, {});
  if (!joined) return joined.error().code == ErrorCode::kUnsupported ? "" : "join: " + Words(joined.error());
  const Lines whole = ReadIndependently(BytesOf(joined->program), {}, Detail::kMeaning);
  problem = FirstDifference(meaning, WithoutOtherKeys(whole, meaning));
  return problem.empty() ? "" : "after the join:\n" + problem;
}

std::string FirstDifferent(const Family& a, const Family& b) {
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i].program != b[i].program) return "program " + std::to_string(i) + " has other bytes";
    if (a[i].data != b[i].data) return "data of program " + std::to_string(i) + " has other bytes";
  }
  return "";
}

uint64_t SizeOf(const std::vector<FileBytes>& files) {
  uint64_t size = 0;
  for (const FileBytes& file : files) size += file.size();
  return size;
}

std::string Sizes(const std::vector<FileBytes>& files) {
  std::string sizes;
  for (const FileBytes& file : files) sizes += " " + std::to_string(file.size());
  return sizes;
}

// Opens what a merge gave, the shared file once.
std::vector<MergeSet> Reopened(const MergedFamily& merged) {
  std::vector<MergeSet> sets = Opened(merged.family);
  if (!merged.shared) return sets;
  const Container shared = Open(*merged.shared, "shared.ptd");
  for (MergeSet& set : sets) set.data.front() = shared;
  return sets;
}

// The set before has the shared file too, so that both sides have the keys of other sets. Where one of its keys meant
// other bytes before, that cannot be; then all counts but keys, which are compared last.
std::string CheckSame(const MergeSet& before, const MergeSet& after, bool has_shared) {
  const Result<JoinResult> joined = JoinProgram(after.program, after.data, {});
  if (!joined) return "join: " + Words(joined.error());
  std::vector<Container> data = before.data;
  if (has_shared) data.push_back(after.data.front());
  const Container whole = Open(BytesOf(joined->program), "joined");
  auto difference = FindDifference(before.program, data, whole, {});
  if (!difference && difference.error().code == ErrorCode::kInvalidArgument) {
    difference = FindDifference(before.program, before.data, whole, {});
    if (difference && *difference && (*difference)->where.starts_with("key ")) return "";
  }
  if (!difference) return Words(difference.error());
  return *difference ? (*difference)->where + ": " + (*difference)->message : "";
}

}  // namespace

std::string MergeKeepsTheMeaning(const Family& family, const MergeOptions& options) {
  const Attempt attempt = TryMerge(Opened(family), options);
  if (!attempt.merged) return attempt.problem;
  std::set<std::string> before, after;
  for (size_t i = 0; i < family.size(); ++i) {
    const Files& merged = attempt.merged->family[i];
    std::string problem = CheckMeaning(family[i], merged);
    if (!problem.empty()) return "set " + std::to_string(i) + " " + problem;
    const Lines meaning = ReadIndependently(family[i].program, family[i].data, Detail::kMeaning);
    AddContents(meaning, before);
    AddContents(WithoutOtherKeys(ReadIndependently(merged.program, merged.data, Detail::kMeaning), meaning), after);
  }
  for (const std::string& content : before) {
    if (after.count(content) == 0) return "the outputs lack " + content;
  }
  for (const std::string& content : after) {
    if (before.count(content) == 0) return "the inputs lack " + content;
  }
  return "";
}

std::string MergeDependsOnContentsAlone(const Family& family, const MergeOptions& options) {
  const Attempt forwards = TryMerge(Opened(family), options);
  if (!forwards.merged) return forwards.problem;
  const Attempt backwards = TryMerge(Opened({family.rbegin(), family.rend()}), options);
  if (!backwards.merged) return "is refused in the other order";
  std::string problem =
      FirstDifferent(forwards.merged->family, {backwards.merged->family.rbegin(), backwards.merged->family.rend()});
  if (!problem.empty()) return "in the other order " + problem;
  const Attempt again = TryMerge(Reopened(*forwards.merged), options);
  if (!again.merged) return "the outputs cannot be merged: " + again.problem;
  problem = FirstDifferent(forwards.merged->family, again.merged->family);
  return problem.empty() ? "" : "merged again " + problem;
}

std::string MergeAndJoinIsTheSame(const Family& family, const MergeOptions& options) {
  const Attempt attempt = TryMerge(Opened(family), options);
  if (!attempt.merged) return attempt.problem;
  const std::vector<MergeSet> before = Opened(family), after = Reopened(*attempt.merged);
  for (size_t i = 0; i < family.size(); ++i) {
    std::string problem = CheckSame(before[i], after[i], attempt.merged->shared.has_value());
    if (!problem.empty()) return "set " + std::to_string(i) + ": " + problem;
  }
  return "";
}

std::string MergeStaysClean(const Family& family, const MergeOptions& options) {
  const Attempt attempt = TryMerge(Opened(family), options);
  if (!attempt.merged) return attempt.problem;
  for (size_t i = 0; i < family.size(); ++i) {
    std::string problem = StaysClean(family, attempt.merged->family[i]);
    if (!problem.empty()) return "set " + std::to_string(i) + " merged: " + problem;
  }
  return "";
}

std::string MergeNeverGrows(const Family& family, const MergeOptions& options) {
  const Attempt attempt = TryMerge(Opened(family), options);
  if (!attempt.merged) return attempt.problem;
  std::vector<FileBytes> inputs;
  for (const Files& files : family) {
    inputs.push_back(files.program);
    inputs.insert(inputs.end(), files.data.begin(), files.data.end());
  }
  const uint64_t before = SizeOf(inputs), after = SizeOf(attempt.merged->needed);
  if (after <= before) return "";
  return "inputs have" + Sizes(inputs) + " bytes, outputs" + Sizes(attempt.merged->needed);
}

}  // namespace pteedit::test
