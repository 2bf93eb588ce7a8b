// Python's pickles as data: what was pickled is read, and nothing that it asks to call is called. Of the protocols up
// to 2 those opcodes are read that lists, dictionaries, numbers, texts and tensors of torch are made of; everything
// else is refused. Each opcode is one step, so work and memory are bounded by the bytes.
#ifndef PTEEDIT_SRC_RECORD_PICKLE_H_
#define PTEEDIT_SRC_RECORD_PICKLE_H_

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "pteedit/result.h"

namespace pteedit {

struct PickleNode {
  enum class Kind { kNone, kBool, kInt, kReal, kText, kList, kTuple, kDict, kGlobal, kCall, kPersistent };
  Kind kind = Kind::kNone;
  int64_t number = 0;       // kInt; kBool: 0 or 1
  double real = 0;          // kReal
  std::string_view text;    // kText; kGlobal: its name, "FloatStorage"
  std::string_view module;  // kGlobal: "torch"
  // Other nodes. kDict: keys and values in turns; kCall: a global and a tuple of arguments; kPersistent: its id. A list
  // or a dictionary may be part of several, and of itself.
  std::vector<size_t> items;
};

struct Pickle {
  std::vector<PickleNode> nodes;
  size_t root = 0;
};

// Whether a pickle may name this.
using IsKnownGlobal = bool (*)(std::string_view module, std::string_view name);

// Texts view `bytes`. kUnsupported where the pickle names another global, which the message says, has an opcode that is
// not read, or is over limits, see pickle.cc; kMalformed where it is damaged.
Result<Pickle> ReadPickle(std::string_view bytes, IsKnownGlobal is_known);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_RECORD_PICKLE_H_
