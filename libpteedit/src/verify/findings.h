// The list that verification fills.
#ifndef PTEEDIT_SRC_VERIFY_FINDINGS_H_
#define PTEEDIT_SRC_VERIFY_FINDINGS_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/damage.h"
#include "pteedit/finding.h"

namespace pteedit {

// Of a tensor: dynamic without a bound, and all that means nothing.
inline constexpr int8_t kUnboundShape = 2;

class Findings {
 public:
  void AddError(const char* id, std::string where, std::string message) {
    Add({id, Severity::kError, std::move(where), std::move(message)});
  }
  void AddWarning(const char* id, std::string where, std::string message) {
    Add({id, Severity::kWarning, std::move(where), std::move(message)});
  }
  void Add(Finding finding) {
    if (!full()) list_.push_back(std::move(finding));
  }
  bool full() const { return list_.size() >= kMaxProblems; }
  std::vector<Finding> Take() && { return std::move(list_); }

 private:
  std::vector<Finding> list_;
};

// A problem that opening found, in the words of a finding: the place apart from what is wrong there.
inline Finding FindingOf(const Error& error) {
  Finding finding{error.finding, Severity::kError, error.where, error.message};
  if (finding.id.empty()) finding.id = "unsupported";
  const std::string beginning = error.where + " ";
  if (!error.where.empty() && finding.message.compare(0, beginning.size(), beginning) == 0) {
    finding.message.erase(0, beginning.size());
  }
  return finding;
}

}  // namespace pteedit

#endif  // PTEEDIT_SRC_VERIFY_FINDINGS_H_
