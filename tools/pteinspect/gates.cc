#include "gates.h"

#include <algorithm>

#include "pteedit/text.h"
#include "pteedit/try.h"
#include "targets.h"
#include "text/format.h"
#include "text/table.h"

namespace pteedit::cli {

namespace {

std::string Verdict(bool passes, const std::string& why) { return (passes ? "passes: " : "fails: ") + why; }

std::string SizeVerdict(const GateResults::Size& size) {
  return Verdict(size.bytes <= size.limit,
                 std::to_string(size.bytes) + " bytes, at most " + std::to_string(size.limit) + " allowed");
}

std::string CheckVerdict(const CheckedHashes& check) {
  const std::string contents = std::to_string(check.contents) + " contents ";
  if (check.differences.empty()) return Verdict(true, contents + "are as listed");
  return Verdict(false, std::to_string(check.differences.size()) + " of " + contents + "are not as listed");
}

std::string TargetVerdict(const GateResults::Offer& offer) {
  return Verdict(offer.missing.empty(), VerdictOf(offer.target, offer.missing));
}

Status TryTargets(const ProgramSet& set, const Request& request, GateResults& results) {
  if (request.targets.empty()) return {};
  PTEEDIT_ASSIGN(const std::vector<DelegateDescription> delegates, DescribeDelegates(set));
  const Requirements needs = DescribeRequirements(set, delegates);
  for (const Target& target : request.targets) results.targets.push_back({target, CompareWith(target, needs)});
  return {};
}

}  // namespace

bool GateResults::pass() const {
  return (!max_size || max_size->bytes <= max_size->limit) && (!check || check->differences.empty()) &&
         std::ranges::all_of(targets, [](const Offer& offer) { return offer.missing.empty(); });
}

Result<GateResults> TryGates(const ProgramSet& set, const Request& request) {
  GateResults results;
  if (request.max_bytes) results.max_size = {set.bytes(), *request.max_bytes};
  PTEEDIT_TRY(TryTargets(set, request, results));
  if (!request.check.empty()) {
    PTEEDIT_ASSIGN(results.check, CheckHashes(set, request.check, request.views.threads));
  }
  return results;
}

std::string GatesText(const std::string& file, const GateResults& results, Format format) {
  std::string text;
  const auto add = [&](const std::string& name, const std::string& words) {
    const std::string line = EscapeControl(name) + ": " + words;
    text += format == Format::kMarkdown ? MarkdownCell(line) + "  \n" : line + "\n";  // a line of its own in both
  };
  if (results.max_size) add(file, SizeVerdict(*results.max_size));
  for (const GateResults::Offer& offer : results.targets) {
    for (const RuntimeNeed& need : offer.missing) add(file, WordsOf(need));
    add(file, TargetVerdict(offer));
  }
  if (results.check) {
    for (const HashDifference& one : results.check->differences) {
      add(one.file, one.what + (one.name.empty() ? "" : " '" + one.name + "'") + " " + one.problem);
    }
    add(file, CheckVerdict(*results.check));
  }
  return text + (format == Format::kMarkdown && !text.empty() ? "\n" : "");
}

void AddGates(Json& object, const GateResults& results) {
  if (results.max_size) {
    const GateResults::Size& size = *results.max_size;
    object["max_size"] = {{"bytes", size.bytes},
                          {"limit", size.limit},
                          {"pass", size.bytes <= size.limit},
                          {"verdict", SizeVerdict(size)}};
  }
  if (!results.targets.empty()) {
    object["targets"] = ListOf(results.targets, [](const GateResults::Offer& offer) {
      return Json({{"name", offer.target.name},
                   {"missing", ListOf(offer.missing,
                                      [](const RuntimeNeed& need) {
                                        return Json({{"what", need.what}, {"release", TextOrNull(need.release)}});
                                      })},
                   {"pass", offer.missing.empty()},
                   {"verdict", TargetVerdict(offer)}});
    });
  }
  if (!results.check) return;
  object["check"] = ListOf(results.check->differences, [](const HashDifference& difference) {
    return Json({{"file", difference.file},
                 {"what", difference.what},
                 {"name", TextOrNull(difference.name)},
                 {"problem", difference.problem}});
  });
  object["check_verdict"] = CheckVerdict(*results.check);
}

}  // namespace pteedit::cli
