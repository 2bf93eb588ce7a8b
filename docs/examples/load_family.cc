// Loads programs of one family into one process, as an app does that switches between adapters, runs each once with
// inputs of zeros, and prints what it took: load_family [--file] [--weight-cache] [--one-arena] PROGRAM[,DATA...]...
// With
// --file files are read instead of mapped; --weight-cache has XNNPACK keep the weights that it packed, by key; with
// --one-arena all use the planned memory of the first.
#include <executorch/extension/module/module.h>
#include <executorch/extension/tensor/tensor.h>
#include <executorch/runtime/backend/interface.h>
#include <executorch/runtime/backend/options.h>
#include <executorch/runtime/core/hierarchical_allocator.h>
#include <executorch/runtime/platform/runtime.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

using executorch::extension::make_tensor_ptr;
using executorch::extension::Module;
using executorch::extension::TensorPtr;
using executorch::runtime::Error;
using executorch::runtime::EValue;
using executorch::runtime::HierarchicalAllocator;
using executorch::runtime::Span;

// "model.pte,foundation.ptd,adapter.ptd" in parts.
std::vector<std::string> Split(const std::string& paths) {
  std::vector<std::string> parts;
  std::istringstream stream(paths);
  for (std::string part; std::getline(stream, part, ',');) parts.push_back(part);
  return parts;
}

void Check(Error error, const std::string& what) {
  if (error == Error::Ok) return;
  std::fprintf(stderr, "load_family: error: %s: %s\n", what.c_str(), executorch::runtime::to_string(error));
  std::exit(1);
}

// Before the first program is loaded: what XNNPACK packed under a key serves all programs that ask for the key.
void KeepPackedWeights() {
  executorch::runtime::BackendOptions<1> options;
  Check(options.set_option("weight_cache_enabled", true), "weight_cache_enabled");
  Check(executorch::runtime::set_option("XnnpackBackend", options.view()), "XnnpackBackend");
}

// Planned memory for programs of which one runs at a time and none keeps anything there from run to run (mutable
// buffers). As large as the first needs, which for variants of one family is what each needs.
class Arena {
 public:
  HierarchicalAllocator* For(Module& module, const std::string& name) {
    const auto about = module.method_meta("forward");
    Check(about.error(), name);
    if (!allocator_) Make(*about);
    bool fits = about->num_memory_planned_buffers() <= buffers_.size();
    for (size_t i = 0; fits && i < about->num_memory_planned_buffers(); ++i)
      fits = static_cast<size_t>(about->memory_planned_buffer_size(i).get()) <= buffers_[i].size();
    Check(fits ? Error::Ok : Error::MemoryAllocationFailed, name);
    return &*allocator_;
  }

 private:
  void Make(const executorch::runtime::MethodMeta& about) {
    for (size_t i = 0; i < about.num_memory_planned_buffers(); ++i)
      buffers_.emplace_back(static_cast<size_t>(about.memory_planned_buffer_size(i).get()));
    for (std::vector<uint8_t>& buffer : buffers_) spans_.emplace_back(buffer.data(), buffer.size());
    allocator_.emplace(Span<Span<uint8_t>>(spans_.data(), spans_.size()));
  }

  std::vector<std::vector<uint8_t>> buffers_;
  std::vector<Span<uint8_t>> spans_;
  std::optional<HierarchicalAllocator> allocator_;
};

// Data files in the order in which `pteinspect --requirements` and a release's manifest name them. Without an arena it
// gets one of its own.
std::unique_ptr<Module> Load(const std::vector<std::string>& files, Module::LoadMode mode, Arena* arena) {
  const std::vector<std::string> data(files.begin() + 1, files.end());
  auto module = std::make_unique<Module>(files.front(), data, mode);
  Check(module->load_method("forward", arena == nullptr ? nullptr : arena->For(*module, files.front())), files.front());
  return module;
}

void RunOnce(Module& module, const std::string& name) {
  const auto about = module.method_meta("forward");
  Check(about.error(), name);
  std::vector<std::vector<uint8_t>> bytes;
  std::vector<TensorPtr> tensors;
  std::vector<EValue> inputs;
  for (size_t i = 0; i < about->num_inputs(); ++i) {
    const auto input = about->input_tensor_meta(i);
    Check(input.error(), name);
    bytes.emplace_back(input->nbytes(), uint8_t{0});
    tensors.push_back(
        make_tensor_ptr({input->sizes().begin(), input->sizes().end()}, bytes.back().data(), input->scalar_type()));
    inputs.emplace_back(tensors.back());
  }
  Check(module.execute("forward", inputs).error(), name);
}

// A line of what the kernel says about this process, in MiB.
double Memory(const std::string& line) {
  std::ifstream rollup("/proc/self/smaps_rollup");
  for (std::string word; rollup >> word;) {
    double kib = 0;
    if (word == line + ":" && rollup >> kib) return kib / 1024;
  }
  return 0;
}

int main(int argc, char** argv) {
  executorch::runtime::runtime_init();
  Module::LoadMode mode = Module::LoadMode::Mmap;
  std::optional<Arena> arena;
  std::vector<std::unique_ptr<Module>> modules;
  std::printf("load ms  anonymous MiB  PSS MiB  program\n");
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--file") {
      mode = Module::LoadMode::File;
    } else if (argument == "--weight-cache") {
      KeepPackedWeights();
    } else if (argument == "--one-arena") {
      arena.emplace();
    } else {
      const std::vector<std::string> files = Split(argument);
      const double anonymous = Memory("Anonymous"), shared = Memory("Pss");
      const auto start = std::chrono::steady_clock::now();
      modules.push_back(Load(files, mode, arena ? &*arena : nullptr));
      const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
      RunOnce(*modules.back(), files.front());
      std::printf("%7.1f  %13.1f  %7.1f  %s\n", took.count(), Memory("Anonymous") - anonymous, Memory("Pss") - shared,
                  files.front().c_str());
    }
  }
  return 0;
}
