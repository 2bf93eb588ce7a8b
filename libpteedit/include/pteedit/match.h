// What tells a foundation by its contents: other files that hold it.
#ifndef PTEEDIT_MATCH_H_
#define PTEEDIT_MATCH_H_

#include <memory>
#include <vector>

#include "pteedit/container.h"

namespace pteedit {

class ContentNames;

struct MatchFiles {
  std::vector<Container> files;                 // that hold the same bytes
  std::shared_ptr<const ContentNames> tensors;  // checkpoints with the same in a form that programs store; or null

  bool empty() const { return files.empty() && tensors == nullptr; }
};

}  // namespace pteedit

#endif  // PTEEDIT_MATCH_H_
