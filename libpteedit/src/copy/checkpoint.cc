// Data files as checkpoints, and back.
#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <tuple>
#include <utility>
#include <vector>

#include "base/text.h"
#include "formats/safetensors.h"
#include "io/content_index.h"
#include "io/strided_source.h"
#include "program/content_key.h"
#include "program/layout.h"
#include "pteedit/tensors.h"
#include "pteedit/text.h"
#include "pteedit/try.h"

namespace pteedit {
namespace {

// In the metadata, before the name of a tensor: its layout where that is not row-major or has no word in the format.
constexpr std::string_view kLayoutPrefix = "ptd.layout.";
constexpr std::string_view kFormat = "format";  // what tools want to read there, no name of a tensor
constexpr std::string_view kBytes = "U8";

// Whether a member of the metadata may be another name of a tensor.
bool CanBeTied(std::string_view name) { return name != kFormat && !name.starts_with(kLayoutPrefix); }

// "" of none.
std::string TextOf(const std::optional<TensorLayout>& layout) { return layout ? LayoutText(*layout) : std::string(); }

template <class Number>
bool ReadNumbers(std::string_view text, std::vector<Number>& numbers) {
  while (!text.empty()) {
    int32_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || number < 0) return false;
    if (static_cast<uint64_t>(number) > static_cast<uint64_t>(std::numeric_limits<Number>::max())) return false;
    numbers.push_back(static_cast<Number>(number));
    text.remove_prefix(static_cast<size_t>(end - text.data()));
    if (text.empty()) return true;
    if (text.front() != ',' || text.size() == 1) return false;
    text.remove_prefix(1);
  }
  return true;
}

// What TextOf wrote; nothing where it did not write that.
std::optional<std::optional<TensorLayout>> LayoutIn(std::string_view text) {
  if (text.empty()) return std::optional<TensorLayout>();
  const size_t first = text.find('|'), second = text.find('|', std::min(first, text.size() - 1) + 1);
  if (first == std::string_view::npos || second == std::string_view::npos) return std::nullopt;
  TensorLayout layout;
  std::vector<int8_t> type;
  const bool is_read = ReadNumbers(text.substr(0, first), type) && type.size() == 1 &&
                       ReadNumbers(text.substr(first + 1, second - first - 1), layout.sizes) &&
                       ReadNumbers(text.substr(second + 1), layout.dim_order);
  if (!is_read || !CheckLayout(layout)) return std::nullopt;
  layout.scalar_type = type.front();
  return layout;
}

// How a tensor stands in a checkpoint: with its sizes, or as so many bytes.
struct CheckpointForm {
  std::string_view dtype;
  std::vector<uint64_t> sizes;
  bool has_elements = false;
};

CheckpointForm FormOf(const std::optional<TensorLayout>& layout, uint64_t bytes) {
  const std::string_view dtype = layout ? SafetensorsType(layout->scalar_type) : std::string_view();
  if (dtype.empty()) return {kBytes, {bytes}, false};
  return {dtype, {layout->sizes.begin(), layout->sizes.end()}, true};
}

bool IsPlain(const TensorLayout& layout) { return layout == RowMajor(layout.scalar_type, layout.sizes); }

// By dimension, in elements, of an array whose dimensions lie in this order.
std::vector<int64_t> StridesOf(const std::vector<int32_t>& sizes, const std::vector<uint8_t>& order) {
  std::vector<int64_t> strides(sizes.size());
  int64_t stride = 1;
  for (size_t i = sizes.size(); i-- > 0;) {
    strides[order[i]] = stride;
    stride *= sizes[order[i]];
  }
  return strides;
}

// The elements of `tensor`, which lie in the order `from`, in the order `to`.
Status Reorder(StoredTensor& tensor, const std::vector<uint8_t>& from, const std::vector<uint8_t>& to) {
  const std::vector<int32_t>& sizes = tensor.layout->sizes;
  if (from == to || tensor.extent.size == 0) return {};
  const std::vector<int64_t> strides = StridesOf(sizes, from);
  StridedLayout order{ElementSize(tensor.layout->scalar_type).value_or(1), 0, {}, {}};
  for (const uint8_t dimension : to) {
    order.sizes.push_back(sizes[dimension]);
    order.strides.push_back(strides[dimension]);
  }
  PTEEDIT_ASSIGN(std::shared_ptr<const Source> window, MakeWindowSource(tensor.source, tensor.extent));
  Result<std::shared_ptr<const Source>> ordered = MakeStridedSource(std::move(window), std::move(order));
  if (!ordered)
    return Unsupported(Text("tensor ", Quoted(tensor.key), " ", ordered.error().message)).In(tensor.source->name());
  tensor.source = *std::move(ordered);
  tensor.extent.offset = 0;
  return {};
}

Status ToRowMajor(StoredTensor& tensor) {
  if (tensor.layout->dim_order.empty()) return {};
  return Reorder(tensor, tensor.layout->dim_order,
                 RowMajor(tensor.layout->scalar_type, tensor.layout->sizes).dim_order);
}

Status FromRowMajor(StoredTensor& tensor) {
  if (tensor.layout->dim_order.empty()) return {};
  return Reorder(tensor, RowMajor(tensor.layout->scalar_type, tensor.layout->sizes).dim_order,
                 tensor.layout->dim_order);
}

// With the layout that the metadata has for it, unless somebody gave it other sizes since.
Result<StoredTensor> TensorOf(const SafetensorsEntry& entry, const std::shared_ptr<const Source>& file,
                              const SafetensorsMetadata& metadata) {
  StoredTensor tensor{entry.name, {}, file, entry.place};
  if (const auto told = metadata.find(Text(kLayoutPrefix, entry.name)); told != metadata.end()) {
    const auto layout = LayoutIn(told->second);
    const CheckpointForm form = layout ? FormOf(*layout, entry.place.size) : CheckpointForm();
    const std::optional<uint64_t> bytes = layout && *layout ? ByteSize(**layout) : entry.place.size;
    if (layout && bytes == entry.place.size && form.dtype == entry.dtype && form.sizes == entry.sizes) {
      tensor.layout = *layout;
      if (form.has_elements) PTEEDIT_TRY(FromRowMajor(tensor));
      return tensor;
    }
  }
  PTEEDIT_ASSIGN(tensor.layout, LayoutOf(entry));
  return tensor;
}

// Equal contents get one place, as exporters store them.
Status Tie(std::vector<StoredTensor>& tensors) {
  std::vector<ContentPlace> places;
  for (const StoredTensor& tensor : tensors) places.push_back({tensor.source, tensor.extent});
  PTEEDIT_ASSIGN(const std::vector<uint32_t> firsts, GroupByContent(places, 1));
  for (size_t i = 0; i < tensors.size(); ++i) {
    tensors[i].source = places[firsts[i]].source;
    tensors[i].extent = places[firsts[i]].extent;
  }
  return {};
}

Result<std::vector<StoredTensor>> CheckpointTensors(const std::shared_ptr<const Source>& file) {
  PTEEDIT_ASSIGN(const SafetensorsHeader header, ReadSafetensorsHeader(*file));
  std::vector<StoredTensor> tensors;
  std::map<std::string, size_t, std::less<>> by_name;
  for (const SafetensorsEntry& entry : header.entries) {
    by_name.emplace(entry.name, tensors.size());
    PTEEDIT_ASSIGN(StoredTensor tensor, TensorOf(entry, file, header.metadata));
    tensors.push_back(std::move(tensor));
  }
  for (const auto& [name, of] : header.metadata) {
    const auto tied = by_name.find(of);
    if (!CanBeTied(name) || tied == by_name.end() || by_name.count(name) != 0) continue;
    tensors.push_back(tensors[tied->second]);
    tensors.back().key = name;
  }
  PTEEDIT_TRY(Tie(tensors));
  return tensors;
}

// One checkpoint on its way.
class CheckpointPlanner {
 public:
  explicit CheckpointPlanner(const std::string& name) : name_(name) { metadata_.emplace(kFormat, "pt"); }

