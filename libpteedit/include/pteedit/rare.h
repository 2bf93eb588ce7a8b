// What most objects of a kind do without.
#ifndef PTEEDIT_RARE_H_
#define PTEEDIT_RARE_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
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

// A std::optional<uint32_t> that takes no more than one: none is as large as no index is.
class OptionalIndex {
 public:
  OptionalIndex() = default;
  OptionalIndex(uint32_t index) : index_(index) {}

  bool has_value() const { return index_ != kNone; }
  explicit operator bool() const { return has_value(); }
  uint32_t operator*() const { return index_; }

 private:
  static constexpr uint32_t kNone = ~uint32_t{0};

  uint32_t index_ = kNone;
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

// A std::optional<const T> that takes no more than a pointer. Copies share the T, also where threads have them.
template <class T>
class SharedOptional {
 public:
  SharedOptional() = default;
  SharedOptional(std::nullopt_t) {}
  SharedOptional(T value) : shared_(new Shared{std::move(value)}) {}
  SharedOptional(std::optional<T> value) {
    if (value) shared_ = new Shared{*std::move(value)};
  }
  SharedOptional(const SharedOptional& other) : shared_(other.shared_) {
    if (shared_ != nullptr) shared_->owners.fetch_add(1, std::memory_order_relaxed);
  }
  SharedOptional(SharedOptional&& other) noexcept : shared_(std::exchange(other.shared_, nullptr)) {}
  SharedOptional& operator=(SharedOptional other) noexcept {
    std::swap(shared_, other.shared_);
    return *this;
  }
  ~SharedOptional() {
    if (shared_ != nullptr && shared_->owners.fetch_sub(1, std::memory_order_acq_rel) == 1) delete shared_;
  }
  operator std::optional<T>() const { return has_value() ? std::optional<T>(**this) : std::nullopt; }

  explicit operator bool() const { return has_value(); }
  bool has_value() const { return shared_ != nullptr; }
  const T& operator*() const { return shared_->value; }
  const T* operator->() const { return get(); }
  const T* get() const { return shared_ != nullptr ? &shared_->value : nullptr; }  // null where there is none

  friend bool operator==(const SharedOptional& a, const SharedOptional& b) {
    return a.shared_ == b.shared_ || (a.has_value() && b.has_value() && *a == *b);
  }
  friend bool operator!=(const SharedOptional& a, const SharedOptional& b) { return !(a == b); }

 private:
  struct Shared {
    const T value;
    std::atomic<size_t> owners{1};
  };
  Shared* shared_ = nullptr;
};

}  // namespace pteedit

#endif  // PTEEDIT_RARE_H_
