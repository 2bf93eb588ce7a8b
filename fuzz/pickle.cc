// What torch.save writes, as records hold it: the input is a whole archive, or a pickle with two storages beside it.
#include "fuzz_input.h"
#include "record/torch_archive.h"
#include "tensor_promises.h"

using namespace pteedit;

namespace {

void CheckValues(const Result<TorchValues>& values) {
  if (!values) return;
  for (const auto& [name, value] : values->entries) fuzz::CheckValue(value);
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
