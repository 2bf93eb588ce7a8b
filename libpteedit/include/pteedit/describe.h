// What is in a file, as plain structs: the tables behind pteinspect's views. Describing reads the checked tables in
// place and nothing else of the file; for delegates see delegates.h.
#ifndef PTEEDIT_DESCRIBE_H_
#define PTEEDIT_DESCRIBE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pteedit/bytes.h"
#include "pteedit/container.h"
#include "pteedit/export.h"
#include "pteedit/rare.h"
#include "pteedit/shared_text.h"

namespace pteedit {

// A method's input or output.
struct ValueDescription {
  uint32_t value = 0;     // index among the method's values
  const char* type = "";  // "tensor", "int", "bool", "double", "string", "none", or a list of these such as "int_list"
  std::shared_ptr<const TensorLayout> layout;  // tensors only
};

struct MethodDescription {
  std::string name;
  std::vector<ValueDescription> inputs, outputs;
  uint64_t instructions = 0;  // of all chains, the next two included
  uint64_t kernel_calls = 0;
  uint64_t delegate_calls = 0;
  uint64_t planned_bytes = 0;  // sum of the planned arenas
};

// One row a planned or external tensor value; values that read the same stored bytes with the same layout share a row.
// A data file has one row for each key with a layout. There may be as many as tables.
struct TensorDescription {
  std::string name;                        // empty for most planned tensors
  Rare<std::vector<std::string>> aliases;  // other names of the same bytes
  SharedText method;                       // of the first use; empty in a data file
  uint64_t value = 0;                      // index among that method's values
  SharedOptional<TensorLayout> layout;     // there always is one
  std::optional<uint64_t> bytes;           // nothing where the element type is unknown
  const char* store = "";                  // "segment", "inline", "external", "mutable", "planned"
  Rare<std::string> key;                   // what names the bytes in a data file, where they are in one
  OptionalExtent extent;  // of its bytes in the file, also where that is a bundle; nothing where they are not
};

struct NamedDataDescription {
  std::string key;
  std::vector<std::string> names;  // of the bytes, where they have any but the key
  uint64_t bytes = 0;
  SharedOptional<TensorLayout> layout;
  uint64_t sharers = 0;  // entries of this file whose bytes are the very same place, itself included
  Extent extent;         // in the file, also where that is a bundle
};

struct SegmentDescription {
  uint32_t index = 0;
  Extent extent;           // in the file, also where that is a bundle
  uint64_t alignment = 0;  // that its place and those of the others show, and a rewrite keeps: a power of two
  std::vector<std::string>
      users;  // "constants", "mutable data 0", "XnnpackBackend_0", "key 'a'"; as in the file, not escaped
};

struct OperatorDescription {
  std::string name;  // "aten::add.out"
  uint64_t calls = 0;
  std::vector<std::string> methods;  // that call it, in file order
};

// Of a bundle: the program inside. Of a data file: no methods and operators.
struct Description {
  std::vector<MethodDescription> methods;    // file order
  std::vector<TensorDescription> tensors;    // stored ones in order of first use, then the others by method and value
  std::vector<SegmentDescription> segments;  // by index
  std::vector<NamedDataDescription> named_data;  // file order
  std::vector<OperatorDescription> operators;    // by name; those that no instruction calls have 0 calls
};

// What to describe, as of each there may be as many as tables. Bits.
enum DescribedRows : unsigned {
  kMethodRows = 1,  // and those of operators
  kTensorRows = 2,
  kSegmentRows = 4,
  kNamedDataRows = 8,
  kAllRows = 15
};

PTEEDIT_API Description Describe(const Container& file, unsigned rows = kAllRows);

}  // namespace pteedit

#endif  // PTEEDIT_DESCRIBE_H_
