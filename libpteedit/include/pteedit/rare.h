// What most objects of a kind do without.
#ifndef PTEEDIT_RARE_H_
#define PTEEDIT_RARE_H_

#include <memory>

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

}  // namespace pteedit

#endif  // PTEEDIT_RARE_H_
