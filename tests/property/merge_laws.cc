#include "merge_laws.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>

#include "delegates/listed_keys.h"
#include "edit/model.h"
#include "edit/mover.h"
#include "file_contents.h"
#include "program/binding_key.h"
#include "program/constants.h"
#include "program/container_state.h"
#include "program/content_key.h"
#include "program/key_search.h"
#include "pteedit/same.h"
#include "pteedit/verify.h"
#include "test_files.h"
#include "verify_laws.h"

namespace pteedit::test {
namespace {

std::vector<MergeSet> Opened(const Family& family) {
  std::vector<MergeSet> sets;
  for (const Files& files : family) {
    const std::string name = "set" + std::to_string(sets.size());
    std::vector<Container> data;
    for (const FileBytes& bytes : files.data)
      data.push_back(OpenedBytes(bytes, name + "-" + std::to_string(data.size()) + ".ptd"));
    sets.push_back({{OpenedBytes(files.program, name + ".pte"), std::move(data)}, name, name + ".ptd"});
  }
  return sets;
}

// Without the data files to which their program does not refer.
Family UsedParts(Family family) {
  for (Files& files : family) {
    std::vector<Container> data;
    for (const FileBytes& bytes : files.data) data.push_back(OpenedBytes(bytes, "data"));
    const auto referred = FindReferredData({OpenedBytes(files.program, "program"), data});
    std::vector<FileBytes> used;
    for (size_t i = 0; i < data.size(); ++i) {
      if ((*referred)[i]) used.push_back(files.data[i]);
    }
    files.data = std::move(used);
  }
  return family;
}

struct MergedFamily {
  Family family;  // each with the shared file, if there is one, and its own
  std::vector<FileBytes> shared;
  std::vector<FileBytes> needed;  // what is written: shared, programs, own data
};

struct Attempt {
  std::optional<MergedFamily> merged;
  std::string problem;   // empty where the merge was refused for a reason
  bool spreads = false;  // damage of one set to others: that reason
};

bool HasDamage(const std::vector<MergeSet>& sets) {
  return std::any_of(sets.begin(), sets.end(),
                     [](const MergeSet& set) { return HasErrors(*VerifyOpened(set.files, {})); });
}

Attempt TryMerge(const std::vector<MergeSet>& sets, const MergeOptions& options) {
  const Result<MergeResult> result = MergePrograms(sets, options);
  if (!result) {
    // What is shared would spread the damage of one set to others.
    const bool spreads = result.error().message.starts_with("would get an error") && HasDamage(sets);
    const bool refused = result.error().code == ErrorCode::kUnsupported || spreads;
    return {std::nullopt, refused ? "" : "merge: " + Words(result.error()), spreads};
  }
  MergedFamily merged;
  for (const PlannedFile& file : result->shared) merged.shared.push_back(BytesOf(file));
  merged.needed = merged.shared;
  for (const MergedProgram& program : result->programs) {
    Files files{BytesOf(program.program), {}, 16};
    merged.needed.push_back(files.program);
    files.data = merged.shared;
    for (const size_t base : program.bases) files.data.push_back(BytesOf(options.bases[base]));
    if (program.data) merged.needed.push_back(files.data.emplace_back(BytesOf(*program.data)));
    merged.family.push_back(std::move(files));
  }
  return {std::move(merged), "", false};
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

// Whether a delegate may ask for keys unseen, so that a join takes all those that do not tell their content.
bool HasUnlistedDelegate(const Container& program) { return !ListKeysOfDelegates(program)->unlisted.empty(); }

bool TellsItsContent(std::string_view key) { return IsContentKey(key) || IsSha256Key(key); }

// "k" of "key 'k' = 3 bytes #ab".
std::string_view KeyIn(std::string_view line) { return line.substr(5, line.find("' = ") - 5); }

// What of a line about a key a law can hold a join to. Where a delegate may ask for keys unseen, one that tells no
// content may come along or not; and one that is mentioned may come from another set where its own lacks it.
enum class Held { kNeeded, kForeign };

Lines Certain(Held held, const Lines& lines, const Container& program) {
  if (!HasUnlistedDelegate(program)) return lines;
  std::vector<std::string_view> keys;
  for (const std::string& line : lines) {
    if (IsKey(line)) keys.push_back(KeyIn(line));
  }
  const auto asked = FindAskedKeys(program, keys);
  Lines kept;
  std::copy_if(lines.begin(), lines.end(), std::back_inserter(kept), [&](const std::string& line) {
    if (!IsKey(line)) return true;
    const bool is_asked = asked->keys.count(KeyIn(line)) != 0;
    return held == Held::kNeeded ? is_asked || TellsItsContent(KeyIn(line)) : !is_asked && TellsItsContent(KeyIn(line));
  });
  return kept;
}

// That a join brought back what a join of the set itself brings, and no key of another set.
std::string CheckJoined(const Files& before, const Lines& whole) {
  std::vector<Container> data;
  for (const FileBytes& file : before.data) data.push_back(OpenedBytes(file, "data"));
  const Container program = OpenedBytes(before.program, "before");
  const Result<JoinResult> joined = JoinProgram({program, data}, {});
  if (!joined) return "join of the input: " + Words(joined.error());
  const Lines expected =
      Certain(Held::kNeeded, ReadIndependently(BytesOf(joined->program), {}, Detail::kMeaning), program);
  std::string problem = FirstDifference(expected, WithoutOtherKeys(Certain(Held::kNeeded, whole, program), expected));
  if (!problem.empty()) return "after the join:\n" + problem;
  const Lines meaning = ReadIndependently(before.program, before.data, Detail::kMeaning);
  const Lines found = Certain(Held::kForeign, whole, program);
  problem = FirstDifference(WithoutOtherKeys(found, meaning), found);
  return problem.empty() ? "" : "the join took what is not its own:\n" + problem;
}

std::string CheckMeaning(const Files& before, const Files& after) {
  const Lines meaning = ReadIndependently(before.program, before.data, Detail::kMeaning);
  const Lines merged = ReadIndependently(after.program, after.data, Detail::kMeaning);
  std::string problem = FirstDifference(meaning, WithoutOtherKeys(merged, meaning));
  if (!problem.empty()) return "after the merge:\n" + problem;
  std::vector<Container> data;
  for (const FileBytes& file : after.data) data.push_back(OpenedBytes(file, "data"));
  const Result<JoinResult> joined = JoinProgram({OpenedBytes(after.program, "merged"), data}, {});
  if (!joined) return joined.error().code == ErrorCode::kUnsupported ? "" : "join: " + Words(joined.error());
  return CheckJoined(before, ReadIndependently(BytesOf(joined->program), {}, Detail::kMeaning));
}

std::string FirstDifferent(const Family& a, const Family& b) {
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i].program != b[i].program) return "program " + std::to_string(i) + " has other bytes";
    if (a[i].data != b[i].data) return "data of program " + std::to_string(i) + " has other bytes";
  }
  return "";
}

