#include "pteedit/requirements.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "base/checked.h"
#include "base/text.h"
#include "needs/releases.h"
#include "program/binding_key.h"
#include "program/container_state.h"
#include "program/file_set.h"
#include "program/layout.h"
#include "program/value_words.h"

namespace pteedit {
namespace {

using flatbuffers::uoffset_t;

constexpr uint64_t kUnbounded = std::numeric_limits<uint64_t>::max();

// The tensor that stands for an argument; null where it has none.
const schema::Tensor* TensorFor(const schema::ExecutionPlan& plan, const schema::EValue& argument) {
  const flatbuffers::Vector<int32_t>* items = nullptr;
  if (const auto* list = argument.val_as_TensorList()) items = list->items();
  if (const auto* list = argument.val_as_OptionalTensorList()) items = list->items();
  for (const int32_t item : OrEmpty(items)) {
    const auto* tensor = item < 0 ? nullptr : plan.values()->Get(static_cast<uoffset_t>(item))->val_as_Tensor();
    if (tensor != nullptr) return tensor;
  }
  return argument.val_as_Tensor();
}

// Every distinct pair of element type and dim order of a program, once.
class ArgumentPool {
 public:
  std::shared_ptr<const TensorArgument> Get(const schema::Tensor& tensor) {
    const TensorLayout layout = LayoutOf(tensor);
    std::shared_ptr<const TensorArgument>& argument = pool_[{layout.scalar_type, layout.dim_order}];
    if (argument == nullptr) argument.reset(new TensorArgument{layout.scalar_type, layout.dim_order});
    return argument;
  }

 private:
  std::map<std::pair<int8_t, std::vector<uint8_t>>, std::shared_ptr<const TensorArgument>> pool_;
};

class OperatorCollector {
 public:
  void AddMethod(const schema::ExecutionPlan& plan) {
    std::vector<Found*> operators;
    for (const schema::Operator* op : OrEmpty(plan.operators())) operators.push_back(&found_[OperatorName(*op)]);
    arguments_.assign(OrEmpty(plan.values()).size(), {});
    for (const schema::Chain* chain : OrEmpty(plan.chains())) {
      for (const schema::Instruction* instruction : OrEmpty(chain->instructions())) {
        const schema::KernelCall* call = instruction->instr_args_as_KernelCall();
        if (call != nullptr) AddCall(plan, *call, *operators[static_cast<size_t>(call->op_index())]);
      }
    }
  }

  std::vector<OperatorRequirement> Take() && {
    std::vector<OperatorRequirement> operators;
    for (auto& [name, found] : found_) {
      std::map<std::string, KernelSignature> sorted;
      for (const KernelSignature& signature : found.signatures) sorted.emplace(KernelKey(signature), signature);
      OperatorRequirement requirement{name, found.calls, {}};
      for (auto& [key, signature] : sorted) requirement.signatures.push_back(std::move(signature));
      operators.push_back(std::move(requirement));
    }
    return operators;
  }

 private:
  struct Found {
    uint64_t calls = 0;
    std::set<KernelSignature> signatures;  // by address: the pool has equal arguments only once
  };
  // What is known of a value as an argument.
  struct Argument {
    bool known = false;
    std::shared_ptr<const TensorArgument> tensor;
  };

  void AddCall(const schema::ExecutionPlan& plan, const schema::KernelCall& call, Found& found) {
    ++found.calls;
    KernelSignature signature;
    for (const int32_t value : OrEmpty(call.args())) {
      Argument& argument = arguments_[static_cast<size_t>(value)];
      if (!argument.known) argument = Look(plan, *plan.values()->Get(static_cast<uoffset_t>(value)));
      if (argument.tensor != nullptr) signature.push_back(argument.tensor);
    }
    found.signatures.insert(std::move(signature));
  }

  Argument Look(const schema::ExecutionPlan& plan, const schema::EValue& value) {
    const schema::Tensor* tensor = TensorFor(plan, value);
    return {true, tensor == nullptr ? nullptr : pool_.Get(*tensor)};
  }

  ArgumentPool pool_;
  std::map<std::string, Found> found_;
  std::vector<Argument> arguments_;  // by value of the method at hand
};

// Facts of decoders that tell where a blob runs and with what, not what is in it.
bool TellsTarget(const std::string& fact) {
  static const std::set<std::string> kNames = {"architectures",
                                               "backend_type",
                                               "chipset",
                                               "command_stream",
                                               "compute_units",
                                               "device",
                                               "htp_arch",
                                               "platform",
                                               "qnn_sdk_version",
                                               "platform-config",
                                               "min_deployment_target",
                                               "min_deployment_version",
                                               "runtime",
                                               "soc_model",
                                               "target",
                                               "tensorrt_version",
                                               "specification_version",
                                               "tosa_spec",
                                               "tosa_version",
                                               "vgf_version",
                                               "vulkan_extensions"};
  return kNames.count(fact) != 0;
}

class BackendCollector {
 public:
  void Add(const DelegateDescription& delegate) {
    const auto [place, is_new] = index_.emplace(delegate.backend, backends_.size());
    if (is_new) backends_.push_back({{delegate.backend, {}, {}, {}}, {}, {}});
    Found& found = backends_[place->second];
    found.row.delegates.push_back(delegate.name);
    for (const DelegateDescription::CompileSpec& spec : delegate.compile_specs) {
      if (found.specs.emplace(spec.key, spec.bytes, spec.text).second) found.row.compile_specs.push_back(spec);
    }
    for (const BlobFact& fact : delegate.contents->facts) {
      if (TellsTarget(fact.name) && found.facts.emplace(fact.name, fact.value).second)
        found.row.targets.push_back(fact);
    }
  }

