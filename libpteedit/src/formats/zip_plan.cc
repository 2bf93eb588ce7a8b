#include "formats/zip_plan.h"

#include <algorithm>
#include <utility>

#include "base/checked.h"
#include "base/load.h"
#include "formats/zip_layout.h"

namespace pteedit {
namespace {

constexpr uint16_t kVersion = 20, kLongVersion = 45;  // that a reader must be of: 2.0; 4.5 for fields of 64 bits
constexpr uint64_t kInLongEnd = 0xffff;               // in place of such a count
constexpr uint16_t kSizesFollowFlag = 8;              // behind the contents, where the head has none
constexpr uint16_t kAlignmentFieldId = 0xd935;        // of the extra field that zipalign puts in front of contents
constexpr uint64_t kMaxExtraBytes = 0xffff;

ByteSpan PartOf(ByteSpan bytes, uint64_t offset, uint64_t size) {
  return {bytes.data + offset, static_cast<size_t>(size)};
}

// Little-endian numbers, one after the other.
class Bytes {
 public:
  template <class Number>
  Bytes& Put(Number number) {
    const auto* raw = reinterpret_cast<const uint8_t*>(&number);
    bytes_.insert(bytes_.end(), raw, raw + sizeof(number));
    return *this;
  }
  Bytes& Put(ByteSpan bytes) {
    bytes_.insert(bytes_.end(), bytes.data, bytes.data + bytes.size);
    return *this;
  }
  // What 32 bits hold of it.
  Bytes& PutShort(uint64_t number) { return Put(static_cast<uint32_t>(std::min(number, kZipInLongField))); }

  std::vector<uint8_t> Take() && { return std::move(bytes_); }
  size_t size() const { return bytes_.size(); }

 private:
  std::vector<uint8_t> bytes_;
};

bool IsLong(uint64_t number) { return number >= kZipInLongField; }

// The extra field with these numbers; empty where there are none.
std::vector<uint8_t> LongField(const std::vector<uint64_t>& numbers) {
  if (numbers.empty()) return {};
  Bytes field;
  field.Put(kZipLongFieldId).Put(static_cast<uint16_t>(numbers.size() * sizeof(uint64_t)));
  for (const uint64_t number : numbers) field.Put(number);
  return std::move(field).Take();
}

// A head has both sizes there or none.
std::vector<uint8_t> LongFieldOfHead(const ZipContents& contents) {
  const bool is_long = IsLong(contents.bytes) || IsLong(contents.stored.size());
  return is_long ? LongField({contents.bytes, contents.stored.size()}) : std::vector<uint8_t>();
}

// Of so many bytes that what follows a field that ends at `end` begins at a multiple of the alignment.
std::vector<uint8_t> AlignmentField(uint64_t end, uint16_t alignment) {
  constexpr uint64_t kLeastBytes = 6;  // id, size, alignment
  if (alignment <= 1 || end % alignment == 0) return {};
  const uint64_t size = AlignUp(end + kLeastBytes, alignment) - end;
  Bytes field;
  field.Put(kAlignmentFieldId).Put(static_cast<uint16_t>(size - 4)).Put(alignment);
  std::vector<uint8_t> bytes = std::move(field).Take();
  bytes.resize(static_cast<size_t>(size));
  return bytes;
}

// The directory has those that do not fit elsewhere, in this order.
std::vector<uint8_t> LongFieldOfEntry(const ZipContents& contents, uint64_t head_at) {
  std::vector<uint64_t> numbers{contents.bytes, contents.stored.size(), head_at};
  std::erase_if(numbers, [](uint64_t number) { return !IsLong(number); });
  return LongField(numbers);
}

// A record of a directory, taken apart.
struct Listed {
  explicit Listed(ByteSpan record) : all(record) {
    const uint64_t name_size = Load<uint16_t>(all.data + 28), extra_size = Load<uint16_t>(all.data + 30);
    name = PartOf(all, kZipEntryBytes, name_size);
    extra = PartOf(all, kZipEntryBytes + name_size, extra_size);
    comment = PartOf(all, kZipEntryBytes + name_size + extra_size, Load<uint16_t>(all.data + 32));
  }

  // All extra fields but that with numbers of 64 bits, as long as there is room; what is no field goes.
  std::vector<uint8_t> OtherFields(uint64_t room) const {
    Bytes fields;
    for (uint64_t at = 0; at + 4 <= extra.size;) {
      const uint64_t size = 4 + uint64_t{Load<uint16_t>(extra.data + at + 2)};
      if (size > extra.size - at || fields.size() + size > room) break;
      if (Load<uint16_t>(extra.data + at) != kZipLongFieldId) fields.Put(PartOf(extra, at, size));
      at += size;
    }
    return std::move(fields).Take();
  }