Family WithDataBackwards(Family family) {
  for (Files& files : family) std::reverse(files.data.begin(), files.data.end());
  return family;
}

Lines SharedLines(const MergedFamily& merged) {
  Lines lines;
  for (const FileBytes& file : merged.shared) {
    const Lines more = ReadDataIndependently(file);
    lines.insert(lines.end(), more.begin(), more.end());
  }
  return lines;
}

std::set<uint64_t> AlignmentsIn(const Family& family) {
  std::set<uint64_t> alignments;
  for (const Files& files : family) {
    const Container program = OpenedBytes(files.program, "program");
    Mover mover(*ReadProgramModel(program));
    for (const Constant& constant : CollectConstants(program)) alignments.insert(mover.AlignmentOfConstant(constant));
    std::vector<FileBytes> all = files.data;
    all.push_back(files.program);
    for (const FileBytes& bytes : all) {
      for (const uint64_t alignment : ShownAlignments(OpenedBytes(bytes, "file"))) alignments.insert(alignment);
    }
  }
  return alignments;
}

// Alignments are kept, so rounder copies of what is shared may move it.
bool IsRounder(const Files& files, const Family& before) {
  const std::set<uint64_t> now = AlignmentsIn({files}), old = AlignmentsIn(before);
  return !now.empty() && !old.empty() && *now.rbegin() > *old.begin();
}

