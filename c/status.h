// How results of the library leave it through the C door.
#ifndef PTEEDIT_C_STATUS_H_
#define PTEEDIT_C_STATUS_H_

#include <functional>
#include <string>

#include "pteedit.h"
#include "pteedit/result.h"

namespace pteedit::c {

// Remembers the error for this thread.
pteedit_status Failed(const Error& error);
// A pointer that may not be NULL is.
pteedit_status IsNull(const char* parameter);

// A copy for the caller, to be freed by pteedit_free.
char* CopyOf(const std::string& text);

// "" of NULL.
inline std::string TextOf(const char* text) { return text == nullptr ? std::string() : std::string(text); }

// A caller's progress, and whether it cancelled.
class Progress {
 public:
  Progress(pteedit_progress report, void* context) : report_(report), context_(context) {}
  // Nothing where there is no one to tell. Refers to this object.
  std::function<bool(uint64_t done, uint64_t total)> Function();
  // Failed, or PTEEDIT_CANCELLED where that was the reason.
  pteedit_status FailedWith(const Error& error) const;

 private:
  const pteedit_progress report_;
  void* const context_;
  bool cancelled_ = false;
};

}  // namespace pteedit::c

#endif  // PTEEDIT_C_STATUS_H_