  std::vector<BackendRequirement> Take() && {
    std::vector<BackendRequirement> rows;
    for (Found& found : backends_) rows.push_back(std::move(found.row));
    return rows;
  }

 private:
  struct Found {
    BackendRequirement row;
    std::set<std::tuple<std::string, uint64_t, std::string>> specs;
    std::set<std::pair<std::string, std::string>> facts;
  };
  std::map<std::string, size_t> index_;
  std::vector<Found> backends_;
};

// Keys that the program asks data files for.
class KeyCollector {
 public:
  explicit KeyCollector(const ProgramSet& set) : set_(set) {
    for (const NamedEntry& entry : set.program().named_data()) inside_.insert(entry.key);
  }

  // Tensors never look into the program itself.
  void AddTensors(const schema::Program& program) {
    ForEachTensor(program, [&](size_t method, size_t, const schema::Tensor& tensor) {
      if (StoreOf(program, tensor) != Store::kExternal) return;
      const schema::ExecutionPlan& plan = *program.execution_plan()->Get(static_cast<uoffset_t>(method));
      const std::string_view key = ViewOf(tensor.extra_tensor_info()->fully_qualified_name());
      Add(key, Text("method ", ViewOf(plan.name())));
      if (IsBindingTensor(tensor)) rows_[std::string(key)].binds = true;
    });
  }

  void AddDelegate(const DelegateDescription& delegate) {
    for (const DelegateDescription::Key& key : delegate.keys) {
      if (inside_.count(key.key) != 0) continue;
      if (!Add(key.key, delegate.name)) lacks_delegate_data_ = true;
    }
  }

  std::vector<KeyRequirement> Take() {
    std::vector<KeyRequirement> rows;
    for (auto& [key, row] : rows_) rows.push_back(std::move(row));
    return rows;
  }
  bool lacks_delegate_data() const { return lacks_delegate_data_; }
  // Files that hold keys, and one more for those that no file has.
  uint64_t files() const { return files_.size() + (lacks_ ? 1 : 0); }
  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const size_t file : files_) names.push_back(set_.data()[file].name());
    return names;
  }

 private:
  // Whether a given file has the key.
  bool Add(std::string_view key, const std::string& user) {
    const DataPlace* place = set_.FindInData(key);
    KeyRequirement& row = rows_[std::string(key)];
    if (row.users.empty()) {
      row.key = key;
      if (place != nullptr) row.bytes = place->entry->extent.size, row.file = set_.data()[place->file].name();
    }
    if (row.users.empty() || row.users.back() != user) row.users.push_back(user);
    if (place != nullptr) files_.insert(place->file);
    lacks_ = lacks_ || place == nullptr;
    return place != nullptr;
  }

  const ProgramSet& set_;
  std::set<std::string_view> inside_;
  std::map<std::string, KeyRequirement> rows_;
  std::set<size_t> files_;
  bool lacks_ = false, lacks_delegate_data_ = false;
};

// Of the method that takes most: its planned arenas and what the largest of its delegates takes while it runs.
uint64_t WorkingBytes(const schema::Program& root, const std::vector<DelegateDescription>& delegates) {
  std::map<std::string_view, uint64_t> scratch;
  for (const DelegateDescription& delegate : delegates) {
    uint64_t& most = scratch[delegate.method];
    most = std::max(most, ScratchBytes(delegate).value_or(0));
  }
  uint64_t most = 0;
  for (const schema::ExecutionPlan* plan : OrEmpty(root.execution_plan())) {
    most = std::max(most, CheckedAdd(scratch[ViewOf(plan->name())], SumOfArenas(*plan)).value_or(kUnbounded));
  }
  return most;
}

std::string KeyOf(const TensorArgument& argument) {
  std::string key = Text(static_cast<int>(argument.scalar_type), ";");
  for (size_t i = 0; i < argument.dim_order.size(); ++i)
    key += Text(i == 0 ? "" : ",", static_cast<int>(argument.dim_order[i]));
  return key;
}

}  // namespace

std::string KernelKey(const KernelSignature& signature) {
  std::string key = "v1";
  for (size_t i = 0; i < signature.size(); ++i) key += (i == 0 ? "/" : "|") + KeyOf(*signature[i]);
  return key;
}

Requirements DescribeRequirements(const ProgramSet& set, const std::vector<DelegateDescription>& delegates) {
  Requirements found;
  if (set.file().kind() == FileKind::kNative) return found;  // which no release loads
  if (set.file().kind() == FileKind::kData) {
    found.runtime = RuntimeNeedsOfData(set.file());
    found.min_runtime = OldestOf(found.runtime);
    return found;
  }
  const Container& program = set.program();
  const schema::Program& root = program.state().program_root();
  OperatorCollector operators;
  for (const schema::ExecutionPlan* plan : OrEmpty(root.execution_plan())) operators.AddMethod(*plan);
  found.operators = std::move(operators).Take();
  BackendCollector backends;
  KeyCollector keys(set);
  keys.AddTensors(root);
  for (const DelegateDescription& delegate : delegates) {
    backends.Add(delegate);
    keys.AddDelegate(delegate);
  }
  found.backends = std::move(backends).Take();
  found.external_keys = keys.Take();
  found.data_files = keys.files();
  found.data = keys.names();
  found.memory_bytes = CheckedAdd(set.bytes(), WorkingBytes(root, delegates)).value_or(kUnbounded);
  std::vector<RuntimeNeed> blobs;
  for (const DelegateDescription& delegate : delegates)
    blobs.insert(blobs.end(), delegate.runtime.begin(), delegate.runtime.end());
  found.runtime = RuntimeNeeds(set, blobs, keys.lacks_delegate_data());
  found.foreign_operators = ForeignOperators(program);
  found.min_runtime = OldestOf(found.runtime);
  return found;
}

}  // namespace pteedit
