#include "session.h"

#include <algorithm>
#include <utility>

#include "digest.h"

namespace pterun {
namespace {

using executorch::aten::SizesType;
using executorch::aten::Tensor;
using executorch::extension::make_tensor_ptr;
using executorch::runtime::Error;
using executorch::runtime::EValue;
using executorch::runtime::MethodMeta;
using executorch::runtime::Result;

void Check(Error error, const char* stage, const std::string& method) {
  if (error != Error::Ok) throw Refused{stage, method, error};
}

template <typename T>
T Check(Result<T> result, const char* stage, const std::string& method) {
  Check(result.error(), stage, method);
  return std::move(*result);
}

}  // namespace

Session::Session(const SessionOptions& options)
    : hash_bytes_(options.hash_bytes),
      dump_(options.dump),
      module_(options.program, options.data, options.load_mode, dump_.MakeTracer(), nullptr, nullptr,
              options.share_arenas) {
  Check(module_.load(options.verification), "load", "");
}

std::vector<std::string> Session::MethodNames() {
  const auto names = Check(module_.method_names(), "load", "");
  std::vector<std::string> sorted(names.begin(), names.end());
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

void Session::Load(const std::string& method) { Check(module_.load_method(method), "method", method); }

nlohmann::json Session::DescribeInputsOf(const std::string& method) { return DescribeInputs(LoadMethod(method)); }

std::vector<std::string> Session::Call(const std::string& method, const nlohmann::json& inputs, uint64_t seed) {
  const MethodMeta about = LoadMethod(method);
  const Inputs made = MakeInputs(inputs, about, seed);
  Check(module_.set_inputs(method, made.values), "set_input", method);
  const std::vector<EValue> outputs = Check(module_.execute(method), "execute", method);
  std::vector<std::string> digests;
  for (const EValue& output : outputs) digests.push_back(hash_bytes_ ? DigestOfBytes(output) : DigestOf(output));
  return digests;
}

void Session::WriteDump() {
  if (module_.event_tracer() != nullptr) dump_.Write(*module_.event_tracer());
}

MethodMeta Session::LoadMethod(const std::string& method) {
  Load(method);
  const MethodMeta about = Check(module_.method_meta(method), "method", method);
  if (!output_memory_.contains(method)) ProvideOutputs(method, about);
  return about;
}

// An output that is neither planned nor a constant nor an input comes without memory. What has memory is left alone:
// the runtime would let us replace a constant's.
void Session::ProvideOutputs(const std::string& method, const MethodMeta& about) {
  auto& memory = output_memory_[method];
  const std::vector<EValue> outputs = Check(module_.get_outputs(method), "method", method);
  for (size_t index = 0; index < outputs.size(); ++index) {
    if (!outputs[index].isTensor() || outputs[index].toTensor().const_data_ptr() != nullptr) continue;
    const auto tensor = Check(about.output_tensor_meta(index), "set_output", method);
    if (tensor.nbytes() == 0) continue;
    memory.emplace_back(tensor.nbytes());
    const auto place = make_tensor_ptr(std::vector<SizesType>(tensor.sizes().begin(), tensor.sizes().end()),
                                       memory.back().data(), tensor.scalar_type());
    Check(module_.set_output(method, *place, index), "set_output", method);
  }
}

}  // namespace pterun
