#include "file_set.h"

#include <algorithm>
#include <set>

#include "container_state.h"
#include "damage.h"
#include "digest.h"
#include "layout.h"
#include "text.h"
#include "try.h"

namespace pteedit {
namespace {

class Examiner {
 public:
  Examiner(const Container& program, const std::vector<Container>& data) : program_(program), data_(data) {}

  Result<FileSet> Examine() {
    IndexKeys();
    const schema::Program& root = program_.state().program_root();
    ForEachTensor(root, [&](size_t, size_t, const schema::Tensor& tensor) {
      if (StoreOf(root, tensor) == Store::kExternal) CheckExternal(tensor);
    });
    PTEEDIT_TRY(CompareKeysInBoth());
    return std::move(set_);
  }

 private:
  static std::string KeyWords(std::string_view key) { return Text("key ", Quoted(key)); }

  void Keep(std::vector<Error>& list, Error error, const std::string& file) const {
    if (list.size() < kMostProblems) list.push_back(std::move(error).In(file));
  }

  void IndexKeys() {
    for (size_t file = 0; file < data_.size(); ++file) {
      for (const NamedEntry& entry : data_[file].named_data()) {
        const auto [place, is_new] = set_.index.try_emplace(entry.key, DataPlace{file, &entry});
        if (is_new) continue;
        const size_t first = place->second.file;
        const std::string what =
            first == file ? "occurs twice"
                          : Text("also exists in ", data_[first].name(), "; the runtime refuses such files together");
        Keep(set_.problems, Damaged("key-twice", KeyWords(entry.key), what), data_[file].name());
      }
    }
  }

  void CheckExternal(const schema::Tensor& tensor) {
    const std::string_view key = ViewOf(tensor.extra_tensor_info()->fully_qualified_name());
    const auto found = set_.index.find(key);
    if (found == set_.index.end()) return MissesKey(key);
    const NamedEntry& entry = *found->second.entry;
    const std::string& file = data_[found->second.file].name();
    const auto wrong = [&](const char* finding, const std::string& what) {
      Keep(set_.problems, Damaged(finding, KeyWords(key), what), file);
    };
    if (!entry.layout) return wrong("layout-missing", "of a tensor has no layout; the runtime crashes on it");
    if (!(*entry.layout == LayoutOf(tensor))) {
      return wrong("layout-differs", Text("has another element type, size or dim order than in ", program_.name()));
    }
    const std::optional<uint64_t> bytes = ByteSize(*entry.layout);
    if (!bytes) {
      return Keep(set_.problems, NotUnderstood("scalar-type", KeyWords(key), "has an unknown element type"), file);
    }
    if (*bytes <= entry.extent.size) return;
    wrong("segment-too-short", Text("has ", entry.extent.size, " bytes, its tensor needs ", *bytes));
  }

  void MissesKey(std::string_view key) {
    if (!missing_.insert(key).second) return;
    const std::string from =
        data_.empty() ? "a data file, and none is given" : "a data file, and none of the given has it";
    Error error = InvalidArgument(Text("needs key ", Quoted(key), " from ", from));
    error.finding = "key-missing";
    Keep(set_.problems, std::move(error), program_.name());
  }

  Status CompareKeysInBoth() {
    for (const NamedEntry& entry : program_.named_data()) {
      const auto found = set_.index.find(entry.key);
      if (found == set_.index.end()) continue;
      const Container& file = data_[found->second.file];
      PTEEDIT_ASSIGN(const bool same,
                     SameBytes(*program_.source(), entry.extent, *file.source(), found->second.entry->extent));
      Error error = Damaged(same ? "key-in-both" : "key-shadowed", KeyWords(entry.key),
                            Text("also exists in ", program_.name(), same ? "" : " with different contents"));
      Keep(same ? set_.remarks : set_.problems, std::move(error), file.name());
    }
    return {};
  }

  const Container& program_;
  const std::vector<Container>& data_;
  std::set<std::string_view> missing_;
  FileSet set_;
};

// Since which release the tables' fields and values are understood.
class NeedList {
 public:
  // `what` is the same literal wherever the same is meant.
  void Add(int major, int minor, const char* what) {
    const bool known = std::any_of(list_.begin(), list_.end(), [&](const Need& need) { return need.what == what; });
    if (!known) list_.push_back({{major, minor}, what});
  }

  void AddLayoutOf(const Container& data) {
    // Release 0.6 reads only its own, short-lived layout of data files.
    if (data.header().layout_06) return Add(0, 6, "a data file in the layout of release 0.6");
    Add(0, 7, "a data file in the layout of today");
  }

