// What is wrong with a file, as a plain struct. Each kind has a stable id, documented in docs/findings.md.
#ifndef PTEEDIT_FINDING_H_
#define PTEEDIT_FINDING_H_

#include <string>

namespace pteedit {

enum class Severity {
  kWarning,  // the file runs right everywhere but is not as it says
  kError,    // some loader, verification level or platform refuses it, crashes on it or answers wrongly
};

struct Finding {
  std::string id;  // "segment-out-of-file"
  Severity severity = Severity::kError;
  std::string where;    // "segment 3", "delegate 'XnnpackBackend_0'", "key 'a.weight'"; empty for the file as a whole
  std::string message;  // WHAT is wrong: ACTUAL, EXPECTED; without the file's name
};

}  // namespace pteedit

#endif  // PTEEDIT_FINDING_H_
