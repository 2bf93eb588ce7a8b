// Errors as values. Result<T> holds a T or an Error; its interface is a strict subset of std::expected<T, Error>.
// A message follows "WHAT INDEX is wrong: ACTUAL, EXPECTED" and never contains the file name: that is `file`, set once,
// by whoever knows which source the numbers came from.
#ifndef PTEEDIT_RESULT_H_
#define PTEEDIT_RESULT_H_

#include <cassert>
#include <string>
#include <utility>
#include <variant>

namespace pteedit {

enum class ErrorCode {
  kMalformed,        // the file breaks its own format
  kUnsupported,      // the file may be fine, but we do not fully understand it, so it is refused
  kInvalidArgument,  // the caller asked for something that makes no sense
  kExists,           // an output is there already, and may not be replaced
  kIo,               // the system refused to read or write
};

struct Error {
  ErrorCode code = ErrorCode::kMalformed;
  std::string message;
  std::string file;  // empty where no file is to blame
  const char* finding =
      "";                // of a malformed file: what verification calls this, see finding.h; "" where it has no name
  std::string where;     // the beginning of `message` that tells the place: "value 3 of method 0 'forward'"
  int system_error = 0;  // errno, where the system said why it refused

  // The same error, blamed on `name` unless a file is named already.
  Error In(const std::string& name) && {
    if (file.empty()) file = name;
    return std::move(*this);
  }
};

inline Error Malformed(std::string message) { return {ErrorCode::kMalformed, std::move(message), {}, "", {}, 0}; }
inline Error Unsupported(std::string message) { return {ErrorCode::kUnsupported, std::move(message), {}, "", {}, 0}; }
inline Error Exists(std::string message) { return {ErrorCode::kExists, std::move(message), {}, "", {}, 0}; }
inline Error InvalidArgument(std::string message) {
  return {ErrorCode::kInvalidArgument, std::move(message), {}, "", {}, 0};
}
inline Error IoError(std::string message) { return {ErrorCode::kIo, std::move(message), {}, "", {}, 0}; }

template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}      // NOLINT: as std::expected
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT: as std::unexpected

  bool has_value() const { return state_.index() == 0; }
  explicit operator bool() const { return has_value(); }
  const T& value() const& { return Get(); }
  T& value() & { return const_cast<T&>(Get()); }
  T&& value() && { return std::move(const_cast<T&>(Get())); }
  const T& operator*() const& { return Get(); }
  T& operator*() & { return const_cast<T&>(Get()); }
  T&& operator*() && { return std::move(const_cast<T&>(Get())); }
  const T* operator->() const { return &Get(); }
  T* operator->() { return const_cast<T*>(&Get()); }
  const Error& error() const& { return *std::get_if<1>(&state_); }
  Error&& error() && { return std::move(*std::get_if<1>(&state_)); }

 private:
  const T& Get() const {
    assert(has_value());
    return *std::get_if<0>(&state_);
  }
  std::variant<T, Error> state_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)), failed_(true) {}  // NOLINT: as std::unexpected

  bool has_value() const { return !failed_; }
  explicit operator bool() const { return !failed_; }
  const Error& error() const& { return error_; }
  Error&& error() && { return std::move(error_); }

 private:
  Error error_;
  bool failed_ = false;
};

using Status = Result<void>;

}  // namespace pteedit

#endif  // PTEEDIT_RESULT_H_
