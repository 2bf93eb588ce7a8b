// A protobuf message field by field, where it lies. No recursion, no allocation, no schema: callers know their numbers.
#ifndef PTEEDIT_SRC_FORMATS_PROTOBUF_READER_H_
#define PTEEDIT_SRC_FORMATS_PROTOBUF_READER_H_

#include <cstdint>
#include <string_view>

#include "pteedit/bytes.h"
#include "pteedit/result.h"

namespace pteedit {

struct ProtobufField {
  uint32_t number = 0;  // 0: none, the message is at its end
  uint64_t value = 0;   // of a number; of fixed ones the bits
  ByteSpan bytes;       // of a text, a message or packed numbers; empty in others
  std::string_view text() const { return {reinterpret_cast<const char*>(bytes.data), bytes.size}; }
};

class ProtobufReader {
 public:
  explicit ProtobufReader(ByteSpan message) : message_(message) {}

  // Fails with kUnsupported where the message is cut short or is none.
  Result<ProtobufField> Next();

 private:
  Result<uint64_t> ReadVarint();
  Result<ByteSpan> Take(uint64_t size);

  ByteSpan message_;
  size_t at_ = 0;
};

// The last field `number` of a message, as readers take it; number 0 where there is none.
Result<ProtobufField> FindField(ByteSpan message, uint32_t number);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_FORMATS_PROTOBUF_READER_H_