// Of files with the same entries the smallest is taken.
bool BringsTheSame(const Files& files, const std::vector<FileBytes>& shared) {
  return shared.size() == 1 && std::find(files.data.begin(), files.data.end(), shared.front()) != files.data.end();
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

std::vector<Container> OpenShared(const MergedFamily& merged) {
  std::vector<Container> shared;
  for (const FileBytes& file : merged.shared) shared.push_back(OpenedBytes(file, "shared.ptd"));
  return shared;
}

// Opens what a merge gave, the shared files once.
std::vector<MergeSet> Reopened(const MergedFamily& merged) {
  std::vector<MergeSet> sets = Opened(merged.family);
  const std::vector<Container> shared = OpenShared(merged);
  for (MergeSet& set : sets) {
    std::vector<Container> data = set.files.data();
    std::copy(shared.begin(), shared.end(), data.begin());
    set.files = {set.files.file(), std::move(data)};
  }
  return sets;
}

// Opens the bases among the data files of these sets once.
void WithBases(std::vector<MergeSet>& sets, const std::vector<Container>& bases) {
  for (MergeSet& set : sets) {
    std::vector<Container> data = set.files.data();
    for (Container& file : data) {
      for (const Container& base : bases) {
        if (BytesOf(file) == BytesOf(base)) file = base;
      }
    }
    set.files = {set.files.file(), std::move(data)};
  }
}

std::string CheckSame(const MergeSet& before, const MergeSet& after) {
  const Result<JoinResult> joined = JoinProgram(after.files, {});
  if (!joined) return "join: " + Words(joined.error());
  const auto difference = FindDifference(before.files, OpenedBytes(BytesOf(joined->program), "joined"));
  if (!difference) return Words(difference.error());
  if (*difference && (*difference)->where.starts_with("key ")) {
    const std::string line = (*difference)->where + " = ";
    const bool is_foreign = (*difference)->message == "only the other has it";
    if (Certain(is_foreign ? Held::kForeign : Held::kNeeded, {line}, before.files.file()).empty()) return "";
  }
  return *difference ? (*difference)->where + ": " + (*difference)->message : "";
}

}  // namespace

