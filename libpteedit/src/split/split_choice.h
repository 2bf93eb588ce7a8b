// The first half of a split: what there is to move, what is selected, and under which keys.
#ifndef PTEEDIT_SRC_SPLIT_CHOICE_H_
#define PTEEDIT_SRC_SPLIT_CHOICE_H_

#include <string>
#include <vector>

#include "constants.h"
#include "digest.h"
#include "pteedit/result.h"
#include "pteedit/split.h"

namespace pteedit {

// A constant with what its bytes are called outside: one key for each layout and length that its uses have.
struct MovableConstant {
  Constant constant;
  struct View {
    uint64_t bytes = 0;
    TensorLayout layout;
    Sha256Digest digest;
    std::string key;
  };
  std::vector<View> views;
  std::vector<size_t> view_of_use;  // by index into constant.uses
};

// A key of the program's named data.
struct MovableKey {
  size_t entry = 0;  // index into Container::named_data()
};

struct SplitChoice {
  std::vector<MovableConstant> constants;  // in order of first use
  std::vector<MovableKey> keys;            // in file order
  std::vector<SkippedItem> skipped;
};

Result<SplitChoice> ChooseForSplit(const Container& program, const SplitOptions& options);

// "constant" or "mutable", as reports call it.
const char* KindOf(const Constant& constant);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_SPLIT_CHOICE_H_
