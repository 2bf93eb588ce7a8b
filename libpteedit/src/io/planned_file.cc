#include "pteedit/planned_file.h"

#include <algorithm>
#include <cstring>

#include "base/checked.h"
#include "base/text.h"
#include "pteedit/try.h"

namespace pteedit {
namespace {

class PlannedSource final : public Source {
 public:
  PlannedSource(std::string name, std::vector<PlannedPiece> pieces, uint64_t size)
      : name_(std::move(name)), pieces_(std::move(pieces)), size_(size) {
    uint64_t start = 0;
    for (const PlannedPiece& piece : pieces_) {
      starts_.push_back(start);
      start += piece.extent.size;
    }
  }

  const std::string& name() const override { return name_; }
  uint64_t size() const override { return size_; }

  Status Read(uint64_t offset, MutableByteSpan out) const override {
    if (!Fits(offset, out.size, size_)) {
      return IoError(
                 Text("cannot read ", out.size, " bytes at ", Hex(offset), " of a planned file of ", size_, " bytes"))
          .In(name_);
    }
    size_t i = static_cast<size_t>(std::upper_bound(starts_.begin(), starts_.end(), offset) - starts_.begin());
    for (i = i == 0 ? 0 : i - 1; out.size != 0; ++i) {
      const PlannedPiece& piece = pieces_[i];
      const uint64_t skip = offset - starts_[i];
      const size_t step = static_cast<size_t>(std::min<uint64_t>(out.size, piece.extent.size - skip));
      if (piece.source != nullptr) {
        PTEEDIT_TRY(piece.source->Read(piece.extent.offset + skip, {out.data, step}));
      } else if (step != 0) {
        std::memset(out.data, 0, step);
      }
      offset += step;
      out = {out.data + step, out.size - step};
    }
    return {};
  }

 private:
  std::string name_;
  std::vector<PlannedPiece> pieces_;
  std::vector<uint64_t> starts_;
  uint64_t size_;
};

}  // namespace

void PlannedFile::Append(std::shared_ptr<const Source> source, Extent extent) {
  if (extent.size == 0) return;
  if (!pieces_.empty()) {
    PlannedPiece& last = pieces_.back();
    const bool follows =
        last.source == source && (source == nullptr || last.extent.offset + last.extent.size == extent.offset);
    if (follows) {
      last.extent.size += extent.size;
      size_ += extent.size;
      return;
    }
  }
  pieces_.push_back({std::move(source), extent});
  size_ += extent.size;
}

void PlannedFile::AppendZeros(uint64_t count) { Append(nullptr, {0, count}); }

void PlannedFile::Append(const PlannedFile& other) {
  for (const PlannedPiece& piece : other.pieces_) Append(piece.source, piece.extent);
}

std::shared_ptr<const Source> PlannedFile::AsSource(std::string name) const {
  return std::make_shared<PlannedSource>(std::move(name), pieces_, size_);
}

}  // namespace pteedit
