// Loads a program and runs its method forward once with inputs of ones: reproduce [--full] PROGRAM.pte [DATA.ptd...].
// Prints what became of it; exit code 1 where the runtime refuses. With --full the program is verified whole.
#include <executorch/extension/module/module.h>
#include <executorch/extension/tensor/tensor.h>

#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

using executorch::extension::Module;
using executorch::runtime::Error;
using executorch::runtime::Program;

int Refused(const char* stage, Error error) {
  std::printf("%s: %s\n", stage, executorch::runtime::to_string(error));
  return 1;
}

int main(int argc, char** argv) {
  const bool is_full = argc > 1 && std::strcmp(argv[1], "--full") == 0;
  const std::vector<std::string> files(argv + 1 + is_full, argv + argc);
  if (files.empty()) return 2;
  Module module(files.front(), std::vector<std::string>(files.begin() + 1, files.end()), Module::LoadMode::Mmap);
  const auto verification = is_full ? Program::Verification::InternalConsistency : Program::Verification::Minimal;
  if (const Error error = module.load(verification); error != Error::Ok) return Refused("load", error);
  const std::string name = "forward";
  if (const Error error = module.load_method(name); error != Error::Ok) return Refused("load_method", error);
  const auto method = module.method_meta(name);
  std::vector<executorch::extension::TensorPtr> tensors;
  for (size_t i = 0; i < method->num_inputs(); ++i) {
    const auto input = method->input_tensor_meta(i);
    if (!input.ok()) return Refused("input", input.error());
    const std::vector<int32_t> sizes(input->sizes().begin(), input->sizes().end());
    tensors.push_back(executorch::extension::ones(sizes, input->scalar_type()));
  }
  const std::vector<executorch::runtime::EValue> inputs(tensors.begin(), tensors.end());
  const auto outputs = module.execute(name, inputs);
  if (!outputs.ok()) return Refused("execute", outputs.error());
  std::printf("ran");
  for (const auto& output : *outputs) {
    if (!output.isTensor() || output.toTensor().scalar_type() != executorch::aten::ScalarType::Float) continue;
    for (ssize_t i = 0; i < output.toTensor().numel(); ++i)
      std::printf(" %g", output.toTensor().const_data_ptr<float>()[i]);
  }
  std::printf("\n");
  return 0;
}
