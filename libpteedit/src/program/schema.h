// The only includer of the code that flatc generates from schema/*.fbs. Names of the format's tables are
// pteedit::schema::…
#ifndef PTEEDIT_SRC_PROGRAM_SCHEMA_H_
#define PTEEDIT_SRC_PROGRAM_SCHEMA_H_

#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#endif
#include <string_view>

#include "bundled_program_generated.h"
#include "flat_tensor_06_generated.h"
#include "flat_tensor_generated.h"
#include "program_generated.h"
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

namespace pteedit {

// Files are little-endian, and so must the machine be: leaf vectors are looked at in place.
static_assert(FLATBUFFERS_LITTLEENDIAN, "pteedit runs on little-endian machines only");

// For looping over a vector field that may be absent.
template <class T>
const flatbuffers::Vector<T>& OrEmpty(const flatbuffers::Vector<T>* vector) {
  alignas(8) static constexpr uint8_t kEmpty[8] = {};
  return vector != nullptr ? *vector : *reinterpret_cast<const flatbuffers::Vector<T>*>(kEmpty);
}

inline std::string_view ViewOf(const flatbuffers::String* text) {
  return text != nullptr ? std::string_view(text->c_str(), text->size()) : std::string_view();
}

}  // namespace pteedit

#endif  // PTEEDIT_SRC_PROGRAM_SCHEMA_H_
