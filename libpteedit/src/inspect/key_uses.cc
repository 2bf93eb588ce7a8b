#include "pteedit/key_uses.h"

#include "inspect/keyed_constants.h"
#include "program/constants.h"
#include "program/container_state.h"
#include "program/layout.h"
#include "program/listing_size.h"
#include "pteedit/try.h"

namespace pteedit {
namespace {

class KeyUseFinder {
 public:
  KeyUseFinder(const Container& file, KeyUses& uses) : budget_(MostListedBytes(file)), uses_(uses) {}

  Status AddTensors(const schema::Program& program) {
    for (const size_t plan : MethodsByName(program)) {
      const schema::ExecutionPlan& method = *program.execution_plan()->Get(static_cast<flatbuffers::uoffset_t>(plan));
      const std::string name(ViewOf(method.name()));
      for (const schema::EValue* value : OrEmpty(method.values())) {
        const schema::Tensor* tensor = value->val_as_Tensor();
        if (tensor == nullptr || StoreOf(program, *tensor) != Store::kExternal) continue;
        PTEEDIT_TRY(AddTensor(*tensor, name));
      }
    }
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
  Status AddTensor(const schema::Tensor& tensor, const std::string& method) {
    PTEEDIT_ASSIGN(KeyUse * use, Add(std::string(ViewOf(tensor.extra_tensor_info()->fully_qualified_name())), method));
    if (!use->read_as->dtype.empty()) return {};
    const TensorLayout layout = LayoutOf(tensor);
    KeyUse::Type& type = use->read_as.Edit();
    type.dtype = ScalarTypeName(layout.scalar_type);
    type.sizes.assign(layout.sizes.begin(), layout.sizes.end());
    return {};
  }

  Result<KeyUse*> Add(const std::string& key, const std::string& user) {
    KeyUse& use = uses_[key];
    if (use.users.empty() || use.users.back() != user) {  // they come one after the other
      PTEEDIT_TRY(budget_.Take(user.size(), "users of keys"));
      if (user_ != user) user_ = SharedText(user);
      use.users.push_back(user_);
    }
    return &use;
  }

  ListingBudget budget_;
  KeyUses& uses_;
  SharedText user_;  // the last
};

}  // namespace

Status AddKeyUses(const Container& file, const std::vector<DelegateDescription>& delegates, KeyUses& uses) {
  if (!HoldsProgram(file)) return {};
  KeyUseFinder finder(file, uses);
  const auto add = [&]() -> Status {
    for (const DelegateDescription& delegate : delegates) PTEEDIT_TRY(finder.AddDelegate(delegate));
    return finder.AddTensors(ProgramIn(file).state().program_root());
  };
  Status added = add();
  return added ? Status() : Status(std::move(added).error().In(file.name()));
}

}  // namespace pteedit
