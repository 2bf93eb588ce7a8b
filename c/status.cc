#include "status.h"

#include <cstdlib>
#include <cstring>

#include "pteedit/text.h"
#include "pteedit/version.h"

namespace pteedit::c {
namespace {

struct LastError {
  std::string line, file;
};

LastError& OfThisThread() {
  thread_local LastError error;
  return error;
}

pteedit_status StatusOf(ErrorCode code) {
  switch (code) {
    case ErrorCode::kMalformed:
      return PTEEDIT_MALFORMED;
    case ErrorCode::kUnsupported:
      return PTEEDIT_UNSUPPORTED;
    case ErrorCode::kInvalidArgument:
      return PTEEDIT_INVALID_ARGUMENT;
    case ErrorCode::kExists:
      return PTEEDIT_EXISTS;
    case ErrorCode::kIo:
      return PTEEDIT_IO;
  }
  return PTEEDIT_UNSUPPORTED;
}

}  // namespace

pteedit_status Failed(const Error& error) {
  LastError& last = OfThisThread();
  last.file = error.file;
  last.line = (error.file.empty() ? "" : EscapeControl(error.file) + ": ") + error.message;
  return StatusOf(error.code);
}

pteedit_status IsNull(const char* parameter) {
  return Failed(InvalidArgument(std::string("'") + parameter + "' is NULL"));
}

char* CopyOf(const std::string& text) {
  auto* copy = static_cast<char*>(std::malloc(text.size() + 1));
  if (copy == nullptr) std::abort();
  std::memcpy(copy, text.c_str(), text.size() + 1);
  return copy;
}

std::function<bool(uint64_t done, uint64_t total)> Progress::Function() {
  if (report_ == nullptr) return nullptr;
  return [this](uint64_t done, uint64_t total) {
    cancelled_ = cancelled_ || report_(context_, done, total) != 0;
    return !cancelled_;
  };
}

pteedit_status Progress::FailedWith(const Error& error) const {
  const pteedit_status status = Failed(error);
  return cancelled_ ? PTEEDIT_CANCELLED : status;
}

}  // namespace pteedit::c

using pteedit::c::OfThisThread;

const char* pteedit_version() noexcept { return PTEEDIT_VERSION; }
const char* pteedit_last_error() noexcept { return OfThisThread().line.c_str(); }
const char* pteedit_last_error_file() noexcept { return OfThisThread().file.c_str(); }
void pteedit_free(char* text) noexcept { std::free(text); }
