#include "verify/check_inputs.h"

#include "delegates/listed_keys.h"
#include "pteedit/try.h"

namespace pteedit {

Result<DataIndex> CheckInputs(const ProgramSet& set) {
  PTEEDIT_TRY(CheckAreData(set.data()));
  PTEEDIT_ASSIGN(DataIndex index, CheckTogether(set));
  PTEEDIT_ASSIGN(const ListedKeys listed, ListKeysOfDelegates(set));
  for (const auto& [key, delegate] : listed.by_key) {
    if (!set.Find(key)) return MissingKey(key, "delegate '" + delegate + "'", set.data()).In(set.name());
  }
  return index;
}

}  // namespace pteedit
