#include "program/stored_forms.h"

#include <algorithm>
#include <cstring>

#include "base/checked.h"
#include "io/streaming.h"
#include "pteedit/try.h"

namespace pteedit {
namespace {

constexpr uint64_t kTileBytes = uint64_t{32} << 20;
constexpr uint64_t kLeastWidth =
    64;  // columns that are read at once; with fewer, reading takes far longer than hashing
constexpr uint64_t kWidestElement = 16;       // bytes
constexpr uint64_t kMaxTransposed = 1 << 30;  // bytes

// Their product; nothing where it wraps.
std::optional<uint64_t> ProductOf(const std::vector<uint64_t>& sizes, size_t first) {
  std::optional<uint64_t> product = 1;
  for (size_t i = first; i < sizes.size() && product; ++i) product = CheckedMultiply(*product, sizes[i]);
  return product;
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

Result<std::optional<Sha256Digest>> HalfBytesDigest(const Source& data) {
  Sha256 hash;
  bool fits = true;
  std::vector<uint8_t> packed;
  PTEEDIT_TRY(ForEachPiece(data, {0, data.size()}, [&](ByteSpan piece) {  // of an even size
    packed.clear();
    for (size_t i = 0; i + 1 < piece.size && fits; i += 2) {
      const unsigned low = (piece.data[i] + 8U) & 0xFFU, high = (piece.data[i + 1] + 8U) & 0xFFU;
      fits = low < 16 && high < 16;
      packed.push_back(static_cast<uint8_t>(low | high << 4));
    }
    hash.Update({packed.data(), packed.size()});
    return Status();
  }));
  return fits ? std::optional(hash.Finish()) : std::nullopt;
}

}  // namespace

std::vector<StoredForm> StoredFormsOf(const ContentName& content) {
  std::vector<StoredForm> forms{{StoredForm::Kind::kPlain, 0, 0, 0, 0, content.bytes}};
  const std::vector<uint64_t>& sizes = content.sizes;
  const uint64_t count = ProductOf(sizes, 0).value_or(0);
  if (content.data == nullptr || sizes.size() < 2 || count == 0 || content.bytes % count != 0) return forms;
  const uint64_t element = content.bytes / count;
  if (element > kWidestElement) return forms;
  const auto add = [&](uint64_t batches, uint64_t rows, uint64_t columns) {
    if (rows < 2 || columns < 2 || rows * columns > kMaxTransposed / element) return;
    if (rows * columns * element > kTileBytes && rows * element > kTileBytes / kLeastWidth) return;
    forms.push_back({StoredForm::Kind::kTransposed, batches, rows, columns, element, content.bytes});
  };
  add(1, sizes[0], count / sizes[0]);
  if (sizes.size() > 2 && sizes[0] != 1) add(sizes[0], sizes[1], count / sizes[0] / sizes[1]);
  if (element == 1 && sizes.back() % 2 == 0)
    forms.push_back({StoredForm::Kind::kHalfBytes, 0, 0, 0, element, content.bytes / 2});
  return forms;
}

Result<std::optional<Sha256Digest>> DigestOf(const ContentName& content, const StoredForm& form) {
  switch (form.kind) {
    case StoredForm::Kind::kTransposed:
      return TransposedDigest(*content.data, form);
    case StoredForm::Kind::kHalfBytes:
      return HalfBytesDigest(*content.data);
    case StoredForm::Kind::kPlain:
      break;
  }
  PTEEDIT_ASSIGN(const Sha256Digest digest, Sha256Of(*content.data, {0, content.bytes}));
  return std::optional(digest);
}

}  // namespace pteedit
