#include "verify/check_inputs.h"

#include "base/try.h"
#include "delegates/listed_keys.h"

namespace pteedit {

Result<DataIndex> CheckInputs(const Container& program, const std::vector<Container>& data) {
  PTEEDIT_ASSIGN(DataIndex index, CheckTogether(program, data));
  const NamedPlaces named(program, data);
  PTEEDIT_ASSIGN(const ListedKeys listed, ListKeysOfDelegates(program, named));
  for (const auto& [key, delegate] : listed.by_key) {
    if (!named.Find(key)) return MissingKey(key, "delegate '" + delegate + "'", data).In(program.name());
  }
  return index;
}

}  // namespace pteedit
