// Programs of records that were made after lowering: each call of a delegate has its module as JSON in a text of the
// program's JSON, with the processed blob and the weights in base64.
#ifndef PTEEDIT_SRC_RECORD_LOWERED_BYTES_H_
#define PTEEDIT_SRC_RECORD_LOWERED_BYTES_H_

#include <string>
#include <string_view>

namespace pteedit {

// The JSON of a program with the same modules, also of those inside them, but no blobs, weights and constants of
// theirs, in a form that the exporter's reader takes. All else means the same; where there is nothing to leave out, or
// what is no JSON, the very same text.
std::string WithoutLoweredBytes(std::string_view program);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_RECORD_LOWERED_BYTES_H_
