// The laws of copy on generated programs and on the real ones of tests/data: what is edited back is as it was, and what
// an edit does not speak of stays.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "any_files.h"
#include "file_contents.h"
#include "manifest_files.h"
#include "pteedit/copy.h"
#include "pteedit/describe.h"
#include "pteedit/same.h"
#include "pteedit/strip.h"
#include "pteedit/verify.h"

namespace pteedit::test::copy_laws_test {
namespace {

// Of a program, or of the one in a bundle, which copy does not take.
Container ProgramOf(const Files& files, const std::string& name) {
  const Container file = OpenedBytes(files.program, name);
  return file.program() != nullptr ? *file.program() : file;
}

std::vector<std::string> MethodsOf(const Container& file) {
  std::vector<std::string> names;
  for (const MethodDescription& method : Describe(file).methods) names.push_back(method.name);
  return names;
}

bool HasEqualNames(const std::vector<std::string>& names) {
  return std::set<std::string>(names.begin(), names.end()).size() < names.size();
}

// "" where they are, or where that cannot be told.
std::string Difference(const Container& a, const Container& b, const std::string& what) {
  const auto found = FindDifference(a, b);
  if (!found || !*found) return "";
  return what + ": " + (*found)->where + ": " + (*found)->message;
}

// The result, or nothing and what is wrong: refusals of what no rewrite takes are fine.
std::optional<Container> Copied(const Container& file, const CopyOptions& options, std::string& problem) {
  const Result<CopyResult> copy = Copy(file, options);
  if (!copy) {
    if (copy.error().code != ErrorCode::kUnsupported) problem = "copy: " + copy.error().message;
    return std::nullopt;
  }
  if (!copy->changed && BytesOf(copy->file) != BytesOf(file)) problem = "nothing changed, but the bytes did";
  return *Container::Open(copy->file.AsSource(file.name()));
}

std::string KeepingAllIsTheInput(const Files& files) {
  const Container file = ProgramOf(files, "program");
  CopyOptions options;
  options.keep_methods = MethodsOf(file);
  if (options.keep_methods.empty()) return "";
  std::string problem;
  const auto kept = Copied(file, options, problem);
  if (!kept) return problem;
  return BytesOf(*kept) == BytesOf(file) ? "" : "keeping all methods gives other bytes";
}

constexpr char kPrefix[] = "other_";

// All methods get a prefix.
CopyOptions Renaming(const Container& file) {
  CopyOptions options;
  for (const std::string& method : MethodsOf(file)) options.rename_methods.emplace_back(method, kPrefix + method);
  return options;
}

std::string RenamingBackIsTheSame(const Files& files) {
  const Container file = ProgramOf(files, "program");
  if (HasEqualNames(MethodsOf(file))) return "";
  std::string problem;
  const auto renamed = Copied(file, Renaming(file), problem);
  if (!renamed) return problem;
  CopyOptions back = Renaming(file);
  for (auto& [from, to] : back.rename_methods) std::swap(from, to);
  const auto again = Copied(*renamed, back, problem);
  return again ? Difference(*again, file, "renamed back") : problem;
}

// Of each key by itself; many may not have another name.
std::string RenamingKeysBackIsTheSame(const Files& files, size_t& checked) {
  const Container file = ProgramOf(files, "program");
  for (const NamedEntry& entry : file.named_data()) {
    constexpr size_t kHash = 64;
    const std::string key(entry.key);
    CopyOptions there, back;
    there.rename_keys = {{key, key.size() < kHash ? kPrefix + key : "p_other_" + key.substr(key.size() - kHash)}};
    back.rename_keys = {{there.rename_keys[0].second, key}};
    const Result<CopyResult> renamed = Copy(file, there);
    if (!renamed) continue;
    std::string problem;
    const auto again = Copied(*Container::Open(renamed->file.AsSource("renamed")), back, problem);
    if (!again) return problem;
    problem = Difference(*again, file, "renamed back");
    if (!problem.empty()) return problem;
    ++checked;
  }
  return "";
}

std::string UpgradingTwiceIsUpgradingOnce(const Files& files) {
  const Container file = ProgramOf(files, "program");
  CopyOptions options;
  options.upgrade = true;
  std::string problem;
  const auto once = Copied(file, options, problem);
  if (!once) return problem;
  problem = Difference(*once, file, "upgraded");
  if (!problem.empty()) return problem;
  const auto twice = Copied(*once, options, problem);
  if (!twice) return problem;
  return BytesOf(*twice) == BytesOf(*once) ? "" : "upgrading again gives other bytes";
}

std::multiset<std::string> VerdictOn(const Container& file) {
  std::multiset<std::string> verdict;
  const auto all = VerifyOpened(file);
  if (!all) return verdict;
  for (const FileFindings& one : *all) {
    for (const Finding& finding : one.findings) verdict.insert(finding.id);
  }
  return verdict;
}

std::string SplatKeepsTheVerdictOn(const Container& file, const CopyOptions& options) {
  std::string problem;
  const auto without = Copied(file, options, problem);
  if (!without) return problem;
  return VerdictOn(*without) == VerdictOn(file) ? "" : file.name() + " has another verdict without its weights";
}

std::string SplatKeepsTheVerdict(const Files& files, const Splat& splat) {
  CopyOptions options;
  options.splat = splat;
  std::string problem = SplatKeepsTheVerdictOn(ProgramOf(files, "program"), options);
  for (size_t i = 0; i < files.data.size() && problem.empty(); ++i)
    problem = SplatKeepsTheVerdictOn(OpenedBytes(files.data[i], "data " + std::to_string(i)), options);
  return problem;
}

bool IsWhole(const Container& file) {
  const auto found = VerifyOpened(file);
  return found && !HasErrors(*found);
}

// What is left of `both` without the methods of `gone`, and without its keys, which may stay since apps read keys as
// well, is what `file` uses.
std::string IsIn(const Container& both, const Container& file, const Container& gone) {
  StripOptions used;
  used.debug = false;
  const Result<StripResult> wanted = Strip(file, used);
  if (!wanted) return "";
  CopyOptions rest;
  rest.remove_methods = MethodsOf(gone);
  std::set<std::string> own;
  for (const NamedEntry& entry : file.named_data()) own.emplace(entry.key);
  std::string problem;
  const auto left = Copied(both, rest, problem);
  if (!left) return problem;
  CopyOptions foreign;
  for (const NamedEntry& entry : left->named_data()) {
    if (own.count(std::string(entry.key)) == 0) foreign.remove_keys.emplace_back(entry.key);
  }
  const auto mine = Copied(*left, foreign, problem);
  return mine ? Difference(*mine, *Container::Open(wanted->file.AsSource("used")), file.name()) : problem;
}

// `checked` counts where they could be added.
std::string AddedMethodsComeOutAsTheyWentIn(const Files& files, const Files& others, size_t& checked) {
  const Container file = ProgramOf(files, "program"), plain = ProgramOf(others, "other");
  if (HasEqualNames(MethodsOf(file)) || HasEqualNames(MethodsOf(plain)) || MethodsOf(plain).empty()) return "";
  std::string problem;
  const auto other = Copied(plain, Renaming(plain), problem);
  if (!other) return problem;
  CopyOptions add;
  add.add_methods = {{*other, {}, {}}};
  const auto both = Copied(file, add, problem);
  if (!both) return problem;
  ++checked;
  if (IsWhole(file) && !MethodsOf(file).empty()) problem = IsIn(*both, file, *other);
  if (problem.empty() && IsWhole(*other)) problem = IsIn(*both, *other, file);
  return problem;
}

RC_GTEST_PROP(GeneratedCopy, KeepingAllIsTheInput, ()) { Holds(KeepingAllIsTheInput(AnyFiles())); }
RC_GTEST_PROP(GeneratedCopy, RenamingBackIsTheSame, ()) { Holds(RenamingBackIsTheSame(AnyFiles())); }
RC_GTEST_PROP(GeneratedCopy, RenamingKeysBackIsTheSame, ()) {
  size_t checked = 0;
  Holds(RenamingKeysBackIsTheSame(AnyFiles(), checked));
}
RC_GTEST_PROP(GeneratedCopy, UpgradingTwiceIsUpgradingOnce, ()) { Holds(UpgradingTwiceIsUpgradingOnce(AnyFiles())); }
RC_GTEST_PROP(GeneratedCopy, SplatKeepsTheVerdict, ()) {
  const Files files = AnyFiles();
  Holds(SplatKeepsTheVerdict(files, Splat{}));
  Holds(SplatKeepsTheVerdict(files, Splat{7}));
}
RC_GTEST_PROP(GeneratedCopy, AddedMethodsComeOutAsTheyWentIn, ()) {
  const Files files = AnyFiles();
  const Files others = AnyFiles();
  size_t checked = 0;
  Holds(AddedMethodsComeOutAsTheyWentIn(files, others, checked));
}

TEST(DataFilesCopy, HoldsTheLaws) {
  ForEachProgram(KeepingAllIsTheInput);
  ForEachProgram(RenamingBackIsTheSame);
  ForEachProgram(UpgradingTwiceIsUpgradingOnce);
}

TEST(DataFilesCopy, RenamingKeysBackIsTheSame) {
  size_t checked = 0;
  ForEachProgram([&](const Files& files) { return RenamingKeysBackIsTheSame(files, checked); });
  EXPECT_GT(checked, 100U);
}

TEST(DataFilesCopy, SplatKeepsTheVerdict) {
  for (const Splat& splat : {Splat{}, Splat{1}})
    ForEachProgram([&](const Files& files) { return SplatKeepsTheVerdict(files, splat); });
}

// Each with the one before it.
TEST(DataFilesCopy, AddedMethodsComeOutAsTheyWentIn) {
  const Files* before = nullptr;
  size_t checked = 0;
  ForEachProgram([&](const Files& files) {
    const Files* other = std::exchange(before, &files);
    return other == nullptr ? "" : AddedMethodsComeOutAsTheyWentIn(files, *other, checked);
  });
  EXPECT_GT(checked, 40U);
}

}  // namespace
}  // namespace pteedit::test::copy_laws_test
