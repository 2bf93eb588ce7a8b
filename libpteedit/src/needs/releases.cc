#include "needs/releases.h"

#include <algorithm>
#include <charconv>
#include <functional>
#include <iterator>
#include <set>
#include <utility>

#include "base/text.h"
#include "needs/blob_needs.h"
#include "program/container_state.h"
#include "program/file_set.h"
#include "program/layout.h"
#include "program/value_words.h"
#include "pteedit/try.h"

namespace pteedit {
namespace {

constexpr RuntimeRelease kFirst = {0, 1};
constexpr RuntimeRelease kLastWithBuffers = {1, 2};  // wheels of 1.3 refuse a program's constant_buffer

class NeedList {
 public:
  void Add(int major, int minor, std::string what) { Add(NeedOf({major, minor}, {}, std::move(what))); }

  void Add(const RuntimeNeed& need) {
    if (known_.insert(need.what).second) list_.push_back(need);
  }

  void AddLayoutOf(const Container& data) {
    // Release 0.6 reads only its own, short-lived layout of data files.
    if (data.header().layout_06) return Add({"0.6", "a data file in the layout of release 0.6", "0.6"});
    Add(0, 7, "a data file in the layout of today");
  }

  // Backends of 0.7 see a data file only where the program itself has no named data left.
  void AddDelegateData(const Container& program) {
    if (program.named_data().empty()) return Add(0, 7, "data of delegates in data files");
    Add(1, 0, "data of delegates in data files beside named data in the program");
  }

  std::vector<RuntimeNeed> NewestFirst() && {
    std::ranges::stable_sort(list_, std::greater(), [](const RuntimeNeed& need) { return ReleaseOf(need.release); });
    return std::move(list_);
  }

