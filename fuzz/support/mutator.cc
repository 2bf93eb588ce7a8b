// Changes what the flatbuffers in an input say and keeps them flatbuffers, so that what comes behind the checks of
// their bytes is reached: numbers, lengths, what offsets and unions refer to, fields that lack. libFuzzer's own
// mutations take turns with these. Works wherever in an input a buffer of a schema with an identifier of its own
// begins.
#include <flatbuffers/reflection_generated.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <optional>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "bundled_program_bfbs_generated.h"
#include "flat_tensor_bfbs_generated.h"
#include "mps_bfbs_generated.h"
#include "native_bfbs_generated.h"
#include "program_bfbs_generated.h"
#include "tosa_bfbs_generated.h"
#include "vulkan_bfbs_generated.h"
#include "xnnpack_bfbs_generated.h"

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned seed);

namespace {

namespace schemas = pteedit::schema;

constexpr size_t kMaxTables = 5000;
constexpr uint32_t kMaxElements = 64;  // of a vector of numbers

struct Number {
  uint32_t at = 0;
  size_t width = 0;
};

// An offset to a table, or a vector or text; those of equal `type` may refer to each other's targets.
struct Offset {
  uint32_t at = 0;
  const void* type = nullptr;
  uint32_t union_type = 0;  // where the type of a union's member stands; 0: it is none
};

template <class T>
T Read(const std::vector<uint8_t>& bytes, size_t at) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof(value));
  return value;
}

size_t WidthOf(reflection::BaseType type) {
  switch (type) {
    case reflection::UType:
    case reflection::Bool:
    case reflection::Byte:
    case reflection::UByte:
      return 1;
    case reflection::Short:
    case reflection::UShort:
      return 2;
    case reflection::Int:
    case reflection::UInt:
    case reflection::Float:
      return 4;
    case reflection::Long:
    case reflection::ULong:
    case reflection::Double:
      return 8;
    default:
      return 0;
  }
}

// Where in a buffer everything is that can be changed. What lies outside is left out.
class Places {
 public:
  Places(const std::vector<uint8_t>& bytes, const reflection::Schema& schema) : bytes_(bytes), schema_(schema) {
    if (const auto root = Target(0)) Walk(*root, *schema.root_table());
  }

  std::vector<Number> numbers;
  std::vector<Offset> offsets;
  std::vector<uint32_t> lengths;  // of vectors and texts
  std::vector<uint32_t> fields;   // entries of vtables
  size_t tables = 0;

 private:
  bool Has(uint64_t at, uint64_t size) const { return at <= bytes_.size() && size <= bytes_.size() - at; }

  std::optional<uint32_t> Target(uint64_t at) const {
    if (!Has(at, 4)) return std::nullopt;
    const uint64_t target = at + Read<uint32_t>(bytes_, at);
    return Has(target, 4) ? std::optional(static_cast<uint32_t>(target)) : std::nullopt;
  }

  // Where the field's value stands.
  std::optional<uint32_t> PlaceOf(uint32_t table, uint16_t field) {
    const int64_t vtable = int64_t{table} - Read<int32_t>(bytes_, table);
    if (vtable < 0 || !Has(static_cast<uint64_t>(vtable), 4)) return std::nullopt;
    const auto entry = static_cast<uint32_t>(vtable) + field;
    if (field + 2 > Read<uint16_t>(bytes_, static_cast<size_t>(vtable)) || !Has(entry, 2)) return std::nullopt;
    const auto offset = Read<uint16_t>(bytes_, entry);
    if (offset == 0 || !Has(uint64_t{table} + offset, 8)) return std::nullopt;
    fields.push_back(entry);
    return table + offset;
  }

  void Walk(uint32_t table, const reflection::Object& object) {
    if (tables == kMaxTables || !seen_.insert({table, &object}).second) return;
    ++tables;
    for (const reflection::Field* field : *object.fields()) {
      const auto at = PlaceOf(table, field->offset());
      if (at) WalkField(table, *at, *field);
    }
  }