  uint16_t Version(bool is_long) const {
    return std::max(Load<uint16_t>(all.data + 6), is_long ? kLongVersion : kVersion);
  }
  uint16_t Flags() const { return Load<uint16_t>(all.data + 8) & static_cast<uint16_t>(~kSizesFollowFlag); }

  ByteSpan all, name, extra, comment;
};

// What heads and the directory's records have alike: from the version to the size of the extra fields.
void PutCommon(Bytes& bytes, const Listed& listed, const ZipContents& contents, bool has_long_sizes, bool is_long,
               size_t extra_size) {
  bytes.Put(listed.Version(is_long)).Put(listed.Flags()).Put(contents.method);
  bytes.Put(PartOf(listed.all, 12, 4)).Put(contents.checksum);  // time and date
  bytes.PutShort(has_long_sizes ? kZipInLongField : contents.stored.size());
  bytes.PutShort(has_long_sizes ? kZipInLongField : contents.bytes);
  bytes.Put(static_cast<uint16_t>(listed.name.size)).Put(static_cast<uint16_t>(extra_size));
}

void Append(PlannedFile& file, std::vector<uint8_t> bytes) {
  const uint64_t size = bytes.size();
  file.Append(MakeMemorySource("archive", std::move(bytes)), {0, size});
}

std::vector<uint8_t> LongEnd(uint64_t entries, Extent directory) {
  Bytes end;
  end.Put(kZipLongEnd).Put(uint64_t{kZipLongEndBytes - 12}).Put(kLongVersion).Put(kLongVersion).Put(uint64_t{0});
  end.Put(entries).Put(entries).Put(directory.size).Put(directory.offset);
  end.Put(kZipLocator).Put(uint32_t{0}).Put(directory.offset + directory.size).Put(uint32_t{1});
  return std::move(end).Take();
}

}  // namespace

std::vector<uint8_t> NewZipEntry(std::string_view name) {
  constexpr uint16_t kFirstDay = 0x21;  // 1980-01-01, the earliest that there is
  Bytes entry;
  entry.Put(kZipEntry).Put(kVersion).Put(kVersion).Put(uint16_t{0}).Put(kZipStored).Put(uint16_t{0}).Put(kFirstDay);
  for (int i = 0; i < 3; ++i) entry.Put(uint32_t{0});  // what contents fill in
  entry.Put(static_cast<uint16_t>(name.size()));
  for (int i = 0; i < 4; ++i) entry.Put(uint32_t{0});
  entry.Put({reinterpret_cast<const uint8_t*>(name.data()), name.size()});
  return std::move(entry).Take();
}

void ZipPlan::Add(ByteSpan record, const ZipContents& contents, uint16_t alignment) {
  const Listed listed(record);
  const uint64_t head_at = file_.size();
  const std::vector<uint8_t> in_head = LongFieldOfHead(contents);
  const std::vector<uint8_t> padding =
      AlignmentField(head_at + kZipHeadBytes + listed.name.size + in_head.size(), alignment);
  Bytes head;
  head.Put(kZipHead);
  PutCommon(head, listed, contents, !in_head.empty(), !in_head.empty(), in_head.size() + padding.size());
  head.Put(listed.name).Put({in_head.data(), in_head.size()}).Put({padding.data(), padding.size()});
  Append(file_, std::move(head).Take());
  file_.Append(contents.stored);

  const std::vector<uint8_t> numbers = LongFieldOfEntry(contents, head_at);
  const std::vector<uint8_t> others = listed.OtherFields(kMaxExtraBytes - numbers.size());
  Bytes entry;
  entry.Put(kZipEntry).Put(Load<uint16_t>(record.data + 4));  // who made it
  PutCommon(entry, listed, contents, false, !numbers.empty(), numbers.size() + others.size());
  entry.Put(static_cast<uint16_t>(listed.comment.size)).Put(uint16_t{0});
  entry.Put(PartOf(record, 36, 6)).PutShort(head_at);  // attributes, and where it is
  entry.Put(listed.name).Put({numbers.data(), numbers.size()}).Put({others.data(), others.size()}).Put(listed.comment);
  const std::vector<uint8_t> bytes = std::move(entry).Take();
  directory_.insert(directory_.end(), bytes.begin(), bytes.end());
  ++entries_;
}

PlannedFile ZipPlan::Finish(ByteSpan comment) && {
  const Extent directory{file_.size(), directory_.size()};
  Append(file_, std::move(directory_));
  if (entries_ >= kInLongEnd || IsLong(directory.offset)) Append(file_, LongEnd(entries_, directory));
  const auto count = static_cast<uint16_t>(std::min(entries_, kInLongEnd));
  Bytes end;
  end.Put(kZipEnd).Put(uint32_t{0}).Put(count).Put(count).PutShort(directory.size).PutShort(directory.offset);
  end.Put(static_cast<uint16_t>(comment.size)).Put(comment);
  Append(file_, std::move(end).Take());
  return std::move(file_);
}

}  // namespace pteedit
