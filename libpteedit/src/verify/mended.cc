#include "pteedit/mended.h"

#include <algorithm>
#include <iterator>
#include <string_view>

#include "base/text.h"
#include "needs/releases.h"

namespace pteedit {
namespace {

constexpr std::string_view kRefuses = "refuses it";
// How a number begins that the next few GB lead beyond 64 bits.
constexpr std::string_view kWraps = "byte 1844674407";

// Of the source at each release's tag; tests/docs/check_security_cases.py has a file of each.
struct Mended {
  std::string_view id;
  std::string_view words;  // in place and message of those findings that are meant; empty: all
  RuntimeRelease mended;   // the first that does no harm
  std::string_view before;
  std::string_view since = kRefuses;
};
constexpr Mended kMended[] = {
    {"arena", kWraps, {1, 1}, "puts the tensor outside its arena"},
    {"arena", " of -", {1, 3}, "asks for an arena of nearly 2^64 bytes"},
    {"argument-type", " frees ", {1, 3}, "aborts"},
    {"argument-type", " moves ", {1, 3}, "aborts when it lets go of the method", "runs it"},
    {"buffer-outside-segment", kWraps, {1, 3}, "reads elsewhere"},
    {"buffer-too-short", "inline constant", {1, 2}, "reads on behind it"},
    {"bundle-tensor", "", {1, 2}, "reads on behind it"},
    {"field-missing", "list of methods", {1, 2}, "crashes", "finds no method"},
    {"file-cut", " + ", {1, 3}, "loads it"},
    {"jump-endless", "", {1, 3}, "never ends", "ends it after 10 million instructions"},
    {"list-item", "which is no tensor", {1, 3}, "aborts"},
    {"operator-arguments", "arguments", {1, 0}, "reads behind the arguments"},
    {"operator-arguments", "copies", {0, 7}, "writes behind the tensor"},
    {"segment-index", "there are 0", {1, 4}, "crashes"},
    {"segment-outside-file", " + ", {1, 3}, "reads elsewhere in the file", "refuses it, but not that of constants"},
    {"tables-damaged", "root table", {1, 3}, "crashes"},
    {"tensor-layout", "at most 16", {1, 0}, "writes behind its lists of sizes"},
    {"tensor-layout", "overflows", {1, 3}, "takes a smaller size"},
    {"tensor-layout", "has size -", {1, 3}, "aborts"},
    {"tensor-layout", "permutation", {1, 2}, "may read memory that is not set"},
    {"value-index", "instruction", {1, 3}, "reads other memory where it frees or moves the value"},
    {"xnnpack-constant-index", "", {1, 3}, "reads behind the list"},
    {"xnnpack-constant-outside", "", {1, 3}, "reads elsewhere"},
    {"xnnpack-external-id", "inputs and outputs", {1, 3}, "takes memory without a limit"},
    {"xnnpack-graph-damaged", "", {1, 3}, "crashes"},
    {"xnnpack-graph-incomplete", "no values or no operators", {1, 3}, "crashes"},
    {"xnnpack-header-constants", "", {1, 3}, "reads behind the blob"},
    {"xnnpack-header-graph", "", {1, 3}, "reads behind the blob"},
    {"xnnpack-operator-value", "does not exist", {1, 3}, "ends the process"},
    {"xnnpack-value", "is no tensor", {1, 3}, "crashes"},
    {"xnnpack-value", "has flags", {1, 3}, "frees the tensor's memory twice"},
    {"xnnpack-value-dims", "", {1, 3}, "reads behind the list", "goes by the list"},
};

bool IsMeant(const Mended& fault, const Finding& finding) {
  return fault.id == finding.id &&
         Text(finding.where, " ", finding.message).find(fault.words) != std::string_view::npos;
}

}  // namespace

std::string BehaviourOf(const Target& runtime, const Finding& finding) {
  const auto* fault =
      std::find_if(std::begin(kMended), std::end(kMended), [&](const Mended& one) { return IsMeant(one, finding); });
  if (fault == std::end(kMended)) return {};
  const bool is_mended = ReleaseOf(runtime.release) >= fault->mended;
  return Text(runtime.name, " ", is_mended ? fault->since : fault->before, ", mended in ", fault->mended.major, ".",
              fault->mended.minor);
}

std::vector<Finding> FindMissing(const Target& runtime, const Requirements& needs) {
  std::vector<Finding> findings;
  for (const RuntimeNeed& need : CompareWith(runtime, needs))
    findings.push_back({"runtime-lacks", Severity::kError, "", Text(runtime.name, " lacks ", WordsOf(need))});
  return findings;
}

}  // namespace pteedit