 private:
  std::vector<RuntimeNeed> list_;
  std::set<std::string> known_;
};

void AddTensorNeeds(const schema::Tensor& tensor, NeedList& needs) {
  if (tensor.scalar_type() == schema::ScalarType::HALF) needs.Add(0, 2, "float16 tensors");
  if (tensor.scalar_type() >= schema::ScalarType::BITS16) needs.Add(0, 5, "uint16, uint32, uint64 or float8 tensors");
  const schema::ExtraTensorInfo* extra = tensor.extra_tensor_info();
  if (extra == nullptr) return;
  needs.Add(0, 4, "tensors with a name or an initial state");
  if (extra->location() == schema::TensorDataLocation::EXTERNAL) needs.Add(0, 6, "tensors in data files");
  if (extra->device_type() != schema::DeviceType::CPU || extra->device_index() != 0)
    needs.Add(1, 3, "tensors on another device than the CPU");
}

// Calls visit(name, row of the table or null) for every operator that is called, by name.
template <class Visit>
void ForEachCalled(const schema::Program& program, Visit visit) {
  std::set<std::string> names;
  for (const schema::ExecutionPlan* plan : OrEmpty(program.execution_plan())) {
    std::vector<bool> is_called(OrEmpty(plan->operators()).size());
    for (const schema::Chain* chain : OrEmpty(plan->chains())) {
      for (const schema::Instruction* instruction : OrEmpty(chain->instructions())) {
        const schema::KernelCall* call = instruction->instr_args_as_KernelCall();
        if (call != nullptr) is_called[static_cast<size_t>(call->op_index())] = true;
      }
    }
    for (flatbuffers::uoffset_t i = 0; i < OrEmpty(plan->operators()).size(); ++i) {
      if (is_called[i]) names.insert(OperatorName(*plan->operators()->Get(i)));
    }
  }
  for (const std::string& name : names) visit(name, FindReleasesOf(name, StockKernels()));
}

// Which library has it, where it is not the first that everybody links.
const char* LibraryWords(std::string_view kernel) {
  if (kernel.starts_with("quantized_decomposed::")) return " of the quantized kernels";
  const bool is_custom = kernel.starts_with("llama::") || kernel.starts_with("preprocess::");
  return is_custom ? " of custom_ops" : "";
}

void AddKernelNeeds(const schema::Program& program, NeedList& needs) {
  ForEachCalled(program, [&](const std::string& name, const NameInReleases* row) {
    if (row != nullptr && IsYounger(row->first, row->last)) needs.Add(KernelNeed(name));
  });
}

bool HasDelegateData(const Container& data) {
  return std::any_of(data.named_data().begin(), data.named_data().end(),
                     [](const NamedEntry& entry) { return !entry.layout.has_value(); });
}

}  // namespace

RuntimeRelease ReleaseOf(std::string_view text) {
  RuntimeRelease release;
  const auto [dot, error] = std::from_chars(text.data(), text.data() + text.size(), release.major);
  if (error == std::errc() && dot != text.data() + text.size())
    std::from_chars(dot + 1, text.data() + text.size(), release.minor);
  return release;
}

bool IsYounger(RuntimeRelease first, RuntimeRelease last) { return first > kFirst || last != RuntimeRelease(); }

RuntimeNeed NeedOf(RuntimeRelease first, RuntimeRelease last, std::string what) {
  RuntimeNeed need{Text(first.major, '.', first.minor), std::move(what), ""};
  if (last == RuntimeRelease()) return need;
  need.last = Text(last.major, '.', last.minor);
  need.what += Text(", which no release after ", need.last, " has");
  return need;
}

RuntimeNeed KernelNeed(std::string_view kernel) {
  const std::string what = Text("kernel ", Quoted(kernel));
  const NameInReleases* row = FindReleasesOf(kernel, StockKernels());
  RuntimeNeed need = row == nullptr ? RuntimeNeed{"", what + kInNoRelease}
                                    : NeedOf(row->first, row->last, what + LibraryWords(kernel));
  need.kind = RuntimeNeed::Kind::kKernel;
  return need;
}

std::vector<RuntimeNeed> RuntimeNeeds(const ProgramSet& set, const std::vector<RuntimeNeed>& blobs,
                                      bool lacks_delegate_data) {
  const Container& program = set.program();
  const schema::Program& root = program.state().program_root();
  NeedList needs;
  if (HasConstantSegment(root) && root.constant_segment()->offsets()->size() > 1)
    needs.Add(0, 2, "constants in a segment");
  if (OrEmpty(root.constant_buffer()).size() > 1)
    needs.Add(NeedOf(kFirst, kLastWithBuffers, "constants in the tables"));
  if (OrEmpty(root.mutable_data_segments()).size() != 0) needs.Add(0, 4, "initial states in segments");
  if (OrEmpty(root.named_data()).size() != 0) needs.Add(0, 6, "named data");
  ForEachTensor(root, [&](size_t, size_t, const schema::Tensor& tensor) { AddTensorNeeds(tensor, needs); });
  for (const schema::ExecutionPlan* plan : OrEmpty(root.execution_plan())) {
    if (OrEmpty(plan->non_const_buffer_device()).size() != 0) needs.Add(1, 3, "memory on another device than the CPU");
    for (const schema::BackendDelegate* delegate : OrEmpty(plan->delegates())) {
      if (delegate->compile_specs() == nullptr) needs.Add(1, 3, "delegates without a list of compile specs");
    }
  }
  for (const RuntimeNeed& need : blobs) needs.Add(need);
  AddKernelNeeds(root, needs);
  for (const Container& file : set.data()) {
    needs.AddLayoutOf(file);
    if (HasDelegateData(file)) needs.AddDelegateData(program);
  }
  if (lacks_delegate_data) needs.AddDelegateData(program);
  return std::move(needs).NewestFirst();
}

std::vector<RuntimeNeed> RuntimeNeedsOfData(const Container& data) {
  NeedList needs;
  needs.AddLayoutOf(data);
  return std::move(needs).NewestFirst();
}

std::string OldestOf(const std::vector<RuntimeNeed>& needs) { return needs.empty() ? "0.1" : needs.front().release; }

Result<std::string> OldestRuntime(const ProgramSet& set) {
  const Container& program = set.program();
  BlobNeeds look(program);
  std::vector<RuntimeNeed> blobs;
  for (const schema::ExecutionPlan* plan : OrEmpty(program.state().program_root().execution_plan())) {
    for (const schema::BackendDelegate* delegate : OrEmpty(plan->delegates())) {
      PTEEDIT_ASSIGN(std::vector<RuntimeNeed> needs, look.Of(*delegate));
      blobs.insert(blobs.end(), std::move_iterator(needs.begin()), std::move_iterator(needs.end()));
    }
  }
  return OldestOf(RuntimeNeeds(set, blobs, false));
}

std::vector<std::string> ForeignOperators(const Container& program) {
  std::vector<std::string> names;
  ForEachCalled(program.state().program_root(), [&](const std::string& name, const NameInReleases* row) {
    if (row == nullptr) names.push_back(name);
  });
  return names;
}

std::string NewerRelease(std::string a, std::string b) { return std::move(ReleaseOf(a) < ReleaseOf(b) ? b : a); }

Status ReportRuntime(const ProgramSet& set, RewriteReport& report) {
  PTEEDIT_ASSIGN(std::string oldest, OldestRuntime(set));
  report.min_runtime = NewerRelease(std::move(report.min_runtime), std::move(oldest));
  const std::string names = Joined(ForeignOperators(set.program()), ", ", Quoted);
  if (!names.empty())
    report.notes.push_back(Text(set.program().name(), " calls operators not in the stock libraries: ", names));
  return {};
}

}  // namespace pteedit
