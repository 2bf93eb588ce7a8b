// Keys that the delegates of a program ask for, and other names for them in their blobs.
#ifndef PTEEDIT_SRC_COPY_DELEGATE_KEYS_H_
#define PTEEDIT_SRC_COPY_DELEGATE_KEYS_H_

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "edit/model.h"
#include "pteedit/container.h"
#include "pteedit/result.h"

namespace pteedit {

struct DelegateKey {
  std::string reader;       // the first delegate that asks for it, or may
  std::string fixed;        // one whose blob cannot call it otherwise; empty where all can
  bool of_xnnpack = false;  // which keeps what it packed by key, for all programs of a process
};
using DelegateKeys = std::map<std::string, DelegateKey, std::less<>>;

// Those of `keys`: what decoders list, and of other blobs what they mention, as compile specs do. Fails with kIo.
Result<DelegateKeys> FindDelegateKeys(const Container& program, const std::vector<std::string_view>& keys);

// Calls keys, of which none is fixed, otherwise in all blobs. The delegates are still those of the model's origin.
Status RenameInBlobs(ProgramModel& model, const std::map<std::string, std::string, std::less<>>& names);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_COPY_DELEGATE_KEYS_H_
