// Who reads the bytes behind keys, and as what.
#ifndef PTEEDIT_KEY_USES_H_
#define PTEEDIT_KEY_USES_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "pteedit/container.h"
#include "pteedit/delegates.h"
#include "pteedit/export.h"
#include "pteedit/rare.h"
#include "pteedit/result.h"
#include "pteedit/shared_text.h"

namespace pteedit {

struct KeyUse {
  std::vector<SharedText> users;  // delegates, and methods whose kernels read it, without repeats
  // What the first user that tells it takes the bytes for.
  struct Type {
    std::string dtype;  // as that calls it: "fp32" of XNNPACK, "float32" of a kernel; empty where nobody tells
    std::vector<uint64_t> sizes;
  };
  Rare<Type> read_as;
};
using KeyUses = std::map<std::string, KeyUse>;

// Adds the keys that a program asks for, `delegates` being what DescribeDelegates() tells. Fails with kUnsupported
// where listing the users takes more than its limits allow.
PTEEDIT_API Status AddKeyUses(const Container& file, const std::vector<DelegateDescription>& delegates, KeyUses& uses);

}  // namespace pteedit

#endif  // PTEEDIT_KEY_USES_H_
