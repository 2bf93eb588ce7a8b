#include "program/layout.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <numeric>
#include <tuple>
#include <utility>

#include "base/checked.h"
#include "base/text.h"

namespace pteedit {
namespace {

struct ScalarTypeFacts {
  schema::ScalarType type;
  const char* name;
  uint64_t bytes;
};

// Names as PyTorch prints them.
constexpr ScalarTypeFacts kScalarTypes[] = {
    {schema::ScalarType::BYTE, "uint8", 1},
    {schema::ScalarType::CHAR, "int8", 1},
    {schema::ScalarType::SHORT, "int16", 2},
    {schema::ScalarType::INT, "int32", 4},
    {schema::ScalarType::LONG, "int64", 8},
    {schema::ScalarType::HALF, "float16", 2},
    {schema::ScalarType::FLOAT, "float32", 4},
    {schema::ScalarType::DOUBLE, "float64", 8},
    {schema::ScalarType::BOOL, "bool", 1},
    {schema::ScalarType::QINT8, "qint8", 1},
    {schema::ScalarType::QUINT8, "quint8", 1},
    {schema::ScalarType::QINT32, "qint32", 4},
    {schema::ScalarType::BFLOAT16, "bfloat16", 2},
    {schema::ScalarType::QUINT4X2, "quint4x2", 1},
    {schema::ScalarType::QUINT2X4, "quint2x4", 1},
    {schema::ScalarType::BITS16, "bits16", 2},
    {schema::ScalarType::FLOAT8E5M2, "float8_e5m2", 1},
    {schema::ScalarType::FLOAT8E4M3FN, "float8_e4m3fn", 1},
    {schema::ScalarType::FLOAT8E5M2FNUZ, "float8_e5m2fnuz", 1},
    {schema::ScalarType::FLOAT8E4M3FNUZ, "float8_e4m3fnuz", 1},
    {schema::ScalarType::UINT16, "uint16", 2},
    {schema::ScalarType::UINT32, "uint32", 4},
    {schema::ScalarType::UINT64, "uint64", 8},
};

constexpr std::pair<schema::ScalarType, std::string_view> kSafetensorsTypes[] = {
    {schema::ScalarType::BYTE, "U8"},
    {schema::ScalarType::CHAR, "I8"},
    {schema::ScalarType::SHORT, "I16"},
    {schema::ScalarType::INT, "I32"},
    {schema::ScalarType::LONG, "I64"},
    {schema::ScalarType::HALF, "F16"},
    {schema::ScalarType::FLOAT, "F32"},
    {schema::ScalarType::DOUBLE, "F64"},
    {schema::ScalarType::BOOL, "BOOL"},
    {schema::ScalarType::BFLOAT16, "BF16"},
    {schema::ScalarType::FLOAT8E5M2, "F8_E5M2"},
    {schema::ScalarType::FLOAT8E4M3FN, "F8_E4M3"},
    {schema::ScalarType::FLOAT8E5M2FNUZ, "F8_E5M2FNUZ"},
    {schema::ScalarType::FLOAT8E4M3FNUZ, "F8_E4M3FNUZ"},
    {schema::ScalarType::UINT16, "U16"},
    {schema::ScalarType::UINT32, "U32"},
    {schema::ScalarType::UINT64, "U64"},
};

const ScalarTypeFacts* FindScalarType(int8_t scalar_type) {
  const auto* found = std::find_if(std::begin(kScalarTypes), std::end(kScalarTypes), [&](const ScalarTypeFacts& facts) {
    return static_cast<int8_t>(facts.type) == scalar_type;
  });
  return found == std::end(kScalarTypes) ? nullptr : found;
}

std::optional<int8_t> ScalarTypeOfSafetensors(std::string_view name) {
  for (const auto& [type, known] : kSafetensorsTypes) {
    if (known == name) return static_cast<int8_t>(type);
  }
  return std::nullopt;
}

std::optional<uint64_t> ElementCount(const TensorLayout& layout) {
  const bool has_negative =
      std::any_of(layout.sizes.begin(), layout.sizes.end(), [](int32_t size) { return size < 0; });
  if (has_negative) return std::nullopt;
  return CheckedProduct(1, layout.sizes);
}

bool IsPermutation(const std::vector<uint8_t>& order) {
  std::vector<bool> seen(order.size());
  for (const uint8_t dimension : order) {
    if (dimension >= order.size() || seen[dimension]) return false;
    seen[dimension] = true;
  }
  return true;
}

}  // namespace

bool operator==(const TensorLayout& a, const TensorLayout& b) {
  return a.scalar_type == b.scalar_type && a.sizes == b.sizes && a.dim_order == b.dim_order;
}

std::string ScalarTypeName(int8_t scalar_type) {
  const ScalarTypeFacts* facts = FindScalarType(scalar_type);
  if (facts != nullptr) return facts->name;
  // Which no program can have.
  constexpr int8_t kFirstComplex = 8;
  constexpr const char* kComplex[] = {"complex32", "complex64", "complex128"};
  const int complex = scalar_type - kFirstComplex;
  if (complex >= 0 && complex < static_cast<int>(std::size(kComplex))) return kComplex[complex];
  return Text("scalar_type_", static_cast<int>(scalar_type));
}

std::optional<uint64_t> ElementSize(int8_t scalar_type) {
  const ScalarTypeFacts* facts = FindScalarType(scalar_type);
  if (facts == nullptr) return std::nullopt;
  return facts->bytes;
}

std::optional<uint64_t> ByteSize(const TensorLayout& layout) {
  const std::optional<uint64_t> count = ElementCount(layout);
  const std::optional<uint64_t> element = ElementSize(layout.scalar_type);
  if (!count || !element) return std::nullopt;
  return CheckedMultiply(*count, *element);
}

TensorLayout LayoutFrom(int8_t scalar_type, const flatbuffers::Vector<int32_t>* sizes,
                        const flatbuffers::Vector<uint8_t>* dim_order) {
  TensorLayout layout;
  layout.scalar_type = scalar_type;
  if (sizes != nullptr) layout.sizes.assign(sizes->begin(), sizes->end());
  if (dim_order != nullptr) layout.dim_order.assign(dim_order->begin(), dim_order->end());
  return layout;
}

TensorLayout LayoutOf(const schema::Tensor& tensor) {
  return LayoutFrom(static_cast<int8_t>(tensor.scalar_type()), tensor.sizes(), tensor.dim_order());
}

const SharedOptional<TensorLayout>& SharedLayouts::operator()(TensorLayout layout) {
  const auto found = layouts_.find(layout);
  return found != layouts_.end() ? *found : *layouts_.insert(std::move(layout)).first;
}

bool SharedLayouts::IsBefore::Compare(const TensorLayout& a, const TensorLayout& b) {
  return std::tie(a.scalar_type, a.sizes, a.dim_order) < std::tie(b.scalar_type, b.sizes, b.dim_order);
}

TensorLayout RowMajor(int8_t scalar_type, std::vector<int32_t> sizes) {
  TensorLayout layout{scalar_type, std::move(sizes), {}};
  layout.dim_order.resize(layout.sizes.size());
  std::iota(layout.dim_order.begin(), layout.dim_order.end(), uint8_t{0});
  return layout;
}

std::string_view SafetensorsType(int8_t scalar_type) {
  for (const auto& [type, name] : kSafetensorsTypes) {
    if (static_cast<int8_t>(type) == scalar_type) return name;
  }
  return {};
}

Result<TensorLayout> LayoutOf(const SafetensorsEntry& entry) {
  const std::string where = Text("tensor ", Quoted(entry.name));
  const std::optional<int8_t> scalar_type = ScalarTypeOfSafetensors(entry.dtype);
  if (!scalar_type) return Unsupported(Text(where, " has dtype ", Quoted(entry.dtype), ", which data files have not"));
  std::vector<int32_t> sizes;
  for (const uint64_t size : entry.sizes) {
    if (size > static_cast<uint64_t>(std::numeric_limits<int32_t>::max()))
      return Unsupported(Text(where, " has size ", size, ", which data files cannot tell"));
    sizes.push_back(static_cast<int32_t>(size));
  }
  return RowMajor(*scalar_type, std::move(sizes));
}

Extent ContentOf(const NamedEntry& entry) {
  Extent extent = entry.extent;
  if (entry.layout) extent.size = std::min(extent.size, ByteSize(*entry.layout).value_or(extent.size));
  return extent;
}

Status CheckLayout(const TensorLayout& layout) {
  if (layout.sizes.size() > kMaxDimensions) {
    return Malformed(Text("has ", layout.sizes.size(), " dimensions, at most ", kMaxDimensions, " are allowed"));
  }
  for (size_t i = 0; i < layout.sizes.size(); ++i) {
    if (layout.sizes[i] < 0) return Malformed(Text("has size ", layout.sizes[i], " in dimension ", i));
  }
  const std::optional<uint64_t> count = ElementCount(layout);
  if (!count || !CheckedMultiply(*count, ElementSize(layout.scalar_type).value_or(1))) {
    return Malformed("has sizes whose product overflows");
  }
  if (layout.dim_order.empty()) return {};
  if (layout.dim_order.size() != layout.sizes.size() || !IsPermutation(layout.dim_order)) {
    return Malformed(Text("has a dim order that is not a permutation of its ", layout.sizes.size(), " dimensions"));
  }
  return {};
}

bool HasConstantSegment(const schema::Program& program) {
  const schema::SubsegmentOffsets* segment = program.constant_segment();
  return segment != nullptr && segment->offsets() != nullptr && segment->offsets()->size() > 0;
}

Store StoreOf(const schema::Program& program, const schema::Tensor& tensor) {
  const schema::ExtraTensorInfo* extra = tensor.extra_tensor_info();
  if (extra != nullptr && extra->location() == schema::TensorDataLocation::EXTERNAL) return Store::kExternal;
  if (tensor.data_buffer_idx() == 0) return Store::kPlanned;
  if (tensor.allocation_info() != nullptr) return Store::kMutable;
  return HasConstantSegment(program) ? Store::kSegment : Store::kInline;
}

uint64_t SumOfArenas(const schema::ExecutionPlan& plan) {
  uint64_t sum = 0;
  for (const int64_t size : OrEmpty(plan.non_const_buffer_sizes())) {
    if (size > 0) sum = CheckedAdd(sum, static_cast<uint64_t>(size)).value_or(std::numeric_limits<uint64_t>::max());
  }
  return sum;
}

}  // namespace pteedit
