#include "delegates/decode_once.h"

#include "base/text.h"
#include "delegates/blob_reader.h"
#include "delegates/coreml.h"
#include "io/digest.h"
#include "program/constants.h"
#include "pteedit/try.h"

namespace pteedit {
namespace {

// References to larger contents elsewhere are small, and of different delegates equal.
constexpr uint64_t kSmallBytes = uint64_t{1} << 16;
// Decoding less costs about what the delegate itself does.
constexpr uint64_t kTinyBytes = uint64_t{1} << 12;
// Of operators and constants, of one content. Asking counts for some, whatever is got.
constexpr size_t kMostGot = kMaxOperators, kLeastGot = kMostGot / 200;

// The name of what decoding reads much of; empty where it reads little. Of the decoders only Core ML's follows keys.
Result<std::string> ContentOf(const Decoder& decoder, const BlobInput& input) {
  if (input.blob.size > kTinyBytes) return Text(input.blob.offset, ' ', input.blob.size);
  if (decoder.decode != DecodeCoreml) return std::string();
  PTEEDIT_ASSIGN(const bool is_reference, IsCoremlReference(input));
  if (!is_reference) return std::string();
  BlobInput alone = input;
  alone.set = nullptr;
  PTEEDIT_ASSIGN(const DecodedBlob reference, decoder.decode(alone));
  return Text("key ", reference.keys.front());
}

}  // namespace

Result<Sha256Digest> DecodeOnce::IdentityOf(const schema::BackendDelegate& delegate) const {
  Sha256 all;
  const auto add = [&](const void* bytes, size_t size) {
    all.Update({reinterpret_cast<const uint8_t*>(&size), sizeof(size)});
    all.Update({static_cast<const uint8_t*>(bytes), size});
  };
  const std::string_view backend = ViewOf(delegate.id());
  add(backend.data(), backend.size());
  for (const schema::CompileSpec* spec : OrEmpty(delegate.compile_specs())) {
    add(ViewOf(spec->key()).data(), ViewOf(spec->key()).size());
    add(OrEmpty(spec->value()).data(), OrEmpty(spec->value()).size());
  }
  const Extent blob = BlobExtent(set_.program(), delegate);
  if (blob.size > kSmallBytes) {
    add(&blob, sizeof(blob));
  } else {
    PTEEDIT_ASSIGN(const Sha256Digest content, Sha256Of(*set_.program().source(), blob));
    add(content.bytes.data(), content.bytes.size());
  }
  return all.Finish();
}

Result<size_t*> DecodeOnce::Ask(const Decoder& decoder, const BlobInput& input) {
  PTEEDIT_ASSIGN(const std::string content, ContentOf(decoder, input));
  size_t& got = got_[content];
  if (content.empty()) got = 0;  // of what reads little there may be any number
  if (got >= kMostGot) return Unsupported("too many delegates ask for different parts of the same content");
  got += kLeastGot;
  return &got;
}

Result<DecodedBlob> DecodeOnce::Decode(const schema::BackendDelegate& delegate) {
  const Decoder* decoder = FindDecoder(ViewOf(delegate.id()));
  if (decoder == nullptr) return Unsupported("");
  const BlobInput input = InputOf(set_, delegate);
  PTEEDIT_ASSIGN(size_t* const got, Ask(*decoder, input));
  Result<DecodedBlob> decoded = decoder->decode(input);
  if (decoded) *got += decoded->operators.size() + decoded->constants.size();
  return decoded;
}

Result<std::vector<OperatorWork>> DecodeOnce::Measure(const schema::BackendDelegate& delegate) {
  const Decoder& decoder = *FindDecoder(ViewOf(delegate.id()));
  const BlobInput input = InputOf(set_, delegate);
  PTEEDIT_ASSIGN(size_t* const got, Ask(decoder, input));
  Result<std::vector<OperatorWork>> work = decoder.measure(input);
  if (work) *got += work->size();
  return work;
}

}  // namespace pteedit