  void WalkField(uint32_t table, uint32_t at, const reflection::Field& field) {
    const reflection::BaseType type = field.type()->base_type();
    if (const size_t width = WidthOf(type)) return numbers.push_back({at, width});
    const auto target = Target(at);
    if (!target) return;
    if (type == reflection::Union) return WalkUnion(table, at, *target, field);
    if (type == reflection::Obj) {
      const reflection::Object* child = schema_.objects()->Get(static_cast<uint32_t>(field.type()->index()));
      if (child->is_struct()) return;
      offsets.push_back({at, child, 0});
      return Walk(*target, *child);
    }
    offsets.push_back({at, &field, 0});
    lengths.push_back(*target);
    if (type == reflection::Vector) WalkVector(*target, *field.type());
  }

  void WalkUnion(uint32_t table, uint32_t at, uint32_t target, const reflection::Field& field) {
    const auto type_at = PlaceOf(table, static_cast<uint16_t>(field.offset() - 2));
    if (!type_at) return;
    const reflection::Enum* members = schema_.enums()->Get(static_cast<uint32_t>(field.type()->index()));
    const reflection::EnumVal* member = members->values()->LookupByKey(bytes_[*type_at]);
    if (member == nullptr || member->union_type() == nullptr || member->union_type()->index() < 0) return;
    offsets.push_back({at, members, *type_at});
    Walk(target, *schema_.objects()->Get(static_cast<uint32_t>(member->union_type()->index())));
  }

  void WalkVector(uint32_t vector, const reflection::Type& type) {
    const auto count = Read<uint32_t>(bytes_, vector);
    const size_t width = WidthOf(type.element());
    const size_t step = width == 0 ? 4 : width;
    for (uint32_t i = 0; i < count && (width == 0 || i < kMaxElements); ++i) {
      const uint64_t at = vector + 4 + step * uint64_t{i};
      if (!Has(at, 8)) return;
      if (width != 0) {
        numbers.push_back({static_cast<uint32_t>(at), width});
      } else if (const auto target = Target(at); target && type.element() == reflection::Obj) {
        const reflection::Object* child = schema_.objects()->Get(static_cast<uint32_t>(type.index()));
        if (child->is_struct()) return;
        offsets.push_back({static_cast<uint32_t>(at), child, 0});
        Walk(*target, *child);
      }
    }
  }

  const std::vector<uint8_t>& bytes_;
  const reflection::Schema& schema_;
  std::set<std::pair<uint32_t, const reflection::Object*>> seen_;
};

class Changer {
 public:
  Changer(std::vector<uint8_t>& bytes, const Places& places, std::minstd_rand& random)
      : bytes_(bytes), places_(places), random_(random) {}

  void Change() {
    switch (Below(8)) {
      case 0:
      case 1:
        return Refer();
      case 2:
        return ChangeLength();
      case 3:
        return DropField();
      default:
        return ChangeNumber();
    }
  }

 private:
  size_t Below(size_t limit) { return random_() % limit; }
  template <class T>
  const T& AnyOf(const std::vector<T>& list) {
    return list[Below(list.size())];
  }
  template <class T>
  void Write(size_t at, T value) {
    std::memcpy(bytes_.data() + at, &value, sizeof(value));
  }

  void ChangeNumber() {
    if (places_.numbers.empty()) return;
    const Number& number = AnyOf(places_.numbers);
    uint64_t value = 0;
    std::memcpy(&value, bytes_.data() + number.at, number.width);
    value = NewNumber(value);
    std::memcpy(bytes_.data() + number.at, &value, number.width);
  }

  // What it may mean: an index, a size, an enumerator, or what another number says.
  uint64_t NewNumber(uint64_t value) {
    const std::array<uint64_t, 6> limits{~uint64_t{0}, 0x7fffffff, uint64_t{1} << 31, uint64_t{1} << 63, 127, 255};
    switch (Below(7)) {
      case 0:
        return value + 1;
      case 1:
        return value - 1;
      case 2:
        return Below(16);
      case 3:
        return limits[Below(limits.size())];
      case 4:
        return Below(bytes_.size());
      case 5:
        return value ^ (uint64_t{1} << Below(64));
      default:
        return Read<uint32_t>(bytes_, AnyOf(places_.numbers).at);
    }
  }

