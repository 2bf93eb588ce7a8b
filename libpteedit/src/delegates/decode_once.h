// Decoding what delegates share once. A small file could otherwise have one blob, or one model under a key, decoded for
// each of thousands of delegates.
#ifndef PTEEDIT_SRC_DELEGATES_DECODE_ONCE_H_
#define PTEEDIT_SRC_DELEGATES_DECODE_ONCE_H_

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "delegates/decoder.h"
#include "io/digest.h"
#include "program/schema.h"
#include "pteedit/program_set.h"
#include "pteedit/result.h"

namespace pteedit {

class DecodeOnce {
 public:
  explicit DecodeOnce(const ProgramSet& set) : set_(set) {}

  // Of all that decoding depends on: equal for delegates of one backend with equal compile specs and the same blob, or
  // equal small ones. What is found for one holds for all of them, so the caller asks once.
  Result<Sha256Digest> IdentityOf(const schema::BackendDelegate& delegate) const;

  // What the backend's decoder finds, problems included; kUnsupported, and why, where the blob stays opaque: an empty
  // message where there is no decoder. Also kUnsupported where delegates that differ asked for the same content, of the
  // program or under a key, 200 times, or got as much of it as the largest blob may have.
  Result<DecodedBlob> Decode(const schema::BackendDelegate& delegate);
  // The same of what its operators compute, see Decoder::measure, which the decoder has.
  Result<std::vector<OperatorWork>> Measure(const schema::BackendDelegate& delegate);

 private:
  // Where what is got is to be added.
  Result<size_t*> Ask(const Decoder& decoder, const BlobInput& input);

  const ProgramSet set_;
  std::map<std::string, size_t> got_;  // by content
};

}  // namespace pteedit

#endif  // PTEEDIT_SRC_DELEGATES_DECODE_ONCE_H_
