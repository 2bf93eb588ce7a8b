#include "file_set.h"

#include <algorithm>

#include "container_state.h"
#include "digest.h"
#include "layout.h"
#include "text.h"
#include "try.h"

namespace pteedit {
namespace {

Result<DataIndex> IndexKeys(const std::vector<Container>& data) {
  DataIndex index;
  for (size_t file = 0; file < data.size(); ++file) {
    for (const NamedEntry& entry : data[file].named_data()) {
      const auto [place, is_new] = index.try_emplace(entry.key, DataPlace{file, &entry});
      if (is_new) continue;
      if (place->second.file == file)
        return Malformed(Text("key ", Quoted(entry.key), " occurs twice")).In(data[file].name());
      return Malformed(Text("key ", Quoted(entry.key), " also exists in ", data[place->second.file].name(),
                            "; the runtime refuses such files together"))
          .In(data[file].name());
    }
  }
  return index;
}

Status CheckExternal(const schema::Tensor& tensor, const Container& program, const std::vector<Container>& data,
                     const DataIndex& index) {
  const std::string_view key = ViewOf(tensor.extra_tensor_info()->fully_qualified_name());
  const auto found = index.find(key);
  if (found == index.end()) {
    const std::string where =
        data.empty() ? "a data file; give it with --data" : "a data file, and none of the given has it";
    return InvalidArgument(Text("needs key ", Quoted(key), " from ", where)).In(program.name());
  }
  const NamedEntry& entry = *found->second.entry;
  const std::string& file = data[found->second.file].name();
  if (!entry.layout)
    return Malformed(Text("key ", Quoted(key), " of a tensor has no layout; the runtime crashes on it")).In(file);
  if (!(*entry.layout == LayoutOf(tensor))) {
    return Malformed(Text("key ", Quoted(key), " has another element type, size or dim order than in ", program.name()))
        .In(file);
  }
  const std::optional<uint64_t> bytes = ByteSize(*entry.layout);
  if (!bytes) return Unsupported(Text("key ", Quoted(key), " has an unknown element type")).In(file);
  if (*bytes <= entry.extent.size) return {};
  return Malformed(Text("key ", Quoted(key), " has ", entry.extent.size, " bytes, its tensor needs ", *bytes)).In(file);
}

// Since which release the tables' fields and values are understood.
class Oldest {
 public:
  void Needs(int major, int minor) { release_ = std::max(release_, std::pair(major, minor)); }
  std::string Words() const { return Text(release_.first, '.', release_.second); }

 private:
  std::pair<int, int> release_{0, 1};
};

bool IsNewScalarType(const schema::Tensor& tensor) { return tensor.scalar_type() >= schema::ScalarType::BITS16; }

void AddTensorNeeds(const schema::Tensor& tensor, Oldest& oldest) {
  if (tensor.scalar_type() == schema::ScalarType::HALF) oldest.Needs(0, 2);
  if (IsNewScalarType(tensor)) oldest.Needs(0, 5);
  if (tensor.scalar_type() == schema::ScalarType::BFLOAT16) oldest.Needs(1, 2);
  const schema::ExtraTensorInfo* extra = tensor.extra_tensor_info();
  if (extra == nullptr) return;
  oldest.Needs(0, 4);
  if (extra->location() == schema::TensorDataLocation::EXTERNAL) oldest.Needs(0, 6);
  if (extra->device_type() != schema::DeviceType::CPU || extra->device_index() != 0) oldest.Needs(1, 3);
}

bool HasDelegateData(const Container& data) {
  return std::any_of(data.named_data().begin(), data.named_data().end(),
                     [](const NamedEntry& entry) { return !entry.layout.has_value(); });
}

}  // namespace

Result<DataIndex> CheckTogether(const Container& program, const std::vector<Container>& data) {
  PTEEDIT_ASSIGN(DataIndex index, IndexKeys(data));
  Status status;
  ForEachTensor(program.state().program_root(), [&](size_t, size_t, const schema::Tensor& tensor) {
    const bool is_external = StoreOf(program.state().program_root(), tensor) == Store::kExternal;
    if (status && is_external) status = CheckExternal(tensor, program, data, index);
  });
  PTEEDIT_TRY(std::move(status));
  for (const NamedEntry& entry : program.named_data()) {
    const auto found = index.find(entry.key);
    if (found == index.end()) continue;
    const Container& file = data[found->second.file];
    PTEEDIT_ASSIGN(const bool same,
                   SameBytes(*program.source(), entry.extent, *file.source(), found->second.entry->extent));
    if (same) continue;
    return Malformed(Text("key ", Quoted(entry.key), " also exists in ", program.name(), " with different contents"))
        .In(file.name());
  }
  return index;
}

std::string OldestRuntime(const Container& program, const std::vector<Container>& data) {
  const schema::Program& root = program.state().program_root();
  Oldest oldest;
  if (HasConstantSegment(root) && root.constant_segment()->offsets()->size() > 1) oldest.Needs(0, 2);
  if (OrEmpty(root.mutable_data_segments()).size() != 0) oldest.Needs(0, 4);
  if (OrEmpty(root.named_data()).size() != 0) oldest.Needs(0, 6);
  ForEachTensor(root, [&](size_t, size_t, const schema::Tensor& tensor) { AddTensorNeeds(tensor, oldest); });
  for (const schema::ExecutionPlan* plan : OrEmpty(root.execution_plan())) {
    if (OrEmpty(plan->non_const_buffer_device()).size() != 0) oldest.Needs(1, 3);
  }
  for (const Container& file : data) {
    // Release 0.6 reads only its own, short-lived layout of data files.
    oldest.Needs(0, file.header().layout_06 ? 6 : 7);
    // Backends of 0.7 see a data file only where the program itself has no named data left.
    if (HasDelegateData(file) && !program.named_data().empty()) oldest.Needs(1, 0);
  }
  return oldest.Words();
}

}  // namespace pteedit
