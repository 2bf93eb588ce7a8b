#include "pteedit/key_uses.h"

#include "inspect/keyed_constants.h"
#include "program/container_state.h"
#include "program/listing_size.h"
#include "pteedit/try.h"

namespace pteedit {
namespace {

class KeyUseFinder {
 public:
  KeyUseFinder(const Container& file, KeyUses& uses) : budget_(MostListedBytes(file)), uses_(uses) {}

  Status AddTensor(const TensorDescription& tensor) {
    if (tensor.key.empty()) return {};
    PTEEDIT_ASSIGN(KeyUse * use, Add(tensor.key, tensor.method));
    if (!use->read_as->dtype.empty()) return {};
    KeyUse::Type& type = use->read_as.Edit();
    type.dtype = ScalarTypeName(tensor.layout.scalar_type);
    type.sizes.assign(tensor.layout.sizes.begin(), tensor.layout.sizes.end());
    return {};
  }

  Status AddDelegate(const DelegateDescription& delegate) {
    for (const DelegateDescription::Key& key : delegate.keys) {
      const Result<KeyUse*> use = Add(key.key, delegate.name);
      if (!use) return use.error();
    }
    for (const BlobConstant* constant : KeyedConstants(delegate)) {
      const auto use = uses_.find(constant->key);
      if (use == uses_.end() || !use->second.read_as->dtype.empty()) continue;
      use->second.read_as.Edit() = {constant->dtype, constant->sizes};
    }
    return {};
  }

 private:
  Result<KeyUse*> Add(const std::string& key, const std::string& user) {
    KeyUse& use = uses_[key];
    if (use.users.empty() || use.users.back() != user) {  // they come one after the other
      PTEEDIT_TRY(budget_.Take(user.size(), "users of keys"));
      use.users.push_back(user);
    }
    return &use;
  }

  ListingBudget budget_;
  KeyUses& uses_;
};

}  // namespace

Status AddKeyUses(const Container& file, const Description& description,
                  const std::vector<DelegateDescription>& delegates, KeyUses& uses) {
  if (!HoldsProgram(file)) return {};
  KeyUseFinder finder(file, uses);
  const auto add = [&]() -> Status {
    for (const DelegateDescription& delegate : delegates) PTEEDIT_TRY(finder.AddDelegate(delegate));
    for (const TensorDescription& tensor : description.tensors) PTEEDIT_TRY(finder.AddTensor(tensor));
    return {};
  };
  Status added = add();
  return added ? Status() : Status(std::move(added).error().In(file.name()));
}

}  // namespace pteedit