  // Backends of 0.7 see a data file only where the program itself has no named data left.
  void AddDelegateData(const Container& program) {
    if (program.named_data().empty()) return Add(0, 7, "data of delegates in data files");
    Add(1, 0, "data of delegates in data files beside named data in the program");
  }

  std::vector<RuntimeNeed> NewestFirst() && {
    std::stable_sort(list_.begin(), list_.end(), [](const Need& a, const Need& b) { return a.release > b.release; });
    std::vector<RuntimeNeed> needs;
    for (const Need& need : list_) needs.push_back({Text(need.release.first, '.', need.release.second), need.what});
    return needs;
  }

 private:
  struct Need {
    std::pair<int, int> release;
    const char* what = "";
  };
  std::vector<Need> list_;
};

void AddTensorNeeds(const schema::Tensor& tensor, NeedList& needs) {
  if (tensor.scalar_type() == schema::ScalarType::HALF) needs.Add(0, 2, "float16 tensors");
  if (tensor.scalar_type() >= schema::ScalarType::BITS16) needs.Add(0, 5, "uint16, uint32, uint64 or float8 tensors");
  if (tensor.scalar_type() == schema::ScalarType::BFLOAT16) needs.Add(1, 2, "bfloat16 tensors");
  const schema::ExtraTensorInfo* extra = tensor.extra_tensor_info();
  if (extra == nullptr) return;
  needs.Add(0, 4, "tensors with a name or an initial state");
  if (extra->location() == schema::TensorDataLocation::EXTERNAL) needs.Add(0, 6, "tensors in data files");
  if (extra->device_type() != schema::DeviceType::CPU || extra->device_index() != 0)
    needs.Add(1, 3, "tensors on another device than the CPU");
}

// Backends that are younger than the format.
void AddBackendNeed(std::string_view backend, NeedList& needs) {
  if (backend == "CudaBackend" || backend == "MetalBackend") needs.Add(1, 1, "the backends of AOTInductor");
  if (backend == "MLXBackend") needs.Add(1, 3, "backend MLXBackend");
  if (backend == "NativeBackend") needs.Add(1, 5, "backend NativeBackend");
}

bool HasDelegateData(const Container& data) {
  return std::any_of(data.named_data().begin(), data.named_data().end(),
                     [](const NamedEntry& entry) { return !entry.layout.has_value(); });
}

}  // namespace

Result<FileSet> ExamineTogether(const Container& program, const std::vector<Container>& data) {
  return Examiner(program, data).Examine();
}

Result<DataIndex> CheckTogether(const Container& program, const std::vector<Container>& data) {
  PTEEDIT_ASSIGN(FileSet set, ExamineTogether(program, data));
  if (!set.problems.empty()) return std::move(set.problems.front());
  return std::move(set.index);
}

std::vector<RuntimeNeed> RuntimeNeeds(const Container& program, const std::vector<Container>& data,
                                      bool lacks_delegate_data) {
  const schema::Program& root = program.state().program_root();
  NeedList needs;
  if (HasConstantSegment(root) && root.constant_segment()->offsets()->size() > 1)
    needs.Add(0, 2, "constants in a segment");
  if (OrEmpty(root.mutable_data_segments()).size() != 0) needs.Add(0, 4, "initial states in segments");
  if (OrEmpty(root.named_data()).size() != 0) needs.Add(0, 6, "named data");
  ForEachTensor(root, [&](size_t, size_t, const schema::Tensor& tensor) { AddTensorNeeds(tensor, needs); });
  for (const schema::ExecutionPlan* plan : OrEmpty(root.execution_plan())) {
    if (OrEmpty(plan->non_const_buffer_device()).size() != 0) needs.Add(1, 3, "memory on another device than the CPU");
    for (const schema::BackendDelegate* delegate : OrEmpty(plan->delegates()))
      AddBackendNeed(ViewOf(delegate->id()), needs);
  }
  for (const Container& file : data) {
    needs.AddLayoutOf(file);
    if (HasDelegateData(file)) needs.AddDelegateData(program);
  }
  if (lacks_delegate_data) needs.AddDelegateData(program);
  return std::move(needs).NewestFirst();
}

std::vector<RuntimeNeed> RuntimeNeeds(const Container& data) {
  NeedList needs;
  needs.AddLayoutOf(data);
  return std::move(needs).NewestFirst();
}

std::string OldestOf(const std::vector<RuntimeNeed>& needs) { return needs.empty() ? "0.1" : needs.front().release; }

std::string OldestRuntime(const Container& program, const std::vector<Container>& data) {
  return OldestOf(RuntimeNeeds(program, data, false));
}

}  // namespace pteedit
