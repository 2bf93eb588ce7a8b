// What torch.save writes, as records hold it: the input is a whole archive, or a pickle with two storages beside it.
#include "fuzz_input.h"
#include "record/torch_archive.h"

using namespace pteedit;

namespace {

constexpr uint64_t kMaxElements = 64;

uint64_t CountElements(const TensorValue& tensor) {
  const Result<TensorStatistics> statistics = StatisticsOf(tensor);
  fuzz::Promise(statistics.has_value(), "tensors that were found can be read");
  uint64_t elements = 1;
  for (const int64_t size : tensor.sizes) elements *= static_cast<uint64_t>(size);
  fuzz::Promise(statistics->elements == elements, "tensors have as many elements as their sizes say");
  return elements;
}

void CheckValue(const DebugValue& value) {
  for (const DebugValue& item : value.items) CheckValue(item);
  if (value.kind != DebugValue::Kind::kTensor) return;
  fuzz::Promise((value.tensor.data == nullptr) == (value.tensor.bytes == 0), "empty tensors alone have no data");
  fuzz::Promise(value.tensor.data == nullptr || value.tensor.data->size() == value.tensor.bytes, "data is all there");
  // Storages are small, so what is larger repeats them.
  if (value.tensor.bytes > (uint64_t{1} << 16)) return;
  const uint64_t elements = CountElements(value.tensor);
  fuzz::Promise(ReadElements(value.tensor, kMaxElements).has_value() == (elements <= kMaxElements),
                "few elements can be read");
}

void CheckValues(const Result<TorchValues>& values) {
  if (!values) return;
  for (const auto& [name, value] : values->entries) CheckValue(value);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  CheckValues(ReadTorchArchive(MakeViewSource("input", {data, size})));
  const auto open_storage = [](std::string_view key) -> Result<std::shared_ptr<const Source>> {
    if (key != "0" && key != "1") return Malformed("no such storage");
    return MakeMemorySource("storage", std::vector<uint8_t>(key == "0" ? 64 : 16, 0x3f));
  };
  CheckValues(ReadTorchPickle({reinterpret_cast<const char*>(data), size}, open_storage));
  return 0;
}
