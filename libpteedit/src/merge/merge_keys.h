// What each key means in all sets of a merge: a key may be in a shared file only where it means one thing.
#ifndef PTEEDIT_SRC_MERGE_MERGE_KEYS_H_
#define PTEEDIT_SRC_MERGE_MERGE_KEYS_H_

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "io/digest.h"
#include "merge/merge_inventory.h"
#include "pteedit/result.h"
#include "pteedit/shared_text.h"

namespace pteedit {

class MergeKeys {
 public:
  // `inventory` must outlive this.
  explicit MergeKeys(const Inventory& inventory);

  // Under which key a claim can be in the shared file; empty where under none, and WhyNot says why. Constants get their
  // content key, whatever their bytes are called in data files: a further set may bring another name.
  Result<std::string> KeyFor(const Claim& claim);
  const SharedText& WhyNot(const Claim& claim) const;
  // Whether that will be its content key, for which its bytes have to be hashed.
  bool NeedsContentKey(const Claim& claim) const;

  // Whether some set or base has a key of this name, shared or not.
  bool IsTaken(std::string_view key) const;
  // The layout that the entry gets by which a claim can be shared.
  const SharedOptional<TensorLayout>& LayoutFor(const std::string& key, const Claim& claim) const;

  // Of the claim's bytes and layout. Reads the bytes where they have not been hashed.
  Result<std::string> ContentKeyOf(const Claim& claim);

 private:
  struct Meaning {
    const Claim* first = nullptr;
    SharedOptional<TensorLayout> layout;
    SharedText problem;  // why the key cannot be shared; empty where it can
    bool only_delegates = true;
    SharedText other_layout;  // a problem unless only delegates ask for the key, who need no layout
    std::string_view key() const { return first->key; }
  };
  void Add(const Claim& claim, Meaning& meaning) const;
  const Meaning* Find(std::string_view key) const;  // null where there is none
  bool Serves(std::string_view key, const Claim& claim) const;
  bool KeepsKey(const Claim& claim) const;
  bool MayGetAnotherKey(const Claim& claim) const;

  const Inventory& inventory_;
  std::vector<Meaning> meanings_;                // in order of keys
  std::map<size_t, Sha256Digest> more_digests_;  // by content, beside those of the inventory
};

}  // namespace pteedit

#endif  // PTEEDIT_SRC_MERGE_MERGE_KEYS_H_
