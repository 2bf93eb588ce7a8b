#include "io/strided_source.h"

#include <algorithm>
#include <optional>
#include <string>

#include "base/checked.h"
#include "base/text.h"
#include "pteedit/try.h"

namespace pteedit {
namespace {

constexpr uint64_t kMaxSpreadBytes = uint64_t{256} << 20;
constexpr uint64_t kMaxReadBytes = uint64_t{16} << 20;  // at once

// Bytes in a row, repeated by the dimensions around them; all products and sums are known to fit.
class Runs {
 public:
  explicit Runs(const StridedLayout& layout)
      : run_bytes_(layout.element_bytes), offset_(static_cast<uint64_t>(layout.offset) * layout.element_bytes) {
    size_t outer = layout.sizes.size();
    while (outer > 0) {
      const auto size = static_cast<uint64_t>(layout.sizes[outer - 1]);
      const uint64_t stride = static_cast<uint64_t>(layout.strides[outer - 1]) * layout.element_bytes;
      if (size != 1 && stride != run_bytes_) break;
      run_bytes_ *= size;
      --outer;
    }
    for (size_t i = 0; i < outer; ++i) {
      sizes_.push_back(static_cast<uint64_t>(layout.sizes[i]));
      strides_.push_back(static_cast<uint64_t>(layout.strides[i]) * layout.element_bytes);
    }
  }

  bool is_one() const { return sizes_.empty(); }
  uint64_t run_bytes() const { return run_bytes_; }

  // Where run `index` begins.
  uint64_t PlaceOf(uint64_t index) const {
    uint64_t place = offset_;
    for (size_t i = sizes_.size(); i-- > 0; index /= sizes_[i]) place += index % sizes_[i] * strides_[i];
    return place;
  }

  // Runs that lie close to each other are read at once, since there may be very many.
  Status Read(const Source& storage, uint64_t offset, MutableByteSpan out) const {
    if (out.size == 0) return {};
    uint64_t begin = ~uint64_t{0}, end = 0;
    for (uint64_t run = offset / run_bytes_; run <= (offset + out.size - 1) / run_bytes_; ++run) {
      begin = std::min(begin, PlaceOf(run));
      end = std::max(end, PlaceOf(run) + run_bytes_);
    }
    if (end - begin > kMaxReadBytes) return ReadRuns(storage, 0, offset, out);
    std::vector<uint8_t> bytes(static_cast<size_t>(end - begin));
    PTEEDIT_TRY(storage.Read(begin, {bytes.data(), bytes.size()}));
    return ReadRuns(*MakeViewSource("", {bytes.data(), bytes.size()}), begin, offset, out);
  }

 private:
  // From `storage`, which lacks the bytes before `begin`.
  Status ReadRuns(const Source& storage, uint64_t begin, uint64_t offset, MutableByteSpan out) const {
    while (out.size != 0) {
      const uint64_t within = offset % run_bytes_;
      const auto step = static_cast<size_t>(std::min<uint64_t>(out.size, run_bytes_ - within));
      PTEEDIT_TRY(storage.Read(PlaceOf(offset / run_bytes_) + within - begin, {out.data, step}));
      offset += step;
      out = {out.data + step, out.size - step};
    }
    return {};
  }

  uint64_t run_bytes_, offset_;
  std::vector<uint64_t> sizes_, strides_;  // of the dimensions around a run; strides in bytes
};

// The bytes of the storage from its start to the last element; nothing where they need more than 64 bits.
std::optional<uint64_t> EndOf(const StridedLayout& layout) {
  std::optional<uint64_t> last = static_cast<uint64_t>(layout.offset);
  for (size_t i = 0; i < layout.sizes.size() && last; ++i) {
    const auto step =
        CheckedMultiply(static_cast<uint64_t>(layout.sizes[i]) - 1, static_cast<uint64_t>(layout.strides[i]));
    last = step ? CheckedAdd(*last, *step) : std::nullopt;
  }
  if (last) last = CheckedAdd(*last, 1);
  return last ? CheckedMultiply(*last, layout.element_bytes) : std::nullopt;
}

}  // namespace

Result<std::shared_ptr<const Source>> MakeStridedSource(std::shared_ptr<const Source> storage, StridedLayout layout) {
  const auto is_negative = [](int64_t number) { return number < 0; };
  const bool has_negative = std::any_of(layout.sizes.begin(), layout.sizes.end(), is_negative) ||
                            std::any_of(layout.strides.begin(), layout.strides.end(), is_negative);
  if (has_negative || layout.offset < 0) return Malformed("has a negative size, stride or offset");
  if (layout.sizes.size() != layout.strides.size()) {
    return Malformed(Text("has ", layout.sizes.size(), " sizes and ", layout.strides.size(), " strides"));
  }
  if (std::count(layout.sizes.begin(), layout.sizes.end(), 0) != 0) return MakeViewSource(storage->name(), {});
  const std::optional<uint64_t> end = EndOf(layout), bytes = CheckedProduct(layout.element_bytes, layout.sizes);
  if (!end || *end > storage->size()) {
    return Malformed(Text("ends behind its storage, which has ", storage->size(), " bytes"));
  }
  if (!bytes) return Malformed("has more than 2^64 bytes");
  const Runs runs(layout);
  if (runs.is_one()) return MakeWindowSource(std::move(storage), {runs.PlaceOf(0), *bytes});
  if (*bytes > kMaxSpreadBytes) {
    return Unsupported(Text("is spread over ", *bytes, " bytes, at most ", kMaxSpreadBytes, " are gathered"));
  }
  const std::string name = storage->name();
  return MakeCallbackSource(name, *bytes, [storage = std::move(storage), runs](uint64_t offset, MutableByteSpan out) {
    return runs.Read(*storage, offset, out);
  });
}

}  // namespace pteedit
