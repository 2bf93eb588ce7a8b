#include "inspect/stored_forms.h"

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

#include "base/checked.h"
#include "io/streaming.h"
#include "pteedit/try.h"

namespace pteedit {
namespace {

constexpr uint64_t kTileBytes = uint64_t{32} << 20;
constexpr uint64_t kLeastWidth =
    64;  // columns that are read at once; with fewer, reading takes far longer than hashing
constexpr uint64_t kRowMultiples[] = {2, 8};  // of numbers in half bytes; the second is Vulkan's
constexpr uint64_t kWidestElement = 16;       // bytes
constexpr uint64_t kMaxTransposed = 1 << 30;  // bytes

constexpr std::pair<std::string_view, FloatType> kFloatTypes[] = {
    {"float32", FloatType::kFloat32}, {"float16", FloatType::kFloat16}, {"bfloat16", FloatType::kBfloat16}};

std::optional<FloatType> FloatTypeOf(std::string_view dtype) {
  for (const auto& [name, type] : kFloatTypes) {
    if (name == dtype) return type;
  }
  return std::nullopt;
}

void TransposeInto(uint8_t* out, const uint8_t* in, uint64_t rows, uint64_t columns, uint64_t element) {
  for (uint64_t j = 0; j < columns; ++j) {
    for (uint64_t i = 0; i < rows; ++i) {
      std::memcpy(out, in + (i * columns + j) * element, element);
      out += element;
    }
  }
}

// One matrix of `form`, in blocks of columns that fit into memory together.
Status HashTransposed(const Source& data, uint64_t offset, const StoredForm& form, Sha256& hash) {
  const uint64_t width = std::clamp<uint64_t>(kTileBytes / (form.rows * form.element), 1, form.columns);
  std::vector<uint8_t> in(static_cast<size_t>(form.rows * width * form.element)), out(in.size());
  for (uint64_t first = 0; first < form.columns; first += width) {
    const uint64_t columns = std::min(width, form.columns - first), slice = columns * form.element;
    if (columns == form.columns) {
      PTEEDIT_TRY(data.Read(offset, {in.data(), static_cast<size_t>(form.rows * slice)}));
    } else {
      for (uint64_t row = 0; row < form.rows; ++row) {
        const uint64_t place = offset + (row * form.columns + first) * form.element;
        PTEEDIT_TRY(data.Read(place, {in.data() + row * slice, static_cast<size_t>(slice)}));
      }
    }
    TransposeInto(out.data(), in.data(), form.rows, columns, form.element);
    hash.Update({out.data(), static_cast<size_t>(form.rows * slice)});
  }
  return {};
}

Result<std::optional<Sha256Digest>> TransposedDigest(const Source& data, const StoredForm& form) {
  const uint64_t matrix = form.rows * form.columns * form.element;
  const uint64_t together = std::clamp<uint64_t>(kStreamPieceBytes / matrix, 1, form.batches);  // many are small
  Sha256 hash;
  if (together == 1) {
    for (uint64_t i = 0; i < form.batches; ++i) PTEEDIT_TRY(HashTransposed(data, i * matrix, form, hash));
    return std::optional(hash.Finish());
  }
  std::vector<uint8_t> in(static_cast<size_t>(together * matrix)), out(in.size());
  for (uint64_t first = 0; first < form.batches; first += together) {
    const uint64_t count = std::min(together, form.batches - first);
    PTEEDIT_TRY(data.Read(first * matrix, {in.data(), static_cast<size_t>(count * matrix)}));
    for (uint64_t i = 0; i < count; ++i)
      TransposeInto(out.data() + i * matrix, in.data() + i * matrix, form.rows, form.columns, form.element);
    hash.Update({out.data(), static_cast<size_t>(count * matrix)});
  }
  return std::optional(hash.Finish());
}

// Numbers from -8 to 7 as the upper and lower halves of bytes, 8 added to each.
class HalfBytes {
 public:
  explicit HalfBytes(bool high_first) : high_first_(high_first) {}

  bool Add(unsigned number) {  // as two's complement of 8 bits
    const unsigned half = (number + 8U) & 0xFFU;
    if (half > 15) return false;
    if (is_second_) packed_.push_back(static_cast<uint8_t>(high_first_ ? first_ << 4 | half : first_ | half << 4));
    first_ = half;
    is_second_ = !is_second_;
    return true;
  }

  void MoveInto(Sha256& hash) {
    hash.Update({packed_.data(), packed_.size()});
    packed_.clear();
  }

