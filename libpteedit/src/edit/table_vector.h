// Leaves of unpacked tables: strings and vectors of numbers.
#ifndef PTEEDIT_SRC_EDIT_TABLE_VECTOR_H_
#define PTEEDIT_SRC_EDIT_TABLE_VECTOR_H_

#include <atomic>
#include <cstddef>
#include <utility>
#include <vector>

namespace pteedit::tables {

// A vector of numbers or characters: absent, a view, or owned. Copies share. There are several for each table, so they
// are small.
template <class T>
class Vector {
 public:
  Vector() = default;
  static Vector View(const T* data, size_t size) { return {data, size, false}; }
  // Of what stays where it is as long as this is used.
  static Vector View(const std::vector<T>& values) { return View(AddressOf(values), values.size()); }
  static Vector Own(std::vector<T> values) {
    const size_t size = values.size();
    return {new Shared{std::move(values)}, size, true};
  }
  Vector(const Vector& other) : at_(other.at_), twice_size_(other.twice_size_) {
    if (is_owned()) shared().owners.fetch_add(1, std::memory_order_relaxed);
  }
  Vector(Vector&& other) noexcept
      : at_(std::exchange(other.at_, nullptr)), twice_size_(std::exchange(other.twice_size_, 0)) {}
  Vector& operator=(Vector other) noexcept {
    std::swap(at_, other.at_);
    std::swap(twice_size_, other.twice_size_);
    return *this;
  }
  ~Vector() {
    if (is_owned() && shared().owners.fetch_sub(1, std::memory_order_acq_rel) == 1) delete &shared();
  }

  bool present() const { return at_ != nullptr; }
  size_t size() const { return twice_size_ / 2; }
  const T* data() const { return is_owned() ? AddressOf(shared().values) : static_cast<const T*>(at_); }
  const T* begin() const { return data(); }
  const T* end() const { return data() + size(); }
  const T& operator[](size_t i) const { return data()[i]; }

 private:
  struct Shared {
    const std::vector<T> values;
    mutable std::atomic<size_t> owners{1};
  };

  Vector(const void* at, size_t size, bool is_owned) : at_(at), twice_size_(2 * size + (is_owned ? 1 : 0)) {}

  const Shared& shared() const { return *static_cast<const Shared*>(at_); }
  bool is_owned() const { return twice_size_ % 2 != 0; }

  // An empty std::vector may have no address; absent is told by null, so that of the vector itself then.
  static const T* AddressOf(const std::vector<T>& values) {
    return values.empty() ? reinterpret_cast<const T*>(&values) : values.data();
  }

  const void* at_ = nullptr;  // the first element, or where it is owned the Shared
  size_t twice_size_ = 0;     // and one where it is owned: a vector has at most half of what can be addressed
};

}  // namespace pteedit::tables

#endif  // PTEEDIT_SRC_EDIT_TABLE_VECTOR_H_
