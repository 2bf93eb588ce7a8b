#include "advise/transposed.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "io/digest.h"
#include "program/constants.h"
#include "program/layout.h"
#include "pteedit/try.h"

namespace pteedit {
namespace {

constexpr uint64_t kSmallestBytes = 64;
constexpr uint64_t kTileRows = 512;        // and columns
constexpr size_t kMaxComparisons = 8;      // of one matrix with others
constexpr uint64_t kMaxReads = 4;          // of the file; in one that is made for it, thousands of matrices overlap
constexpr uint64_t kWidestTransposed = 8;  // bytes

struct Matrix {
  std::string name;
  Extent extent;
  uint64_t rows = 0, columns = 0, element = 0;  // element: bytes of one
};

using Bytes = std::vector<uint8_t>;

// The elements of a tile, row after row.
Result<Bytes> ReadTile(const Source& source, const Matrix& matrix, Extent rows, Extent columns) {
  const size_t width = static_cast<size_t>(columns.size * matrix.element);
  Bytes tile(static_cast<size_t>(rows.size) * width);
  for (uint64_t i = 0; i < rows.size; ++i) {
    const uint64_t offset = ((rows.offset + i) * matrix.columns + columns.offset) * matrix.element;
    PTEEDIT_TRY(source.Read(matrix.extent.offset + offset, {tile.data() + i * width, width}));
  }
  return tile;
}

bool IsTransposedTile(const Bytes& a, const Bytes& b, uint64_t rows, uint64_t columns, uint64_t element) {
  for (uint64_t i = 0; i < rows; ++i) {
    for (uint64_t j = 0; j < columns; ++j) {
      if (std::memcmp(&a[(i * columns + j) * element], &b[(j * rows + i) * element], element) != 0) return false;
    }
  }
  return true;
}

class TransposedFinder {
 public:
  explicit TransposedFinder(const Container& program) : program_(program) {}

  void AddConstants() {
    for (const Constant& constant : CollectConstants(program_)) {
      const TensorLayout layout = constant.uses.front().layout();
      if (layout.sizes.size() != 2 || layout.dim_order != std::vector<uint8_t>{0, 1}) continue;
      const uint64_t element = ElementSize(layout.scalar_type).value_or(0);
      Add({constant.name, constant.extent, static_cast<uint64_t>(layout.sizes[0]),
           static_cast<uint64_t>(layout.sizes[1]), element});
    }
  }

  void AddKeys(const std::vector<DelegateDescription>& delegates) {
    std::map<std::string_view, Extent> places;
    for (const NamedEntry& entry : program_.named_data()) places.emplace(entry.key, entry.extent);
    for (const DelegateDescription& delegate : delegates) {
      for (const BlobConstant& constant : delegate.contents->constants) {
        const auto place = places.find(constant.key);
        if (place == places.end() || constant.sizes.size() != 2) continue;
        const uint64_t rows = constant.sizes[0], columns = constant.sizes[1];
        if (rows == 0 || columns == 0 || columns > constant.bytes / rows) continue;
        Add({constant.key, place->second, rows, columns, constant.bytes / rows / columns});
      }
    }
  }

  Result<std::vector<TransposedPair>> Find() {
    std::vector<TransposedPair> pairs;
    PTEEDIT_ASSIGN(const auto groups, GroupByCorners());
    for (const auto& [corners, group] : groups) {
      std::map<uint64_t, std::vector<const Matrix*>> seen;  // by rows
      for (const Matrix* matrix : group) {
        PTEEDIT_ASSIGN(const Matrix* other, FindOther(seen[matrix->columns], *matrix));
        if (other != nullptr) pairs.push_back({other->name, matrix->name, matrix->extent.size});
        seen[matrix->rows].push_back(matrix);
      }
    }
    return pairs;
  }

 private:
  // Sizes without their order, and the elements that exchanging rows and columns leaves where they are.
  using Corners = std::tuple<uint64_t, uint64_t, uint64_t, Bytes, Bytes>;
  using Groups = std::map<Corners, std::vector<const Matrix*>>;

  void Add(Matrix matrix) {
    if (matrix.rows < 2 || matrix.columns < 2 || matrix.element == 0 || matrix.element > kWidestTransposed) return;
    if (matrix.extent.size < kSmallestBytes || matrix.extent.size / matrix.rows / matrix.columns != matrix.element)
      return;
    if (matrix.rows * matrix.columns * matrix.element != matrix.extent.size) return;
    if (!places_.emplace(matrix.extent.offset, matrix.extent.size).second) return;
    matrices_.push_back(std::move(matrix));
  }

  Result<Groups> GroupByCorners() const {
    Groups groups;
    for (const Matrix& matrix : matrices_) {
      const Source& source = *program_.source();
      PTEEDIT_ASSIGN(Bytes first, ReadTile(source, matrix, {0, 1}, {0, 1}));
      PTEEDIT_ASSIGN(Bytes last, ReadTile(source, matrix, {matrix.rows - 1, 1}, {matrix.columns - 1, 1}));
      const auto [least, most] = std::minmax(matrix.rows, matrix.columns);
      groups[{least, most, matrix.element, std::move(first), std::move(last)}].push_back(&matrix);
    }
    return groups;
  }

  // Also false where too much was read already.
  Result<bool> IsTransposed(const Source& source, const Matrix& a, const Matrix& b) {
    for (uint64_t row = 0; row < a.rows; row += kTileRows) {
      for (uint64_t column = 0; column < a.columns; column += kTileRows) {
        const Extent rows{row, std::min(kTileRows, a.rows - row)};
        const Extent columns{column, std::min(kTileRows, a.columns - column)};
        PTEEDIT_ASSIGN(const Bytes tile, ReadTile(source, a, rows, columns));
        PTEEDIT_ASSIGN(const Bytes other, ReadTile(source, b, columns, rows));
        read_bytes_ += tile.size() + other.size();
        if (read_bytes_ > kMaxReads * source.size()) return false;
        if (!IsTransposedTile(tile, other, rows.size, columns.size, a.element)) return false;
      }
    }
    return true;
  }

  // The first of some that is the matrix with rows and columns exchanged; null where there is none.
  Result<const Matrix*> FindOther(const std::vector<const Matrix*>& others, const Matrix& matrix) {
    const Source& source = *program_.source();
    for (size_t i = 0; i < std::min(others.size(), kMaxComparisons); ++i) {
      PTEEDIT_ASSIGN(const bool is_transposed, IsTransposed(source, *others[i], matrix));
      if (!is_transposed) continue;
      PTEEDIT_ASSIGN(const bool is_same, SameBytes(source, others[i]->extent, source, matrix.extent));
      if (!is_same) return others[i];
    }
    return static_cast<const Matrix*>(nullptr);
  }

  const Container& program_;
  uint64_t read_bytes_ = 0;  // to compare
  std::vector<Matrix> matrices_;
  std::set<std::pair<uint64_t, uint64_t>> places_;
};

}  // namespace

Result<std::vector<TransposedPair>> FindTransposed(const Container& program,
                                                   const std::vector<DelegateDescription>& delegates) {
  TransposedFinder finder(program);
  finder.AddConstants();
  finder.AddKeys(delegates);
  return finder.Find();
}

}  // namespace pteedit
