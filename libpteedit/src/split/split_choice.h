// The first half of a split: what there is to move, what is selected, and under which keys.
#ifndef PTEEDIT_SRC_SPLIT_SPLIT_CHOICE_H_
#define PTEEDIT_SRC_SPLIT_SPLIT_CHOICE_H_

#include <string>
#include <vector>

#include "edit/base_files.h"
#include "io/digest.h"
#include "program/constants.h"
#include "program/file_set.h"
#include "pteedit/rare.h"
#include "pteedit/result.h"
#include "pteedit/shared_text.h"
#include "pteedit/split.h"

namespace pteedit {

// A constant with what its bytes are called outside: one key for each layout and name that its uses have. Equal
// numbers `content`, here and of keys, are equal bytes.
struct MovableConstant {
  Constant constant;
  struct View {
    uint64_t bytes = 0;
    size_t use = 0;    // the first, by index into constant.uses: of its layout
    std::string name;  // in the program, where apps may ask for it, or as `name_keys` gives it; empty where it has none
    Sha256Digest digest;
    SharedText key;  // the name, or else a content key
    size_t content = 0;
    Rare<BaseAnswer> base;  // which serves it, under `key`
  };
  TensorLayout LayoutOf(const View& view) const { return constant.uses[view.use].layout(); }
  bool is_served() const { return !views.empty() && views.front().base->entry != nullptr; }  // then all views are
  std::vector<View> views;
  std::vector<size_t> view_of_use;  // by index into constant.uses
};

// A key of the program's named data.
struct MovableKey {
  size_t entry = 0;  // index into Container::named_data()
  size_t content = 0;
  BaseAnswer base;
};

struct SplitChoice {
  std::vector<MovableConstant> constants;  // in order of first use
  std::vector<MovableKey> keys;            // in file order
  std::vector<SkippedItem> skipped;
  bool foretold = false;  // some of the keys are, or which contents are equal
};

Result<SplitChoice> ChooseForSplit(const ProgramSet& set, const SplitOptions& options);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_SPLIT_SPLIT_CHOICE_H_
