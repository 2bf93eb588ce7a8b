#include "verify/check_inputs.h"

#include "delegates/listed_keys.h"
#include "program/file_set.h"
#include "pteedit/try.h"

namespace pteedit {

Status CheckInputs(const ProgramSet& set) {
  PTEEDIT_TRY(CheckAreData(set.data()));
  PTEEDIT_TRY(CheckTogether(set));
  PTEEDIT_ASSIGN(const ListedKeys listed, ListKeysOfDelegates(set));
  for (const auto& [key, delegate] : listed.by_key) {
    if (!set.Find(key)) return MissingKey(key, "delegate '" + delegate + "'", set.data()).In(set.name());
  }
  return {};
}

}  // namespace pteedit
