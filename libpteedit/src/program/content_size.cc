#include "program/content_size.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "base/checked.h"
#include "base/text.h"
#include "program/layout.h"

namespace pteedit {
namespace {

using flatbuffers::uoffset_t;

void Sort(std::vector<Extent>& places) {
  std::sort(places.begin(), places.end(),
            [](const Extent& a, const Extent& b) { return std::pair(a.offset, a.size) < std::pair(b.offset, b.size); });
}

class PlaceCollector {
 public:
  explicit PlaceCollector(const Container::State& file) : file_(file) {}

  std::vector<Extent> Collect() && {
    places_ = file_.segments;
    for (const NamedEntry& entry : file_.named_data) AddEntry(entry);
    if (file_.kind == FileKind::kProgram) AddProgram(file_.program_root());
    AddLongest();
    return std::move(places_);
  }

 private:
  void AddProgram(const schema::Program& program) {
    for (const schema::ExecutionPlan* plan : OrEmpty(program.execution_plan())) {
      for (const schema::EValue* value : OrEmpty(plan->values())) {
        if (const schema::Tensor* tensor = value->val_as_Tensor()) AddTensor(program, *tensor);
      }
    }
    for (const schema::BackendDelegateInlineData* blob : OrEmpty(program.backend_delegate_data()))
      AddInline(blob->data());
    for (const schema::Buffer* buffer : OrEmpty(program.constant_buffer())) AddInline(buffer->storage());
  }

  // Which is a whole segment, and so there already, but in packages.
  void AddEntry(const NamedEntry& entry) {
    const bool is_segment =
        entry.segment_index < file_.segments.size() && file_.segments[entry.segment_index] == entry.extent;
    if (!is_segment) places_.push_back(entry.extent);
  }

  void AddInline(const flatbuffers::Vector<uint8_t>* bytes) {
    if (bytes == nullptr) return;
    places_.push_back({static_cast<uint64_t>(bytes->data() - file_.tables.data), bytes->size()});
  }

  void AddTensor(const schema::Program& program, const schema::Tensor& tensor) {
    const Store store = StoreOf(program, tensor);
    const schema::ExtraTensorInfo* extra = tensor.extra_tensor_info();
    const uint64_t index = extra == nullptr ? 0 : extra->mutable_data_segments_idx();
    if (store == Store::kSegment) AddBuffer(*program.constant_segment(), tensor);
    if (store == Store::kMutable)
      AddBuffer(*program.mutable_data_segments()->Get(static_cast<uoffset_t>(index)), tensor);
  }

  // Of an unknown type it ends where the next one begins.
  void AddBuffer(const schema::SubsegmentOffsets& part, const schema::Tensor& tensor) {
    const uint64_t offset = file_.segments[part.segment_index()].offset + part.offsets()->Get(tensor.data_buffer_idx());
    tensors_.push_back({offset, ByteSize(LayoutOf(tensor)).value_or(0)});
  }

  // Tensors that begin at the same place are one constant.
  void AddLongest() {
    Sort(tensors_);
    for (size_t i = 0; i < tensors_.size(); ++i) {
      const bool is_longest = i + 1 == tensors_.size() || tensors_[i + 1].offset != tensors_[i].offset;
      if (is_longest) places_.push_back(tensors_[i]);
    }
  }

  const Container::State& file_;
  std::vector<Extent> places_, tensors_;
};

}  // namespace

Status CheckContentSize(const Container::State& file) {
  std::vector<Extent> places = PlaceCollector(file).Collect();
  Sort(places);
  places.erase(std::unique(places.begin(), places.end()), places.end());
  const auto times = CheckedMultiply(file.source->size(), file.limits.max_content_factor);
  const auto most = times ? CheckedAdd(*times, file.limits.content_base_bytes) : std::nullopt;
  uint64_t left = most.value_or(std::numeric_limits<uint64_t>::max());
  for (const Extent& place : places) {
    if (place.size > left) {
      return Unsupported(Text("contents overlap so often that together they have more than ", *most,
                              " bytes (ParseLimits::max_content_factor)"));
    }
    left -= place.size;
  }
  return {};
}

}  // namespace pteedit
