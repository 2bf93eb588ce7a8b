#include "strip_laws.h"

#include <algorithm>

#include "file_contents.h"
#include "pteedit/copy.h"
#include "what_runs.h"

namespace pteedit::test {
namespace {

// The first promise of any strip that is broken.
std::string CheckPromises(const Container& before, const StripResult& stripped, const StripOptions& options) {
  const FileBytes bytes = BytesOf(stripped.file);
  const bool may_grow = options.min_alignment > StripOptions().min_alignment;
  if (bytes.size() > before.source()->size() && !may_grow)
    return "strip made " + std::to_string(bytes.size()) + " bytes of " + std::to_string(before.source()->size());
  if (!stripped.changed && bytes != BytesOf(before)) return "nothing was stripped, but the bytes differ";
  if (stripped.changed && stripped.report.items.empty() && !may_grow) return "the report does not say what went";
  const Result<Container> after = Container::Open(MakeMemorySource("stripped", bytes));
  if (!after) return "stripped: " + after.error().message;
  StripOptions same = options;
  same.unwrap = false;
  const Result<StripResult> again = Strip(*after, same);
  if (!again) return "second strip: " + again.error().message;
  if (!again->report.items.empty())
    return "a second strip removes " + std::string(again->report.items[0].what) + " " +
           again->report.items[0].name.str();
  return again->changed || BytesOf(again->file) != bytes ? "a second strip gives other bytes" : "";
}

std::string CheckKeys(const Container& before, const Container& after, const RewriteReport& report) {
  auto keys = NamedBytes(before);
  for (const MovedItem& item : report.items) {
    if (item.what == "named-data") keys.erase(item.key);
  }
  const auto left = NamedBytes(after);
  for (const auto& [key, bytes] : keys) {
    if (left.count(key) == 0 || left.at(key) != bytes) return "key '" + key + "' is lost";
  }
  return "";
}

bool HasStackTraces(const Lines& lines) {
  return std::any_of(lines.begin(), lines.end(),
                     [](const std::string& line) { return line.find(".stacktrace[") != std::string::npos; });
}

}  // namespace

std::string StripKeepsWhatRuns(const Files& files, const StripOptions& options) {
  const Result<Container> before = Container::Open(MakeMemorySource("program", files.program));
  if (!before) return before.error().message;
  const Result<StripResult> stripped = Strip(*before, options);
  if (!stripped) return stripped.error().code == ErrorCode::kUnsupported ? "" : "strip: " + stripped.error().message;
  std::string problem = CheckPromises(*before, *stripped, options);
  if (!problem.empty()) return problem;
  const FileBytes bytes = BytesOf(stripped->file);
  const Lines old_lines = ReadIndependently(files.program, files.data, Detail::kMeaning);
  const Lines new_lines = ReadIndependently(bytes, files.data, Detail::kMeaning);
  if (!options.unwrap) {  // of a bundle the reader tells the tests too
    const bool keeps_all = !options.debug && !options.unreferenced;
    problem =
        keeps_all ? FirstDifference(old_lines, new_lines) : FirstDifference(WhatRuns(old_lines), WhatRuns(new_lines));
    if (!problem.empty()) return problem;
  }
  const bool refused = !stripped->report.skipped.empty() && !stripped->changed;
  if (options.debug && !refused && HasStackTraces(new_lines)) return "a stack trace is left";
  const Result<Container> after = Container::Open(MakeMemorySource("stripped", bytes));
  RewriteReport removed = stripped->report;
  if (options.dedupe && !options.unreferenced) removed.items.clear();  // keys of copies stay
  return CheckKeys(*before, *after, removed);
}

std::string RepackedIsEditedAlike(const Files& files) {
  const Result<Container> before = Container::Open(MakeMemorySource("program", files.program));
  if (!before) return before.error().message;
  StripOptions repack;
  repack.debug = repack.unreferenced = false;
  repack.repack = true;
  const Result<StripResult> repacked = Strip(*before, repack);
  if (!repacked) return repacked.error().code == ErrorCode::kUnsupported ? "" : "repack: " + repacked.error().message;
  const Files anew{BytesOf(repacked->file), files.data};
  const auto meaning = [&](const FileBytes& program) {
    return ReadIndependently(program, files.data, Detail::kMeaning);
  };
  std::string problem = FirstDifference(meaning(files.program), meaning(anew.program));
  if (problem.empty()) problem = SizesAddUp(anew);
  if (problem.empty()) problem = SplitAndJoinKeepTheMeaning(anew, SplitOptions());
  if (!problem.empty() || before->kind() != FileKind::kProgram) return problem;
  CopyOptions edit;
  edit.set_methods.push_back({"law_of_repacking", {int64_t{1}, int64_t{2}, int64_t{1}}, true});
  const Result<CopyResult> one = Copy(*before, edit);
  const Result<CopyResult> other = Copy(*Container::Open(repacked->file.AsSource("repacked")), edit);
  if (!one || !other) return one.has_value() == other.has_value() ? "" : "only one of both can be edited";
  return FirstDifference(meaning(BytesOf(one->file)), meaning(BytesOf(other->file)));
}

std::string StripKeepsDataFiles(const Files& files, const StripOptions& options) {
  for (const FileBytes& data : files.data) {
    const Result<Container> before = Container::Open(MakeMemorySource("data", data));
    if (!before) return before.error().message;
    const Result<StripResult> stripped = Strip(*before, options);
    if (!stripped && stripped.error().code == ErrorCode::kUnsupported) continue;
    if (!stripped) return "strip: " + stripped.error().message;
    std::string problem = CheckPromises(*before, *stripped, options);
    if (!problem.empty()) return problem;
    problem = FirstDifference(ReadDataIndependently(data), ReadDataIndependently(BytesOf(stripped->file)));
    if (!problem.empty()) return problem;
  }
  return "";
}

}  // namespace pteedit::test
