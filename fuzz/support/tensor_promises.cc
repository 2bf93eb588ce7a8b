#include "tensor_promises.h"

#include "fuzz_input.h"

namespace pteedit::fuzz {
namespace {

constexpr uint64_t kMaxElements = 64;

uint64_t CountElements(const TensorValue& tensor) {
  const Result<TensorStatistics> statistics = StatisticsOf(tensor);
  PromiseResult(statistics, "tensors that were found can be read:");
  uint64_t elements = 1;
  for (const int64_t size : tensor.sizes) elements *= static_cast<uint64_t>(size);
  Promise(statistics->elements == elements, "tensors have as many elements as their sizes say");
  return elements;
}

}  // namespace

void CheckValue(const DebugValue& value) {
  for (const DebugValue& item : value.items) CheckValue(item);
  if (value.kind != DebugValue::Kind::kTensor) return;
  Promise((value.tensor.data == nullptr) == (value.tensor.bytes == 0), "empty tensors alone have no data");
  Promise(value.tensor.data == nullptr || value.tensor.data->size() == value.tensor.bytes, "data is all there");
  // Storages are small, so what is larger repeats them.
  if (value.tensor.bytes > (uint64_t{1} << 16)) return;
  const uint64_t elements = CountElements(value.tensor);
  Promise(ReadElements(value.tensor, kMaxElements).has_value() == (elements <= kMaxElements),
          "few elements can be read");
}

}  // namespace pteedit::fuzz
