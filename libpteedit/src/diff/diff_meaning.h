// What two programs say differently, apart from the bytes of their weights.
#ifndef PTEEDIT_SRC_DIFF_DIFF_MEANING_H_
#define PTEEDIT_SRC_DIFF_DIFF_MEANING_H_

#include <vector>

#include "diff/diff_rows.h"
#include "pteedit/delegates.h"
#include "pteedit/diff.h"

namespace pteedit {

// `delegates` are all of the set's program.
DiffWords CollectWords(const ProgramSet& set, const std::vector<DelegateDescription>& delegates);

std::vector<MethodChange> MethodChanges(const ProgramSet& before, const ProgramSet& after, const DiffSide& old_side,
                                        const DiffSide& new_side);
std::vector<OperatorChange> OperatorChanges(const DiffSide& before, const DiffSide& after);
std::vector<MeaningChange> MeaningChanges(const ProgramSet& before, const ProgramSet& after, const DiffSide& old_side,
                                          const DiffSide& new_side);

// Calls of methods that both have: how often each is there with the same arguments, by method and operator. What is
// left on both sides goes together in order.
void AddCallChanges(const Container& before, const Container& after, std::vector<MeaningChange>& changes);

// Tensors of common methods that lie elsewhere in planned memory, or are of another size there.
void AddMemoryChanges(const Container& before, const Container& after, std::vector<MeaningChange>& changes);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_DIFF_DIFF_MEANING_H_
