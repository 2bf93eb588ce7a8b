#include "advise/float_weights.h"

#include <set>
#include <string_view>

#include "base/text.h"
#include "pteedit/dtypes.h"

namespace pteedit {
namespace {

bool IsQuantized(const std::string& dtype) {
  return dtype.find("int8") != std::string::npos || dtype.find("int4") != std::string::npos;
}

class Finder {
 public:
  void Add(std::string_view dtype, size_t dimensions, uint64_t bytes, const std::string& name) {
    const std::string common = CommonDtype(dtype);
    if (dimensions < 2) return;
    if (IsQuantized(common)) found_.quantized_bytes += bytes;
    if (common != "float32" || bytes == 0) return;
    ++found_.count;
    found_.bytes += bytes;
    if (bytes > largest_) largest_ = bytes, found_.largest = name;
  }

  void AddTensor(const TensorDescription& tensor) {
    const std::string store = tensor.store;
    const bool is_new = tensor.extent && places_.emplace(tensor.extent->offset, tensor.extent->size).second;
    if (is_new && (store == "segment" || store == "inline"))
      Add(ScalarTypeName(tensor.layout.scalar_type), tensor.layout.sizes.size(), tensor.bytes.value_or(0),
          Quoted(tensor.name));
  }

  void AddDelegate(const DelegateDescription& delegate) {
    if (!delegate.shared_with->empty()) return;
    for (const BlobConstant& constant : delegate.contents->constants) {
      if (!constant.key.empty() && !keys_.insert(constant.key).second) continue;
      const std::string& name = constant.name.empty() ? constant.key : constant.name;
      Add(constant.dtype, constant.sizes.size(), constant.bytes,
          name.empty() ? Text("one of ", Quoted(delegate.name)) : Text(Quoted(name), " of ", Quoted(delegate.name)));
    }
  }

  FloatWeights Take() { return std::move(found_); }

 private:
  FloatWeights found_;
  uint64_t largest_ = 0;
  std::set<std::pair<uint64_t, uint64_t>> places_;
  std::set<std::string> keys_;
};

}  // namespace

FloatWeights FindFloatWeights(const std::vector<TensorDescription>& tensors,
                              const std::vector<DelegateDescription>& delegates) {
  Finder finder;
  for (const TensorDescription& tensor : tensors) finder.AddTensor(tensor);
  for (const DelegateDescription& delegate : delegates) finder.AddDelegate(delegate);
  return finder.Take();
}

}  // namespace pteedit
