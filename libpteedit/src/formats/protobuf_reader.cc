#include "formats/protobuf_reader.h"

#include "base/load.h"
#include "base/text.h"
#include "pteedit/try.h"

namespace pteedit {
namespace {

// The three lowest bits of a tag.
constexpr uint64_t kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5;
constexpr int kTypeBits = 3;
constexpr uint64_t kMaxNumber = (uint64_t{1} << 29) - 1;
constexpr int kMaxVarintBytes = 10;
constexpr int kVarintBits = 7;

}  // namespace

Result<uint64_t> ProtobufReader::ReadVarint() {
  uint64_t value = 0;
  for (int i = 0; i < kMaxVarintBytes; ++i) {
    if (at_ == message_.size) return Unsupported(Text("protobuf message ends within a number, at its byte ", at_));
    const uint8_t byte = message_.data[at_++];
    value |= uint64_t{byte & 0x7FU} << (i * kVarintBits);
    if ((byte & 0x80) == 0) return value;
  }
  return Unsupported(
      Text("protobuf number before byte ", at_, " of its message has more than ", kMaxVarintBytes, " bytes"));
}

Result<ByteSpan> ProtobufReader::Take(uint64_t size) {
  if (size > message_.size - at_) {
    return Unsupported(Text("protobuf field at byte ", at_, " of its message has ", size, " bytes, ",
                            message_.size - at_, " are left"));
  }
  const ByteSpan taken{message_.data + at_, static_cast<size_t>(size)};
  at_ += taken.size;
  return taken;
}

Result<ProtobufField> ProtobufReader::Next() {
  ProtobufField field;
  if (at_ == message_.size) return field;
  PTEEDIT_ASSIGN(const uint64_t tag, ReadVarint());
  const uint64_t number = tag >> kTypeBits;
  const uint64_t type = tag & ((1U << kTypeBits) - 1);
  if (number == 0 || number > kMaxNumber) return Unsupported(Text("protobuf field has number ", number));
  field.number = static_cast<uint32_t>(number);
  if (type == kVarint) {
    PTEEDIT_ASSIGN(field.value, ReadVarint());
  } else if (type == kBytes) {
    PTEEDIT_ASSIGN(const uint64_t size, ReadVarint());
    PTEEDIT_ASSIGN(field.bytes, Take(size));
  } else if (type == kFixed64) {
    PTEEDIT_ASSIGN(const ByteSpan bytes, Take(sizeof(uint64_t)));
    field.value = Load<uint64_t>(bytes.data);
  } else if (type == kFixed32) {
    PTEEDIT_ASSIGN(const ByteSpan bytes, Take(sizeof(uint32_t)));
    field.value = Load<uint32_t>(bytes.data);
  } else {
    return Unsupported(Text("protobuf field ", number, " is of wire type ", type, ", 0, 1, 2 or 5 expected"));
  }
  return field;
}

Result<ProtobufField> FindField(ByteSpan message, uint32_t number) {
  ProtobufField found;
  ProtobufReader reader(message);
  while (true) {
    PTEEDIT_ASSIGN(const ProtobufField field, reader.Next());
    if (field.number == 0) return found;
    if (field.number == number) found = field;
  }
}

}  // namespace pteedit
