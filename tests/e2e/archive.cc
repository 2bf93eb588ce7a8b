#include "archive.h"

#include <executorch/extension/memory_allocator/malloc_memory_allocator.h>
#include <executorch/runtime/executor/method.h>

#include <map>
#include <memory>
#include <vector>

#include "../../docs/examples/mapped_archive.h"
#include "digest.h"
#include "inputs.h"
#include "session.h"

namespace pterun {
namespace {

using executorch::extension::MallocMemoryAllocator;
using executorch::runtime::Error;
using executorch::runtime::HierarchicalAllocator;
using executorch::runtime::MemoryManager;
using executorch::runtime::Method;
using executorch::runtime::MethodMeta;
using executorch::runtime::Span;

// A method with the memory that it was planned for.
class LoadedMethod {
 public:
  LoadedMethod(const MappedModel& model, const std::string& name)
      : about_(Check(model.program().method_meta(name.c_str()), "method", name)) {
    for (size_t i = 0; i < about_.num_memory_planned_buffers(); ++i)
      planned_.emplace_back(static_cast<size_t>(Check(about_.memory_planned_buffer_size(i), "method", name)));
    for (std::vector<uint8_t>& buffer : planned_) spans_.push_back({buffer.data(), buffer.size()});
    allocator_ = std::make_unique<HierarchicalAllocator>(Span<Span<uint8_t>>(spans_.data(), spans_.size()));
    memory_ = std::make_unique<MemoryManager>(&method_memory_, allocator_.get(), &temporary_);
    method_ = std::make_unique<Method>(
        Check(model.program().load_method(name.c_str(), memory_.get(), nullptr, model.data()), "method", name));
  }

  void Call(const std::string& name, const nlohmann::json& descriptions, uint64_t seed, nlohmann::ordered_json& into) {
    Inputs inputs = MakeInputs(descriptions, about_, seed);
    Check(method_->set_inputs({inputs.values.data(), inputs.values.size()}), "set_input", name);
    Check(method_->execute(), "execute", name);
    for (size_t i = 0; i < method_->outputs_size(); ++i) into.push_back(DigestOf(method_->get_output(i)));
  }

 private:
  static void Check(Error error, const char* stage, const std::string& method) {
    if (error != Error::Ok) throw Refused{stage, method, error};
  }
  template <class T>
  static T Check(executorch::runtime::Result<T> result, const char* stage, const std::string& method) {
    Check(result.error(), stage, method);
    return std::move(*result);
  }

  MethodMeta about_;
  std::vector<std::vector<uint8_t>> planned_;
  std::vector<Span<uint8_t>> spans_;
  MallocMemoryAllocator method_memory_, temporary_;
  std::unique_ptr<HierarchicalAllocator> allocator_;
  std::unique_ptr<MemoryManager> memory_;
  std::unique_ptr<Method> method_;
};

}  // namespace

nlohmann::ordered_json RunArchive(const std::string& path, const std::vector<SeededCall>& calls) {
  const MappedModel model(path);
  std::map<std::string, LoadedMethod> loaded;
  nlohmann::ordered_json methods = nlohmann::ordered_json::object();
  for (const auto& [call, seed] : calls) {
    const std::string name = call.at("method");
    auto method = loaded.find(name);
    if (method == loaded.end()) method = loaded.try_emplace(name, model, name).first;
    method->second.Call(name, call.at("inputs"), seed, methods[name]);
  }
  return methods;
}

}  // namespace pterun
