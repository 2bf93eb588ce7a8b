#include "pteedit/tensors.h"

#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/checked.h"
#include "base/text.h"
#include "edit/binding.h"
#include "edit/data_builder.h"
#include "edit/plan.h"
#include "needs/releases.h"
#include "program/binding_key.h"
#include "program/layout.h"
#include "pteedit/try.h"

namespace pteedit {
namespace {

constexpr uint64_t kLeastAlignment = 16, kMostAlignment = 65536;

Status CheckTensor(const StoredTensor& tensor) {
  if (!tensor.layout) return {};
  if (Status checked = CheckLayout(*tensor.layout); !checked)
    return InvalidArgument(Text("tensor ", Quoted(tensor.key), " ", checked.error().message));
  const std::optional<uint64_t> bytes = ByteSize(*tensor.layout);
  if (!bytes || *bytes == tensor.extent.size) return {};
  return InvalidArgument(
      Text("tensor ", Quoted(tensor.key), " has ", tensor.extent.size, " bytes, ", *bytes, " expected"));
}

Result<PlannedFile> PlanTensors(const std::vector<StoredTensor>& tensors, uint64_t alignment) {
  DataBuilder builder;
  std::set<std::string_view> keys;
  std::map<std::tuple<const Source*, uint64_t, uint64_t>, uint32_t> segments;
  for (const StoredTensor& tensor : tensors) {
    if (!keys.insert(tensor.key).second) return InvalidArgument(Text("key ", Quoted(tensor.key), " is there twice"));
    PTEEDIT_TRY(CheckTensor(tensor));
    const auto [segment, is_new] =
        segments.try_emplace({tensor.source.get(), tensor.extent.offset, tensor.extent.size}, 0);
    if (is_new) segment->second = builder.AddSegment(tensor.source, tensor.extent);
    builder.AddEntry(tensor.key, segment->second, tensor.layout ? &*tensor.layout : nullptr);
  }
  return PlanFile(std::move(builder).Take(), alignment);
}

}  // namespace

std::vector<StoredTensor> TensorsOf(const Container& data) {
  std::vector<StoredTensor> tensors;
  if (data.kind() != FileKind::kData) return tensors;
  for (const NamedEntry& entry : data.named_data())
    tensors.push_back({std::string(entry.key), entry.layout, data.source(), ContentOf(entry)});
  return tensors;
}

Result<PlannedTensors> PlanDataFile(const std::vector<StoredTensor>& tensors, const std::string& name,
                                    uint64_t alignment, unsigned threads) {
  if (!IsPowerOfTwo(alignment) || alignment < kLeastAlignment || alignment > kMostAlignment) {
    return InvalidArgument(Text("alignment is ", alignment, ", a power of two from ", kLeastAlignment, " to ",
                                kMostAlignment, " expected"));
  }
  if (tensors.empty()) return InvalidArgument("there are no tensors, and no runtime loads a data file without any");
  PlannedTensors planned;
  PTEEDIT_ASSIGN(planned.file, PlanTensors(tensors, alignment));
  PTEEDIT_ASSIGN(auto bound, BindAnew(planned.file, alignment, threads, planned.report));
  if (bound) planned.file = std::move(bound->file);
  PTEEDIT_ASSIGN(const Container opened, Container::Open(planned.file.AsSource(name)));
  planned.report.min_runtime = OldestOf(RuntimeNeedsOfData(opened));
  for (const StoredTensor& tensor : tensors) {
    if (bound && IsBindingKey(tensor.key) && tensor.layout == BindingLayout()) continue;
    planned.report.items.push_back(
        {"named-data", tensor.key, tensor.key, tensor.extent.size, tensor.source->name(), name});
  }
  return planned;
}

}  // namespace pteedit
