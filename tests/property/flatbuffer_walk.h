// Reading a flatbuffer by hand: tables, vtables, vectors, strings. Every access is checked and throws
// std::runtime_error.
#ifndef PTEEDIT_TESTS_PROPERTY_FLATBUFFER_WALK_H_
#define PTEEDIT_TESTS_PROPERTY_FLATBUFFER_WALK_H_

#include <cstdint>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace pteedit::test {

using FileBytes = std::vector<uint8_t>;

template <class T>
T NumberIn(const FileBytes& bytes, uint64_t at) {
  if (at > bytes.size() || sizeof(T) > bytes.size() - at) throw std::runtime_error("read behind the end");
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof(T));
  return value;
}

// A vector or string: where its elements begin, and how many there are.
struct WalkedVector {
  uint64_t begin = 0;
  uint32_t count = 0;
};

class WalkedTable {
 public:
  WalkedTable(const FileBytes& bytes, uint64_t at) : bytes_(&bytes), at_(at) {
    vtable_ = static_cast<uint64_t>(static_cast<int64_t>(at) - NumberIn<int32_t>(bytes, at));
  }
  static WalkedTable Root(const FileBytes& bytes) { return {bytes, NumberIn<uint32_t>(bytes, 0)}; }

  uint32_t field_count() const { return (NumberIn<uint16_t>(*bytes_, vtable_) - 4U) / 2; }
  bool Has(uint32_t field) const { return PlaceOf(field).has_value(); }

  template <class T>
  T Number(uint32_t field) const {
    const auto place = PlaceOf(field);
    return place ? NumberIn<T>(*bytes_, *place) : T{};
  }
  std::optional<WalkedTable> Child(uint32_t field) const {
    const auto place = PlaceOf(field);
    if (!place) return std::nullopt;
    return WalkedTable(*bytes_, Follow(*place));
  }
  std::optional<WalkedVector> Vector(uint32_t field) const {
    const auto place = PlaceOf(field);
    if (!place) return std::nullopt;
    const uint64_t target = Follow(*place);
    return WalkedVector{target + 4, NumberIn<uint32_t>(*bytes_, target)};
  }
  std::vector<WalkedTable> Children(uint32_t field) const {
    std::vector<WalkedTable> tables;
    if (const auto vector = Vector(field)) {
      for (uint32_t i = 0; i < vector->count; ++i)
        tables.emplace_back(*bytes_, Follow(vector->begin + 4 * uint64_t{i}));
    }
    return tables;
  }
  template <class T>
  std::vector<T> Numbers(uint32_t field) const {
    std::vector<T> numbers;
    if (const auto vector = Vector(field)) {
      for (uint32_t i = 0; i < vector->count; ++i)
        numbers.push_back(NumberIn<T>(*bytes_, vector->begin + sizeof(T) * i));
    }
    return numbers;
  }
  std::string Text(uint32_t field) const {
    const std::vector<char> characters = Numbers<char>(field);
    return {characters.begin(), characters.end()};
  }

 private:
  std::optional<uint64_t> PlaceOf(uint32_t field) const {
    if (field >= field_count()) return std::nullopt;
    const auto offset = NumberIn<uint16_t>(*bytes_, vtable_ + 4 + 2 * uint64_t{field});
    if (offset == 0) return std::nullopt;
    return at_ + offset;
  }
  uint64_t Follow(uint64_t place) const { return place + NumberIn<uint32_t>(*bytes_, place); }

  const FileBytes* bytes_;
  uint64_t at_;
  uint64_t vtable_;
};

}  // namespace pteedit::test

#endif  // PTEEDIT_TESTS_PROPERTY_FLATBUFFER_WALK_H_