std::string MergeKeepsTheMeaning(const Family& given, const MergeOptions& options) {
  const Family family = UsedParts(given);
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

std::string MergeDependsOnContentsAlone(const Family& given, const MergeOptions& options) {
  const Family family = UsedParts(given);
  const Attempt forwards = TryMerge(Opened(family), options);
  if (!forwards.merged) return forwards.problem;
  const Attempt backwards = TryMerge(Opened({family.rbegin(), family.rend()}), options);
  if (!backwards.merged) return "is refused in the other order";
  std::string problem =
      FirstDifferent(forwards.merged->family, {backwards.merged->family.rbegin(), backwards.merged->family.rend()});
  if (!problem.empty()) return "in the other order " + problem;
  const Attempt other_files = TryMerge(Opened(WithDataBackwards(family)), options);
  if (!other_files.merged) return "is refused with data files in another order";
  problem = FirstDifferent(forwards.merged->family, other_files.merged->family);
  if (!problem.empty()) return "with data files in another order " + problem;
  const Attempt with_unused = TryMerge(Opened(given), options);
  if (!with_unused.merged) return "is refused with data files that no program refers to";
  problem = FirstDifferent(forwards.merged->family, with_unused.merged->family);
  if (!problem.empty()) return "with data files that no program refers to " + problem;
  const Attempt again = TryMerge(Reopened(*forwards.merged), options);
  if (again.spreads) return "";
  if (!again.merged) return "the outputs cannot be merged: " + again.problem;
  problem = FirstDifferent(forwards.merged->family, again.merged->family);
  return problem.empty() ? "" : "merged again " + problem;
}

std::string MergeGrowsInPlace(const Family& family, const MergeOptions& options) {
  const Family before(family.begin(), std::prev(family.end()));
  const Attempt small = TryMerge(Opened(before), options), large = TryMerge(Opened(family), options);
  if (!small.merged || !large.merged) return small.merged ? large.problem : small.problem;
  if (SharedLines(*small.merged) != SharedLines(*large.merged)) return "";
  for (size_t i = 0; i < before.size(); ++i) {
    const Files &old = small.merged->family[i], &now = large.merged->family[i];
    const std::string set = std::to_string(i);
    if (old.program != now.program) return "program " + set + " has other bytes";
    if (old.data.size() != now.data.size()) return "set " + set + " has another number of data files";
    const bool has_own = old.data.size() > small.merged->shared.size();
    if (has_own && old.data.back() != now.data.back()) return "data of set " + set + " has other bytes";
  }
  const bool may_differ = IsRounder(family.back(), before) || BringsTheSame(family.back(), large.merged->shared);
  return may_differ || small.merged->shared == large.merged->shared ? "" : "the shared file has other bytes";
}

std::string MergeAgainstABase(const Family& given, const MergeOptions& options) {
  const Attempt others = TryMerge(Opened({given.begin(), std::prev(given.end())}), options);
  if (!others.merged) return others.problem;
  MergeOptions against = options;
  for (const FileBytes& shared : others.merged->shared) against.bases.push_back(OpenedBytes(shared, "base.ptd"));
  const Family last = UsedParts({given.back()});
  const Attempt attempt = TryMerge(Opened(last), against);
  if (!attempt.merged) return attempt.problem;
  std::string problem = CheckMeaning(last.front(), attempt.merged->family.front());
  if (problem.empty()) problem = StaysClean(last, attempt.merged->family.front());
  if (!problem.empty()) return "against a base " + problem;
  std::vector<MergeSet> outputs = Opened(attempt.merged->family);
  WithBases(outputs, against.bases);
  const Attempt again = TryMerge(outputs, against);
  if (!again.merged) return "the outputs cannot be merged against the base: " + again.problem;
  problem = FirstDifferent(attempt.merged->family, again.merged->family);
  return problem.empty() ? "" : "merged against the base again " + problem;
}

namespace {

// With what came of another merge as the release before.
MergeOptions After(const MergedFamily& merged, MergeOptions options) {
  options.previous.emplace();
  options.previous->shared = OpenShared(merged);
  for (const MergeSet& set : Opened(merged.family)) {
    std::vector<Container> own = set.files.data();
    own.erase(own.begin(), own.begin() + static_cast<std::ptrdiff_t>(merged.shared.size()));
    options.previous->variants.emplace_back(set.files.file(), std::move(own));
  }
  return options;
}

// Whether entries of one key have the same contents.
bool AreEqual(const Container& a, const NamedEntry& one, const Container& b, const NamedEntry& other) {
  const FileBytes bytes = BytesOf(a), others = BytesOf(b);
  const auto begin = bytes.begin() + static_cast<std::ptrdiff_t>(one.extent.offset);
  const auto other_begin = others.begin() + static_cast<std::ptrdiff_t>(other.extent.offset);
  return one.extent.size == other.extent.size &&
         std::equal(begin, begin + static_cast<std::ptrdiff_t>(one.extent.size), other_begin);
}

// That entries with the contents that they had before are where they were, as far behind the segment base, in their
// order.
std::string CheckPlaces(const Container& before, const Container& after) {
  size_t next = 0;
  for (const NamedEntry& entry : before.named_data()) {
    const auto now = std::find_if(after.named_data().begin(), after.named_data().end(),
                                  [&](const NamedEntry& other) { return other.key == entry.key; });
    if (now == after.named_data().end() || !AreEqual(before, entry, after, *now)) continue;
    const auto index = static_cast<size_t>(now - after.named_data().begin());
    if (index < next) return "key '" + std::string(entry.key) + "' is out of order";
    next = index + 1;
    const uint64_t place = entry.extent.offset - before.header().segment_base_offset;
    if (entry.extent.size != 0 && now->extent.offset - after.header().segment_base_offset != place)
      return "key '" + std::string(entry.key) + "' has another place";
  }
  return "";
}

}  // namespace

std::string MergeKeepsPlaces(const Family& given, const MergeOptions& options) {
  const Attempt before = TryMerge(Opened({given.begin(), std::prev(given.end())}), options);
  if (!before.merged || before.merged->shared.empty()) return before.problem;
  const Family family = UsedParts(given);
  const MergeOptions next = After(*before.merged, options);
  const Attempt now = TryMerge(Opened(family), next);
  if (!now.merged) return now.problem;
  for (size_t i = 0; i < family.size(); ++i) {
    std::string problem = CheckMeaning(family[i], now.merged->family[i]);
    if (problem.empty()) problem = StaysClean(family, now.merged->family[i]);
    if (!problem.empty()) return "set " + std::to_string(i) + " " + problem;
  }
  const std::vector<Container> old_files = OpenShared(*before.merged), files = OpenShared(*now.merged);
  const bool is_rounder = IsRounder(family.back(), {given.begin(), std::prev(given.end())});
  for (size_t i = 0; !is_rounder && i < std::min(old_files.size(), files.size()); ++i) {
    std::string problem = CheckPlaces(old_files[i], files[i]);
    if (!problem.empty()) return "shared file " + std::to_string(i) + ": " + problem;
  }
  const Attempt backwards = TryMerge(Opened({family.rbegin(), family.rend()}), next);
  if (!backwards.merged) return "is refused in the other order";
  std::string problem =
      FirstDifferent(now.merged->family, {backwards.merged->family.rbegin(), backwards.merged->family.rend()});
  if (!problem.empty()) return "in the other order " + problem;
  const Attempt again = TryMerge(Opened(family), After(*now.merged, options));
  if (!again.merged) return "is refused after itself";
  problem = FirstDifferent(now.merged->family, again.merged->family);
  return problem.empty() ? "" : "after itself " + problem;
}

std::string ShardsAreSmallEnough(const Family& given, const MergeOptions& options) {
  const Family family = UsedParts(given);
  const Result<MergeResult> whole = MergePrograms(Opened(family), options);
  if (!whole || whole->shared.empty()) return "";
  MergeOptions limited = options;
  limited.max_shard_bytes = (whole->shared.front().size() + 1) / 2;
  const Result<MergeResult> cut = MergePrograms(Opened(family), limited);
  if (!cut) {
    const bool is_too_small = cut.error().message.find(" bytes in a file of its own, more than ") != std::string::npos;
    return is_too_small ? "" : "shards: " + Words(cut.error());
  }
  if (cut->shared.empty()) return "shards: there is none";
  for (const PlannedFile& shard : cut->shared) {
    if (shard.size() > *limited.max_shard_bytes) return "a shard is too large";
  }
  std::string problem = MergeKeepsTheMeaning(family, limited);
  std::set<size_t> needed;
  for (const MergedProgram& program : cut->programs) needed.insert(program.shared.begin(), program.shared.end());
  // One that holds only what nobody asked for is no part of the programs when they are merged again.
  if (problem.empty() && needed.size() == cut->shared.size()) problem = MergeDependsOnContentsAlone(family, limited);
  return problem.empty() ? "" : "with shards " + problem;
}

std::string MergeAndJoinIsTheSame(const Family& given, const MergeOptions& options) {
  const Family family = UsedParts(given);
  const Attempt attempt = TryMerge(Opened(family), options);
  if (!attempt.merged) return attempt.problem;
  const std::vector<MergeSet> before = Opened(family), after = Reopened(*attempt.merged);
  for (size_t i = 0; i < family.size(); ++i) {
    std::string problem = CheckSame(before[i], after[i]);
    if (!problem.empty()) return "set " + std::to_string(i) + ": " + problem;
  }
  return "";
}

std::string MergeStaysClean(const Family& given, const MergeOptions& options) {
  const Family family = UsedParts(given);
  const Attempt attempt = TryMerge(Opened(family), options);
  if (!attempt.merged) return attempt.problem;
  for (size_t i = 0; i < family.size(); ++i) {
    std::string problem = StaysClean(family, attempt.merged->family[i]);
    if (!problem.empty()) return "set " + std::to_string(i) + " merged: " + problem;
  }
  return "";
}

namespace {

// Data files of one set become one, in which what is aligned to less than 128 bytes gets the most that any of it has:
// as much padding for each segment of a less aligned file, and once for each file that ends where the next begins.
uint64_t MostPaddingOfJoining(const Files& files) {
  std::vector<uint64_t> alignments, segments;
  for (const FileBytes& bytes : files.data) {
    const Container data = OpenedBytes(bytes, "data");
    const std::vector<uint64_t> shown = ShownAlignments(data);
    if (shown.empty()) continue;
    alignments.push_back(*std::max_element(shown.begin(), shown.end()));
    segments.push_back(data.segments().size());
  }
  if (alignments.size() < 2) return 0;
  const uint64_t most = *std::max_element(alignments.begin(), alignments.end());
  uint64_t padding = 0;
  for (size_t i = 0; i < alignments.size(); ++i) padding += (alignments[i] < most ? segments[i] : 1) * most;
  return padding;
}

}  // namespace

namespace {

// What binds takes a little in the tables of the program, for each method, and in those of the data file. Both are then
// laid out anew, with the alignments that they had, so that segments and inline blobs may lie one padding further.
uint64_t MostBytesOfBinding(const Family& before, const MergedFamily& merged, const MergeOptions& options) {
  constexpr uint64_t kInMethod = 256, kInFiles = 512, kMostAlignment = 4096;
  uint64_t bytes = 0;
  for (size_t i = 0; i < before.size(); ++i) {
    const Files& files = merged.family[i];
    const Container program = OpenedBytes(files.program, "program");
    const schema::Program& root = program.state().program_root();
    // What came inside may take as much as binding its file would have.
    const size_t spared = options.bind != Bind::kNever && files.data.empty() ? before[i].data.size() : 0;
    const size_t bindings = BindingsOf(root).size() + spared;
    if (bindings == 0) continue;
    bytes += bindings * (kInFiles + kInMethod * OrEmpty(root.execution_plan()).size());
    bytes += kMostAlignment * ReadPlaces(files.program).inline_blobs.size();
    bytes += 2 * kMostAlignment * (1 + files.data.size());
  }
  return bytes;
}

}  // namespace

std::string MergeNeverGrows(const Family& family, const MergeOptions& options) {
  const Attempt attempt = TryMerge(Opened(family), options);
  if (!attempt.merged) return attempt.problem;
  std::vector<FileBytes> inputs;
  uint64_t padding = 0;
  for (const Files& files : family) {
    padding += MostPaddingOfJoining(files);
    inputs.push_back(files.program);
    inputs.insert(inputs.end(), files.data.begin(), files.data.end());
  }
  const uint64_t before = SizeOf(inputs), after = SizeOf(attempt.merged->needed);
  if (after <= before + padding + MostBytesOfBinding(family, *attempt.merged, options)) return "";
  return "inputs have" + Sizes(inputs) + " bytes, outputs" + Sizes(attempt.merged->needed);
}

}  // namespace pteedit::test
