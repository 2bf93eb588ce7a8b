// Segments of a generated file: what is in them and where they go, and the file around them.
#ifndef PTEEDIT_TESTS_PROPERTY_SEGMENT_LAYOUT_H_
#define PTEEDIT_TESTS_PROPERTY_SEGMENT_LAYOUT_H_

#include <cstring>
#include <utility>

#include "choices.h"
#include "flatbuffers/flatbuffers.h"

namespace pteedit::test {

inline uint64_t RoundUp(uint64_t value, uint64_t unit) { return (value + unit - 1) / unit * unit; }

class SegmentLayout {
 public:
  explicit SegmentLayout(Choices& choices) : choices_(choices), alignment_(uint64_t{16} << choices.Below(9)) {}

  uint32_t Add(const FileBytes& bytes) {
    uint64_t alignment = alignment_;
    if (choices_.Rarely(8)) alignment = 16;
    if (!bytes.empty()) {
      least_alignment_ = std::min(least_alignment_, alignment);
      content_.resize(RoundUp(content_.size(), alignment) + (choices_.Rarely(10) ? alignment : 0), 0);
    }
    places_.emplace_back(content_.size(), bytes.size());
    content_.insert(content_.end(), bytes.begin(), bytes.end());
    return static_cast<uint32_t>(places_.size() - 1);
  }
  // A second segment on the bytes of another.
  uint32_t AddSame(uint32_t segment) {
    places_.push_back(places_[segment]);
    return static_cast<uint32_t>(places_.size() - 1);
  }
  // One that lies inside another: a power of two long and at a multiple of that, so that no two overlap in part.
  uint32_t AddInside(uint32_t segment) {
    const auto [offset, size] = places_[segment];
    const uint64_t length = uint64_t{1} << choices_.Below(8);
    const uint64_t first = RoundUp(offset, length);
    const uint64_t fit = offset + size < first ? 0 : (offset + size - first) / length;
    if (fit == 0) return AddSame(segment);
    places_.emplace_back(first + choices_.Below(static_cast<uint32_t>(fit)) * length, length);
    return static_cast<uint32_t>(places_.size() - 1);
  }
  uint32_t count() const { return static_cast<uint32_t>(places_.size()); }
  const std::vector<std::pair<uint64_t, uint64_t>>& places() const { return places_; }  // offset, size
  const FileBytes& content() const { return content_; }
  uint64_t alignment() const { return alignment_; }
  uint64_t least_alignment() const { return std::min(least_alignment_, alignment_); }

 private:
  Choices& choices_;
  uint64_t alignment_;
  uint64_t least_alignment_ = 1 << 14;
  std::vector<std::pair<uint64_t, uint64_t>> places_;
  FileBytes content_;
};

template <class T>
void Put(FileBytes& bytes, size_t at, T value) {
  std::memcpy(bytes.data() + at, &value, sizeof(value));
}

// The builder's bytes with room for a header behind the identifier.
inline FileBytes WithRoom(const flatbuffers::FlatBufferBuilder& builder, uint64_t header_bytes, uint64_t least_unit) {
  FileBytes bytes(builder.GetBufferPointer(), builder.GetBufferPointer() + builder.GetSize());
  const uint64_t room = RoundUp(header_bytes, std::max<uint64_t>(least_unit, builder.GetBufferMinAlignment()));
  uint32_t root = 0;
  std::memcpy(&root, bytes.data(), sizeof(root));
  Put(bytes, 0, static_cast<uint32_t>(root + room));
  bytes.insert(bytes.begin() + 8, room, 0);
  return bytes;
}

// Appends the segments; `numbers` are the header's behind the magic, for which `base` and the data size are filled in.
inline void AppendSegments(FileBytes& bytes, const SegmentLayout& segments, uint64_t base) {
  bytes.resize(base, 0);
  bytes.insert(bytes.end(), segments.content().begin(), segments.content().end());
}

}  // namespace pteedit::test

#endif  // PTEEDIT_TESTS_PROPERTY_SEGMENT_LAYOUT_H_