  Status Add(StoredTensor tensor) {
    if (ReplaceControl(tensor.key) != tensor.key || tensor.key == kSafetensorsMetadata)
      return Unsupported(Text("key ", Quoted(tensor.key), " cannot be a name in a checkpoint"))
          .In(tensor.source->name());
    items_.push_back({"named-data", tensor.key, tensor.key, tensor.extent.size, tensor.source->name(), name_});
    if (IsTied(tensor)) return {};
    const CheckpointForm form = FormOf(tensor.layout, tensor.extent.size);
    if (!form.has_elements || !IsPlain(*tensor.layout))
      metadata_[Text(kLayoutPrefix, tensor.key)] = TextOf(tensor.layout);
    if (form.has_elements) PTEEDIT_TRY(ToRowMajor(tensor));
    const uint64_t element = tensor.layout ? ElementSize(tensor.layout->scalar_type).value_or(1) : 1;
    entries_.push_back({tensor.key, std::string(form.dtype), element * 8, form.sizes, {}});
    tensors_.push_back(std::move(tensor));
    return {};
  }

  // Large elements first, as the format's own library does it, so that all are aligned.
  Result<PlannedTensors> Finish() {
    std::vector<size_t> order(tensors_.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t a, size_t b) { return entries_[a].bits > entries_[b].bits; });
    std::vector<SafetensorsEntry> entries;
    PlannedFile bytes;
    for (const size_t i : order) {
      entries.push_back(std::move(entries_[i]));
      entries.back().place = {bytes.size(), tensors_[i].extent.size};
      if (tensors_[i].extent.size != 0) bytes.Append(tensors_[i].source, tensors_[i].extent);
    }
    PTEEDIT_ASSIGN(std::vector<uint8_t> head, SafetensorsHead(entries, metadata_));
    PlannedTensors planned;
    const uint64_t head_bytes = head.size();
    planned.file.Append(MakeMemorySource("header", std::move(head)), {0, head_bytes});
    planned.file.Append(bytes);
    planned.report.items = std::move(items_);
    return planned;
  }

 private:
  // To one of the same layout, of which it is then another name.
  bool IsTied(const StoredTensor& tensor) {
    const auto [first, is_new] = places_.try_emplace(
        {tensor.source.get(), tensor.extent.offset, tensor.extent.size, TextOf(tensor.layout)}, tensor.key);
    if (is_new || !CanBeTied(tensor.key)) return false;
    metadata_[tensor.key] = first->second;
    return true;
  }

  const std::string name_;
  SafetensorsMetadata metadata_;
  std::map<std::tuple<const Source*, uint64_t, uint64_t, std::string>, std::string> places_;
  std::vector<SafetensorsEntry> entries_;
  std::vector<StoredTensor> tensors_;
  std::vector<MovedItem> items_;
};

}  // namespace

Result<std::vector<StoredTensor>> ReadCheckpoint(const std::shared_ptr<const Source>& file) {
  Result<std::vector<StoredTensor>> tensors = CheckpointTensors(file);
  if (!tensors) return std::move(tensors).error().In(file->name());
  return tensors;
}

Result<PlannedTensors> PlanCheckpoint(const std::vector<StoredTensor>& tensors, const std::string& name) {
  CheckpointPlanner planner(name);
  for (const StoredTensor& tensor : tensors) PTEEDIT_TRY(planner.Add(tensor));
  return planner.Finish();
}

}  // namespace pteedit