  // Shorter, or a little longer: then over what lies behind.
  void ChangeLength() {
    if (places_.lengths.empty()) return;
    const uint32_t at = AnyOf(places_.lengths);
    const auto length = Read<uint32_t>(bytes_, at);
    Write(at, static_cast<uint32_t>(Below(4) == 0 ? length + 1 : Below(size_t{length} + 1)));
  }

  void DropField() {
    if (!places_.fields.empty()) Write(AnyOf(places_.fields), uint16_t{0});
  }

  // One offset to where another one of its kind goes, with the type where it is that of a union.
  void Refer() {
    if (places_.offsets.empty()) return;
    const Offset& from = AnyOf(places_.offsets);
    std::vector<const Offset*> others;
    for (const Offset& other : places_.offsets) {
      const bool fits = other.type == from.type && other.at + Read<uint32_t>(bytes_, other.at) > from.at;
      if (fits) others.push_back(&other);
    }
    if (others.empty()) return;
    const Offset& other = *AnyOf(others);
    Write(from.at, other.at + Read<uint32_t>(bytes_, other.at) - from.at);
    if (from.union_type != 0) bytes_[from.union_type] = bytes_[other.union_type];
  }

  std::vector<uint8_t>& bytes_;
  const Places& places_;
  std::minstd_rand& random_;
};

struct Described {
  uint32_t identifier = 0;
  const reflection::Schema* schema = nullptr;
};

const std::vector<Described>& AllSchemas() {
  static const std::vector<Described> all = [] {
    std::vector<Described> list;
    for (const uint8_t* bytes :
         {schemas::ProgramBinarySchema::data(), schemas::flat::FlatTensorBinarySchema::data(),
          schemas::bundle::BundledProgramBinarySchema::data(), schemas::xnnpack::XNNGraphBinarySchema::data(),
          schemas::native::ProgramBinarySchema::data(), schemas::vulkan::VkGraphBinarySchema::data(),
          schemas::mps::MPSGraphBinarySchema::data(), schemas::tosa::TosaGraphBinarySchema::data()}) {
      const reflection::Schema* schema = reflection::GetSchema(bytes);
      list.push_back({flatbuffers::ReadScalar<uint32_t>(schema->file_ident()->data()), schema});
    }
    return list;
  }();
  return all;
}

struct Buffer {
  size_t begin = 0;
  const reflection::Schema* schema = nullptr;
};

std::vector<Buffer> BuffersIn(const uint8_t* data, size_t size) {
  std::vector<Buffer> buffers;
  for (size_t at = 4; at + 4 <= size; ++at) {
    const auto here = flatbuffers::ReadScalar<uint32_t>(data + at);
    for (const Described& one : AllSchemas()) {
      if (one.identifier == here) buffers.push_back({at - 4, one.schema});
    }
  }
  return buffers;
}

// False where nothing can be changed.
bool ChangeBuffer(uint8_t* data, size_t size, std::minstd_rand& random) {
  const std::vector<Buffer> buffers = BuffersIn(data, size);
  if (buffers.empty()) return false;
  const Buffer& buffer = buffers[random() % buffers.size()];
  std::vector<uint8_t> bytes(data + buffer.begin, data + size);
  const Places places(bytes, *buffer.schema);
  if (places.numbers.empty()) return false;
  Changer changer(bytes, places, random);
  for (auto changes = 1 + random() % 3; changes > 0; --changes) changer.Change();
  std::copy(bytes.begin(), bytes.end(), data + buffer.begin);
  return true;
}

}  // namespace

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned seed) {
  std::minstd_rand random(seed);
  if (random() % 2 == 0 && ChangeBuffer(data, size, random)) return size;
  return LLVMFuzzerMutate(data, size, max_size);
}
