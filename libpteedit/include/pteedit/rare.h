// What most objects of a kind do without.
#ifndef PTEEDIT_RARE_H_
#define PTEEDIT_RARE_H_

#include <memory>
#include <optional>
#include <utility>

namespace pteedit {

// A std::optional<T> that takes no more than a pointer where there is none. Copies are copies of the T.
template <class T>
class Boxed {
 public:
  using value_type = T;

  Boxed() = default;
  Boxed(T value) : value_(std::make_unique<T>(std::move(value))) {}
  Boxed(const Boxed& other) : value_(other ? std::make_unique<T>(*other) : nullptr) {}
  Boxed(Boxed&& other) noexcept = default;
  Boxed& operator=(Boxed other) noexcept {
    value_.swap(other.value_);
    return *this;
  }
  ~Boxed() = default;

  bool has_value() const { return value_ != nullptr; }
  explicit operator bool() const { return has_value(); }
  T& operator*() { return *value_; }
  const T& operator*() const { return *value_; }
  T* operator->() { return value_.get(); }
  const T* operator->() const { return value_.get(); }

  T& emplace(T value = {}) {
    value_ = std::make_unique<T>(std::move(value));
    return *value_;
  }
  void reset() { value_.reset(); }

 private:
  std::unique_ptr<T> value_;
};

// A T that takes no more than a pointer as long as nobody edits it.
template <class T>
class Rare {
 public:
  // A default T where there is none.
  const T& operator*() const {
    static const T kNone{};
    return value_ ? *value_ : kNone;
  }
  const T* operator->() const { return &**this; }

  T& Edit() {
    if (!value_) value_.emplace();
    return *value_;
  }

 private:
  Boxed<T> value_;
};

// A std::optional<const T> that takes two pointers. Copies share the T.
template <class T>
class SharedOptional {
 public:
  SharedOptional() = default;
  SharedOptional(std::nullopt_t) {}
  SharedOptional(T value) : value_(std::make_shared<const T>(std::move(value))) {}
  SharedOptional(std::optional<T> value) {
    if (value) value_ = std::make_shared<const T>(*std::move(value));
  }
  operator std::optional<T>() const { return value_ ? std::optional<T>(*value_) : std::nullopt; }

  explicit operator bool() const { return value_ != nullptr; }
  bool has_value() const { return value_ != nullptr; }
  const T& operator*() const { return *value_; }
  const T* operator->() const { return value_.get(); }
  const T* get() const { return value_.get(); }  // null where there is none

  friend bool operator==(const SharedOptional& a, const SharedOptional& b) {
    return a.value_ == b.value_ || (a.value_ != nullptr && b.value_ != nullptr && *a.value_ == *b.value_);
  }
  friend bool operator!=(const SharedOptional& a, const SharedOptional& b) { return !(a == b); }

 private:
  std::shared_ptr<const T> value_;
};

}  // namespace pteedit

#endif  // PTEEDIT_RARE_H_
