#include "advise/float_weights.h"

#include <numeric>
#include <set>
#include <string_view>
#include <utility>

#include "base/first_of_equal.h"
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

  // What has bytes in one place counts once.
  void AddConstants(const std::vector<Constant>& constants) {
    std::vector<size_t> all(constants.size());
    std::iota(all.begin(), all.end(), size_t{0});
    const std::vector<size_t> first = FirstOfEqual(constants.size(), std::move(all), [&](size_t i) {
      return std::pair(constants[i].extent.offset, constants[i].extent.size);
    });
    for (size_t i = 0; i < constants.size(); ++i) {
      if (first[i] != i || constants[i].store == Store::kMutable) continue;
      const TensorLayout layout = constants[i].uses.front().layout();
      Add(ScalarTypeName(layout.scalar_type), layout.sizes.size(), ByteSize(layout).value_or(0),
          Quoted(constants[i].name));
    }
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
  std::set<std::string> keys_;
};

}  // namespace

FloatWeights FindFloatWeights(const std::vector<Constant>& constants,
                              const std::vector<DelegateDescription>& delegates) {
  Finder finder;
  finder.AddConstants(constants);
  for (const DelegateDescription& delegate : delegates) finder.AddDelegate(delegate);
  return finder.Take();
}

}  // namespace pteedit
