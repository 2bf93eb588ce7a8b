// What most objects of a kind do without.
#ifndef PTEEDIT_RARE_H_
#define PTEEDIT_RARE_H_

#include <memory>
#include <optional>
#include <utility>

namespace pteedit {

// A T that takes no more than a pointer as long as nobody edits it. Copies are copies of the T.
template <class T>
class Rare {
 public:
  Rare() = default;
  Rare(const Rare& other) : value_(other.value_ ? std::make_unique<T>(*other.value_) : nullptr) {}
  Rare(Rare&& other) noexcept = default;
  Rare& operator=(Rare other) noexcept {
    value_.swap(other.value_);
    return *this;
  }
  ~Rare() = default;

  // A default T where there is none.
  const T& operator*() const {
    static const T kNone{};
    return value_ ? *value_ : kNone;
  }
  const T* operator->() const { return &**this; }

  T& Edit() {
    if (!value_) value_ = std::make_unique<T>();
    return *value_;
  }

 private:
  std::unique_ptr<T> value_;
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

  friend bool operator==(const SharedOptional& a, const SharedOptional& b) {
    return a.value_ == b.value_ || (a.value_ != nullptr && b.value_ != nullptr && *a.value_ == *b.value_);
  }
  friend bool operator!=(const SharedOptional& a, const SharedOptional& b) { return !(a == b); }

 private:
  std::shared_ptr<const T> value_;
};

}  // namespace pteedit

#endif  // PTEEDIT_RARE_H_
