// Errors about a file's contents that verification lists by name.
#ifndef PTEEDIT_SRC_BASE_DAMAGE_H_
#define PTEEDIT_SRC_BASE_DAMAGE_H_

#include <string>
#include <utility>

#include "pteedit/result.h"

namespace pteedit {

// A file has thousands of things that can be wrong; nobody reads more than this many of one file.
inline constexpr size_t kMaxProblems = 100;

// `what` is wrong at `where`, "value 3"; `finding` is one of the ids in docs/findings.md.
inline Error Damaged(const char* finding, std::string where, const std::string& what) {
  Error error = Malformed(where.empty() ? what : where + " " + what);
  error.finding = finding;
  error.where = std::move(where);
  return error;
}
// The same where the file may be fine and only newer than we are.
inline Error NotUnderstood(const char* finding, std::string where, const std::string& what) {
  Error error = Damaged(finding, std::move(where), what);
  error.code = ErrorCode::kUnsupported;
  return error;
}
inline Error Damaged(const char* finding, const std::string& what) { return Damaged(finding, {}, what); }

}  // namespace pteedit

#endif  // PTEEDIT_SRC_BASE_DAMAGE_H_
