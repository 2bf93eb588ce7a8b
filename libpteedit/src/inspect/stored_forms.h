// What becomes of a checkpoint's tensor on its way into a program or a backend's data, so far as the bytes still tell.
#ifndef PTEEDIT_SRC_INSPECT_STORED_FORMS_H_
#define PTEEDIT_SRC_INSPECT_STORED_FORMS_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "io/converted_source.h"
#include "io/digest.h"
#include "pteedit/names.h"
#include "pteedit/result.h"
#include "pteedit/source.h"

namespace pteedit {

struct StoredForm {
  enum class Kind {
    kPlain,       // in its order
    kTransposed,  // `batches` matrices of `rows` and `columns`, each with rows and columns exchanged
    // `rows` of `columns` numbers from -8 to 7, two in a byte, 8 added to each, the first in the low half; zeros make
    // rows longer, if `bytes` says so.
    kHalfBytes,
    kHalfBytesHighFirst,
  };
  Kind kind = Kind::kPlain;
  uint64_t batches = 0, rows = 0, columns = 0, element = 0;  // element: bytes of one
  uint64_t bytes = 0;                                        // once stored
  std::optional<FloatType> converted = {};                   // to this type, before anything else

  bool is_plain() const { return kind == Kind::kPlain && !converted; }
};

// Those that differ from each other, the plain one first. Channels last is the transposed one of channels and places
// for each output; the weights of depthwise and transposed convolutions are transposed as a whole. Floating-point
// numbers are in each of these forms with each of the types that are converted to each other.
std::vector<StoredForm> StoredFormsOf(const ContentName& content);

// `numbers`, which have the content's type, in the type that the form has.
std::shared_ptr<const Source> InTypeOf(const StoredForm& form, const ContentName& content,
                                       std::shared_ptr<const Source> numbers);

// Nothing where the content cannot be stored like this. Reads it piece by piece.
Result<std::optional<Sha256Digest>> DigestOf(const ContentName& content, const StoredForm& form);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_INSPECT_STORED_FORMS_H_
