#include "program/constants.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <memory_resource>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>

#include "base/text.h"
#include "program/container_state.h"
#include "program/file_set.h"
#include "program/found_names.h"

namespace pteedit {
namespace {

// What makes two reads the same constant: the place, and for tensors without bytes the buffer. One of unknown size has
// none of those with it: how far it reaches may change with what is behind it.
using PlaceKey = std::tuple<Store, uint32_t, uint64_t, int64_t>;

class Collector {
 public:
  explicit Collector(const Container& program) : container_(program), program_(program.state().program_root()) {}

  std::vector<Constant> Collect() {
    constants_.reserve(MostConstants());  // what grows by itself is there twice
    for (const size_t method : MethodsByName(program_)) CollectMethod(method);
    for (size_t i = 0; i < constants_.size(); ++i) AddFoundNames(i);
    return std::move(constants_);
  }

 private:
  // There are no more constants than tensors that read them, nor than references in the tables.
  size_t MostConstants() const {
    const size_t references = static_cast<size_t>(container_.tables().size / sizeof(flatbuffers::uoffset_t));
    size_t reads = 0;
    ForEachTensor(program_, [&](size_t, size_t, const schema::Tensor& tensor) {
      if (IsStored(StoreOf(program_, tensor))) ++reads;
    });
    return std::min(reads, references);
  }

  void CollectMethod(size_t method) {
    const schema::ExecutionPlan& plan = *program_.execution_plan()->Get(static_cast<flatbuffers::uoffset_t>(method));
    size_t constant_count = 0, mutable_count = 0;
    const auto& values = OrEmpty(plan.values());
    for (flatbuffers::uoffset_t i = 0; i < values.size(); ++i) {
      const schema::Tensor* tensor = values.Get(i)->val_as_Tensor();
      if (tensor == nullptr) continue;
      const Store store = StoreOf(program_, *tensor);
      if (!IsStored(store)) continue;
      const size_t constant = AddUse(store, {static_cast<uint32_t>(method), i, tensor});
      if (std::exchange(named_in_[constant], method) == method) continue;
      const bool is_mutable = store == Store::kMutable;
      const size_t rank = is_mutable ? mutable_count++ : constant_count++;
      std::string name = Text(ViewOf(plan.name()), is_mutable ? ".mutable_" : ".constant_", rank);
      const schema::ExtraTensorInfo* extra = tensor->extra_tensor_info();
      const std::string_view full = extra != nullptr ? ViewOf(extra->fully_qualified_name()) : std::string_view();
      if (full.empty() && container_.state().names != nullptr) ranks_[constant].insert(name);
      if (!full.empty()) constants_[constant].has_name = true;
      AddName(constant, full.empty() ? std::move(name) : std::string(full));
    }
  }

  // In place of ranks, behind names that the file has.
  void AddFoundNames(size_t index) {
    Constant& constant = constants_[index];
    const std::vector<std::string>* found = FoundNamesAt(container_, constant.extent);
    if (found == nullptr) return;
    constant.own_names = OwnNames(constant);
    constant.has_name = true;
    std::vector<std::string> names;
    for (const std::string& own : constant.own_names) {
      if (ranks_[index].count(own) == 0) names.push_back(own);
    }
    names.insert(names.end(), found->begin(), found->end());
    names = WithoutRepeats(std::move(names));
    constant.name = std::move(names.front());
    constant.aliases.assign(std::make_move_iterator(names.begin() + 1), std::make_move_iterator(names.end()));
  }

  void AddName(size_t index, std::string name) {
    Constant& constant = constants_[index];
    if (constant.name.empty()) {
      constant.name = std::move(name);
    } else if (constant.name != name && aliases_.emplace(index, name).second) {
      constant.aliases.push_back(std::move(name));
    }
  }

  size_t AddUse(Store store, const ConstantUse& use) {
    const schema::Tensor& tensor = *use.tensor;
    const TensorLayout layout = use.layout();
    Constant found;
    found.store = store;
    found.buffer = tensor.data_buffer_idx();
    if (store == Store::kMutable && tensor.extra_tensor_info() != nullptr) {
      found.part = static_cast<uint32_t>(tensor.extra_tensor_info()->mutable_data_segments_idx());
    }
    const std::optional<uint64_t> bytes = ByteSize(layout);
    found.known_size = bytes.has_value();
    found.extent.offset = BufferBegin(found);
    found.extent.size = bytes ? *bytes : BufferEnd(found) - found.extent.offset;
    const uint64_t size = found.extent.size;
    const int64_t empty_buffer = bytes == uint64_t{0} ? found.buffer : -1;
    const PlaceKey key{store, found.part, found.extent.offset, empty_buffer};
    const auto [place, is_new] = places_.try_emplace(key, constants_.size());
    if (is_new) constants_.push_back(std::move(found)), named_in_.push_back(kNoMethod);
    Constant& constant = constants_[place->second];
    constant.extent.size = std::max(constant.extent.size, size);
    constant.known_size = constant.known_size && bytes.has_value();
    if (layout.dim_order.size() != layout.sizes.size()) constant.has_dim_orders = false;
    constant.uses.push_back(use);
    return place->second;
  }

