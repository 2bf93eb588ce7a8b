#include "verify/check_rewrite.h"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/damage.h"
#include "base/text.h"
#include "pteedit/try.h"
#include "pteedit/verify.h"

namespace pteedit {
namespace {

using Counts = std::map<std::string, size_t>;  // of errors, by what they are and whom they are about

// Without the number behind the last '_', of which delegates get others.
std::string_view WithoutNumber(std::string_view name) {
  const size_t end = name.find_last_not_of("0123456789") + 1;  // 0 where there is nothing else
  return end != 0 && end != name.size() && name[end - 1] == '_' ? name.substr(0, end - 1) : name;
}

// Names and keys of a finding, which a rewrite keeps; numbers it may change, also those of delegates.
std::string NamesIn(const std::string& words, const NewNames& renamed) {
  std::string names;
  for (size_t open = words.find('\''); open != std::string::npos;) {
    const size_t close = words.find('\'', open + 1);
    if (close == std::string::npos) break;
    const std::string_view name = std::string_view(words).substr(open + 1, close - open - 1);
    const auto other = renamed.find(name);
    names += Text('\'', WithoutNumber(other == renamed.end() ? name : std::string_view(other->second)));
    open = words.find('\'', close + 1);
  }
  return names;
}

// A list that is full does not name all, so then only kinds are told apart.
bool NamesAll(const std::vector<FileFindings>& all) {
  return std::all_of(all.begin(), all.end(),
                     [](const FileFindings& file) { return file.findings.size() < kMaxProblems; });
}

std::string KindOf(const Finding& finding, bool by_name, const NewNames& renamed) {
  return by_name ? finding.id + NamesIn(finding.where + finding.message, renamed) : finding.id;
}

Counts CountErrors(const std::vector<FileFindings>& all, bool by_name, const NewNames& renamed) {
  Counts counts;
  for (const FileFindings& file : all) {
    for (const Finding& finding : file.findings) {
      if (finding.severity == Severity::kError) ++counts[KindOf(finding, by_name, renamed)];
    }
  }
  return counts;
}

}  // namespace

Status CheckRewrite(const ProgramSet& before, const ProgramSet& after) {
  return CheckRewrite(std::vector<ProgramSet>{before}, after);
}

Status CheckRewrite(const std::vector<ProgramSet>& before, const ProgramSet& after, const NewNames& renamed) {
  const VerifyOptions options{/*hash_keys=*/false, 1};
  PTEEDIT_ASSIGN(const std::vector<FileFindings> now, VerifyOpened(after, options));
  if (!HasErrors(now)) return {};
  std::vector<FileFindings> then;
  for (const ProgramSet& set : before) {
    PTEEDIT_ASSIGN(const std::vector<FileFindings> found, VerifyOpened(set, options));
    then.insert(then.end(), found.begin(), found.end());
  }
  const bool by_name = NamesAll(then);
  Counts allowed = CountErrors(then, by_name, renamed);
  for (const FileFindings& file : now) {
    for (const Finding& finding : file.findings) {
      if (finding.severity != Severity::kError) continue;
      size_t& left = allowed[KindOf(finding, by_name, {})];
      if (left == 0) {
        return Malformed(Text("would get an error that the input has not, ", finding.id, ": ", finding.where,
                              finding.where.empty() ? "" : " ", finding.message))
            .In(file.file);
      }
      --left;
    }
  }
  return {};
}

}  // namespace pteedit
