// A merge knows nothing of what binds programs to data files: that is taken out of its sets before, and put into its
// results anew.
#ifndef PTEEDIT_SRC_MERGE_MERGE_BINDING_H_
#define PTEEDIT_SRC_MERGE_MERGE_BINDING_H_

#include <map>
#include <vector>

#include "pteedit/container.h"
#include "pteedit/merge.h"
#include "pteedit/result.h"

namespace pteedit {

class MergeBinding {
 public:
  // Takes what binds out of programs and data files of the sets, but not out of bases, which stay as they are. Fails as
  // CheckInputs does, as afterwards nobody could tell that a program was bound to a file that is not there.
  static Result<MergeBinding> TakeOut(std::vector<MergeSet>& sets, const MergeOptions& options);

  // Binds the programs as the options ask: to the shared file, which gets an entry for it where any of them needs it,
  // to their own and to bases. What became again what it was before gets its very bytes. Fails as KeyOfKept does.
  Status PutIn(const MergeOptions& options, MergeResult& result) const;

 private:
  std::vector<MergeSet> before_;
  std::map<const Source*, Container> unbound_;  // as they were, by source of what the sets have instead
};

// As TakeOut makes it.
Result<PlannedFile> WithoutBindings(const PlannedFile& file, const MergeOptions& options);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_MERGE_MERGE_BINDING_H_