  const schema::SubsegmentOffsets& PartOf(const Constant& constant) const {
    if (constant.store == Store::kSegment) return *program_.constant_segment();
    return *program_.mutable_data_segments()->Get(constant.part);
  }

  uint64_t BufferBegin(const Constant& constant) const {
    if (constant.store == Store::kInline) {
      const auto* storage = program_.constant_buffer()->Get(constant.buffer)->storage();
      return storage == nullptr ? 0 : static_cast<uint64_t>(storage->data() - container_.tables().data);
    }
    const schema::SubsegmentOffsets& part = PartOf(constant);
    return container_.segments()[part.segment_index()].offset + part.offsets()->Get(constant.buffer);
  }

  // Sizes of buffers are not stored: one ends at the next one's begin at the latest, or with its segment.
  uint64_t BufferEnd(const Constant& constant) {
    const uint64_t begin = BufferBegin(constant);
    if (constant.store == Store::kInline) {
      return begin + OrEmpty(program_.constant_buffer()->Get(constant.buffer)->storage()).size();
    }
    const schema::SubsegmentOffsets& part = PartOf(constant);
    const Extent segment = container_.segments()[part.segment_index()];
    std::vector<uint64_t>& sorted = sorted_offsets_[&part];
    if (sorted.empty()) {
      sorted.assign(part.offsets()->begin(), part.offsets()->end());
      std::sort(sorted.begin(), sorted.end());
    }
    const auto next = std::upper_bound(sorted.begin(), sorted.end(), begin - segment.offset);
    return segment.offset + (next == sorted.end() ? segment.size : std::min(segment.size, *next));
  }

  const Container& container_;
  const schema::Program& program_;
  static constexpr size_t kNoMethod = ~size_t{0};

  std::pmr::monotonic_buffer_resource memory_;
  std::pmr::map<PlaceKey, size_t> places_{&memory_};
  std::vector<size_t> named_in_;                      // by constant, the method that it was named in last
  std::set<std::pair<size_t, std::string>> aliases_;  // by constant
  std::map<size_t, std::set<std::string>> ranks_;     // by constant, names made of its rank; where names were found
  std::map<const schema::SubsegmentOffsets*, std::vector<uint64_t>> sorted_offsets_;
  std::vector<Constant> constants_;
};

}  // namespace

std::vector<std::string> OwnNames(const Constant& constant) {
  if (!constant.own_names.empty()) return constant.own_names;
  std::vector<std::string> names{constant.name};
  names.insert(names.end(), constant.aliases.begin(), constant.aliases.end());
  return names;
}

std::vector<std::string> AllNames(const Constant& constant) {
  std::vector<std::string> names{constant.name};
  names.insert(names.end(), constant.aliases.begin(), constant.aliases.end());
  names.insert(names.end(), constant.own_names.begin(), constant.own_names.end());
  return names;
}

std::string WhyWithoutLayout(const Constant& constant) {
  if (!constant.known_size) return "unknown element type";
  return constant.has_dim_orders ? "" : "no dim order";
}

std::vector<Constant> CollectConstants(const Container& program) { return Collector(program).Collect(); }

std::vector<size_t> MethodsByName(const schema::Program& program) {
  const auto& plans = OrEmpty(program.execution_plan());
  std::vector<size_t> order(plans.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return ViewOf(plans.Get(static_cast<flatbuffers::uoffset_t>(a))->name()) <
           ViewOf(plans.Get(static_cast<flatbuffers::uoffset_t>(b))->name());
  });
  return order;
}

Extent BlobExtent(const Container& program, const schema::BackendDelegate& delegate) {
  const schema::BackendDelegateDataReference& blob = *delegate.processed();
  if (blob.location() == schema::DataLocation::SEGMENT) return program.segments()[blob.index()];
  const auto* data = program.state().program_root().backend_delegate_data()->Get(blob.index())->data();
  if (data == nullptr) return {};
  return {static_cast<uint64_t>(data->data() - program.tables().data), data->size()};
}

}  // namespace pteedit
