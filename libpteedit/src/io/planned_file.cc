#include "pteedit/planned_file.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <map>
#include <utility>

#include "base/checked.h"
#include "base/text.h"
#include "pteedit/try.h"

namespace pteedit {
namespace {

std::vector<uint64_t> StartsOf(const PlannedFile& plan) {
  std::vector<uint64_t> starts;
  starts.reserve(plan.pieces().size());
  uint64_t start = 0;
  for (const PlannedPiece& piece : plan.pieces()) {
    starts.push_back(start);
    start += piece.extent.size;
  }
  return starts;
}

class PlannedSource final : public Source {
 public:
  PlannedSource(std::string name, PlannedFile file)
      : name_(std::move(name)), file_(std::move(file)), starts_(StartsOf(file_)) {}

  const std::string& name() const override { return name_; }
  uint64_t size() const override { return file_.size(); }
  const PlannedFile* plan() const override { return &file_; }

  std::optional<Sha256Bytes> known_sha256(Extent part) const override {
    const PlannedPiece inside = PieceWith(part);
    return inside.source == nullptr ? std::nullopt : inside.source->known_sha256(inside.extent);
  }
  std::shared_ptr<const uint8_t[]> InMemory(Extent part) const override {
    const PlannedPiece inside = PieceWith(part);
    return inside.source == nullptr ? nullptr : inside.source->InMemory(inside.extent);
  }

  Status Read(uint64_t offset, MutableByteSpan out) const override {
    if (!Fits(offset, out.size, file_.size())) {
      return IoError(Text("cannot read ", out.size, " bytes at ", Hex(offset), " of a planned file of ", file_.size(),
                          " bytes"))
          .In(name_);
    }
    for (size_t i = PieceAt(offset); out.size != 0; ++i) {
      const PlannedPiece& piece = file_.pieces()[i];
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
  size_t PieceAt(uint64_t offset) const {
    const auto behind = std::upper_bound(starts_.begin(), starts_.end(), offset);
    return behind == starts_.begin() ? 0 : static_cast<size_t>(behind - starts_.begin()) - 1;
  }

  // A part that lies in one piece, by the source of that; else without one.
  PlannedPiece PieceWith(Extent part) const {
    if (part.size == 0 || !Fits(part, file_.size())) return {};
    const size_t i = PieceAt(part.offset);
    const PlannedPiece& piece = file_.pieces()[i];
    const uint64_t skip = part.offset - starts_[i];
    if (!Fits(skip, part.size, piece.extent.size)) return {};
    return {piece.source, {piece.extent.offset + skip, part.size}};
  }

  std::string name_;
  PlannedFile file_;
  std::vector<uint64_t> starts_;
};

class Unfolder {
 public:
  // The pieces of the plan that lie in `extent`, which is not empty, each unfolded.
  void AppendPart(const PlannedFile& plan, Extent extent) {
    const auto [known, is_new] = starts_.try_emplace(&plan);
    if (is_new) known->second = StartsOf(plan);
    const std::vector<uint64_t>& starts = known->second;
    auto i = static_cast<size_t>(std::upper_bound(starts.begin(), starts.end(), extent.offset) - starts.begin()) - 1;
    for (; extent.size != 0; ++i) {
      const PlannedPiece& piece = plan.pieces()[i];
      const uint64_t skip = extent.offset - starts[i], size = std::min(extent.size, piece.extent.size - skip);
      const Extent part{piece.source == nullptr ? 0 : piece.extent.offset + skip, size};
      const PlannedFile* inner = piece.source == nullptr ? nullptr : piece.source->plan();
      if (inner != nullptr) AppendPart(*inner, part);
      if (inner == nullptr) unfolded_.Append(piece.source, part);
      extent = {extent.offset + size, extent.size - size};
    }
  }

  PlannedFile Take() && { return std::move(unfolded_); }

 private:
  std::map<const PlannedFile*, std::vector<uint64_t>> starts_;  // of their pieces
  PlannedFile unfolded_;
};

}  // namespace

PlannedFile Unfolded(const PlannedFile& file) {
  Unfolder unfolder;
  if (file.size() != 0) unfolder.AppendPart(file, {0, file.size()});
  return std::move(unfolder).Take();
}

PlannedPiece* PlannedFile::Last() {
  if (!several_) return one_.extent.size == 0 ? nullptr : &one_;
  return several_->pieces.empty() ? nullptr : &several_->pieces.back();
}

void PlannedFile::MakeRoom(size_t count) {
  if (several_) return several_->pieces.reserve(several_->pieces.size() + count);
  Several several{{}, one_.extent.size};
  several.pieces.reserve(pieces().size() + count);
  if (one_.extent.size != 0) several.pieces.push_back(std::exchange(one_, {}));
  several_ = std::move(several);
}

void PlannedFile::Append(std::shared_ptr<const Source> source, Extent extent) {
  if (extent.size == 0) return;
  PlannedPiece* last = Last();
  const bool follows = last != nullptr && last->source == source &&
                       (source == nullptr || last->extent.offset + last->extent.size == extent.offset);
  if (last == nullptr && !several_) {
    one_ = {std::move(source), extent};
    return;
  }
  if (follows) {
    last->extent.size += extent.size;
  } else {
    if (!several_) MakeRoom(1);
    several_->pieces.push_back({std::move(source), extent});
  }
  if (several_) several_->size += extent.size;
}

void PlannedFile::AppendZeros(uint64_t count) { Append(nullptr, {0, count}); }

void PlannedFile::Append(PlannedFile other) {
  if (!other.several_) return Append(std::move(other.one_.source), other.one_.extent);
  std::vector<PlannedPiece>& behind = other.several_->pieces;
  if (behind.empty()) return;
  const uint64_t all = size() + other.size();
  Append(std::move(behind.front().source), behind.front().extent);  // may go on where this one ends
  if (!several_) MakeRoom(0);
  several_->size = all;
  std::vector<PlannedPiece>& pieces = several_->pieces;
  // The longer list takes in the other: a file may have as many pieces as tables, which stand behind a few.
  if (pieces.size() >= behind.size()) {
    pieces.insert(pieces.end(), std::make_move_iterator(behind.begin() + 1), std::make_move_iterator(behind.end()));
    return;
  }
  behind.front() = std::move(pieces.back());
  pieces.pop_back();
  behind.insert(behind.begin(), std::make_move_iterator(pieces.begin()), std::make_move_iterator(pieces.end()));
  pieces = std::move(behind);
}

std::shared_ptr<const Source> PlannedFile::AsSource(std::string name) const& {
  return std::make_shared<PlannedSource>(std::move(name), *this);
}

std::shared_ptr<const Source> PlannedFile::AsSource(std::string name) && {
  return std::make_shared<PlannedSource>(std::move(name), std::move(*this));
}

}  // namespace pteedit