 private:
  const bool high_first_;
  bool is_second_ = false;
  unsigned first_ = 0;
  std::vector<uint8_t> packed_;
};

Result<std::optional<Sha256Digest>> HalfBytesDigest(const Source& data, const StoredForm& form) {
  const uint64_t stored_columns = form.bytes * 2 / form.rows;
  HalfBytes packed(form.kind == StoredForm::Kind::kHalfBytesHighFirst);
  Sha256 hash;
  bool fits = true;
  uint64_t column = 0;
  PTEEDIT_TRY(ForEachPiece(data, {0, data.size()}, [&](ByteSpan piece) {
    for (size_t i = 0; i < piece.size && fits; ++i) {
      fits = packed.Add(piece.data[i]);
      if (++column != form.columns) continue;
      for (; column < stored_columns; ++column) packed.Add(0);
      column = 0;
    }
    packed.MoveInto(hash);
    return Status();
  }));
  return fits ? std::optional(hash.Finish()) : std::nullopt;
}

void AddHalfBytes(uint64_t rows, uint64_t columns, std::vector<StoredForm>& forms) {
  uint64_t last = 0;
  for (const uint64_t multiple : kRowMultiples) {
    const std::optional<uint64_t> stored = CheckedMultiply(rows, AlignUp(columns, multiple) / 2);
    if (stored && *stored != last) forms.push_back({StoredForm::Kind::kHalfBytes, 0, rows, columns, 1, *stored});
    last = stored.value_or(0);
  }
  if (columns % 2 == 0)
    forms.push_back({StoredForm::Kind::kHalfBytesHighFirst, 0, rows, columns, 1, rows * (columns / 2)});
}

// Of `bytes` that are a tensor of these sizes.
std::vector<StoredForm> FormsOf(uint64_t bytes, const std::vector<uint64_t>& sizes) {
  std::vector<StoredForm> forms{{StoredForm::Kind::kPlain, 0, 0, 0, 0, bytes}};
  const uint64_t count = CheckedProduct(1, sizes).value_or(0);
  if (sizes.size() < 2 || count == 0 || bytes % count != 0) return forms;
  const uint64_t element = bytes / count;
  if (element > kWidestElement) return forms;
  const auto add = [&](uint64_t batches, uint64_t rows, uint64_t columns) {
    if (rows < 2 || columns < 2 || rows * columns > kMaxTransposed / element) return;
    if (rows * columns * element > kTileBytes && rows * element > kTileBytes / kLeastWidth) return;
    forms.push_back({StoredForm::Kind::kTransposed, batches, rows, columns, element, bytes});
  };
  add(1, sizes[0], count / sizes[0]);
  if (sizes.size() > 2) add(sizes[0], sizes[1], count / sizes[0] / sizes[1]);
  if (element == 1) AddHalfBytes(count / sizes.back(), sizes.back(), forms);
  return forms;
}

Result<std::optional<Sha256Digest>> DigestOf(const Source& data, const StoredForm& form) {
  switch (form.kind) {
    case StoredForm::Kind::kTransposed:
      return TransposedDigest(data, form);
    case StoredForm::Kind::kHalfBytes:
    case StoredForm::Kind::kHalfBytesHighFirst:
      return HalfBytesDigest(data, form);
    case StoredForm::Kind::kPlain:
      break;
  }
  PTEEDIT_ASSIGN(const Sha256Digest digest, Sha256Of(data, {0, data.size()}));
  return std::optional(digest);
}

}  // namespace

std::vector<StoredForm> StoredFormsOf(const ContentName& content) {
  if (content.data == nullptr) return {{StoredForm::Kind::kPlain, 0, 0, 0, 0, content.bytes}};
  std::vector<StoredForm> forms = FormsOf(content.bytes, content.sizes);
  const std::optional<FloatType> from = FloatTypeOf(content.dtype);
  if (!from || content.bytes % BytesOf(*from) != 0) return forms;
  for (const auto& [name, to] : kFloatTypes) {
    if (to == *from) continue;
    for (StoredForm& form : FormsOf(content.bytes / BytesOf(*from) * BytesOf(to), content.sizes)) {
      form.converted = to;
      forms.push_back(form);
    }
  }
  return forms;
}

std::shared_ptr<const Source> InTypeOf(const StoredForm& form, const ContentName& content,
                                       std::shared_ptr<const Source> numbers) {
  if (!form.converted) return numbers;
  return ConvertFloats(std::move(numbers), *FloatTypeOf(content.dtype), *form.converted);
}

Result<std::optional<Sha256Digest>> DigestOf(const ContentName& content, const StoredForm& form) {
  return DigestOf(*InTypeOf(form, content, content.data), form);
}

}  // namespace pteedit
