// SplitProgram: choose, build the data file, point the program at it, take the moved bytes out, lay both out, check.
#include "pteedit/split.h"

#include <algorithm>
#include <map>
#include <set>

#include "buffers.h"
#include "checked.h"
#include "container_state.h"
#include "content_key.h"
#include "file_set.h"
#include "model.h"
#include "plan.h"
#include "report_notes.h"
#include "segment_refs.h"
#include "split_choice.h"
#include "text.h"
#include "try.h"

namespace pteedit {
namespace {

constexpr int8_t kExternalLocation = 1;

// The new .ptd. Equal contents share a segment, whatever they are called.
class DataBuilder {
 public:
  uint32_t AddSegment(const Sha256Digest& digest, const Container& file, Extent extent, uint64_t alignment) {
    const auto [place, is_new] =
        by_content_.try_emplace({digest, extent.size}, static_cast<uint32_t>(model_.segments.size()));
    if (is_new) {
      model_.segments.emplace_back();
      model_.segments.back().bytes.Append(file.source(), extent);
    }
    Segment& segment = model_.segments[place->second];
    segment.alignment = std::max(segment.alignment, alignment);
    return place->second;
  }

  void AddEntry(const tables::Text& key, uint32_t segment, const TensorLayout* layout) {
    tables::DataEntry entry{key, segment, std::nullopt};
    if (layout != nullptr) {
      entry.tensor_layout = tables::Layout{layout->scalar_type, tables::Vector<int32_t>::Own(layout->sizes),
                                           tables::Vector<uint8_t>::Own(layout->dim_order)};
    }
    model_.tables.named_data.items.push_back(std::move(entry));
  }

  bool empty() const { return model_.tables.named_data.items.empty(); }
  DataModel Take() && {
    model_.tables.named_data.present = true;
    return std::move(model_);
  }

 private:
  DataModel model_;
  std::map<std::pair<Sha256Digest, uint64_t>, uint32_t> by_content_;
};

class Splitter {
 public:
  Splitter(ProgramModel model, const std::vector<Container>& data, const DataIndex& index, const SplitOptions& options)
      : model_(std::move(model)),
        data_(data),
        index_(index),
        options_(options),
        alignments_(ShownAlignments(model_.origin)) {}

  Status Move(const SplitChoice& choice) {
    for (const MovableConstant& movable : choice.constants) PTEEDIT_TRY(MoveConstant(movable));
    PTEEDIT_TRY(MoveKeys(choice.keys));
    TakeOutConstants(choice.constants);
    TakeOutMutables(choice.constants);
    report_.skipped = choice.skipped;
    if (model_.changed) NoteTrailingBytes(model_.origin, report_);
    return {};
  }

  // Plans both files and opens the plans as anybody would.
  Result<SplitResult> Finish() && {
    SplitResult result;
    const LayoutOptions layout{options_.min_alignment, false};
    std::vector<Container> together = data_;
    if (!data_builder_.empty()) {
      PTEEDIT_TRY(CheckNoneIsOf06());
      PTEEDIT_ASSIGN(result.data, PlanFile(std::move(data_builder_).Take(), layout));
      PTEEDIT_ASSIGN(Container opened, Container::Open(result.data->AsSource(options_.data_name)));
      together.push_back(std::move(opened));
    }
    const std::string name = model_.origin.name();
    PTEEDIT_ASSIGN(result.program, PlanFile(std::move(model_), layout));
    PTEEDIT_ASSIGN(const Container opened, Container::Open(result.program.AsSource(name)));
    if (Result<DataIndex> checked = CheckTogether(opened, together); !checked) return std::move(checked).error();
    report_.min_runtime = OldestRuntime(opened, together);
    report_.data_files = together.size();
    result.report = std::move(report_);
    return result;
  }

 private:
  // Release 0.6 reads only its own layout, all others only today's.
  Status CheckNoneIsOf06() const {
    for (const Container& file : data_) {
      if (!file.header().layout_06) continue;
      return Unsupported(
                 "data file is in the layout of release 0.6, which no release reads together with today's; join it")
          .In(file.name());
    }
    return {};
  }

  // The alignment of a constant's place: of its segment and, inside it, of all buffers.
  uint64_t AlignmentOfConstant(const Constant& constant) {
    if (constant.store == Store::kInline) return model_.tables.constant_buffer.items[constant.buffer].value.alignment;
    const auto [place, is_new] = part_alignments_.try_emplace({constant.store, constant.part});
    if (is_new) {
      const schema::Program& root = model_.origin.state().program_root();
      const schema::SubsegmentOffsets& part = constant.store == Store::kSegment
                                                  ? *root.constant_segment()
                                                  : *root.mutable_data_segments()->Get(constant.part);
      place->second = alignments_[part.segment_index()];
      for (const uint64_t offset : *part.offsets()) place->second = AlignmentOf(offset, place->second);
    }
    return place->second;
  }

  void Report(const char* what, std::string name, std::string key, uint64_t bytes, const std::string& to) {
    report_.items.push_back({what, std::move(name), std::move(key), bytes, model_.origin.name(), to});
  }

  Status MoveConstant(const MovableConstant& movable) {
    const uint64_t alignment = AlignmentOfConstant(movable.constant);
    std::vector<tables::Text> keys;
    for (const MovableConstant::View& view : movable.views) {
      keys.push_back(TextOf(view.key));
      PTEEDIT_ASSIGN(const std::string to, PlaceView(movable.constant, view, keys.back(), alignment));
      Report(KindOf(movable.constant), movable.constant.name, view.key, view.bytes, to);
    }
    for (size_t i = 0; i < movable.constant.uses.size(); ++i) {
      PointOutside(movable.constant.uses[i], keys[movable.view_of_use[i]]);
    }
    return {};
  }

  // One text a key, so that all tensors that use it share its bytes in the tables.
  const tables::Text& TextOf(const std::string& key) {
    const auto [place, is_new] = texts_.try_emplace(key);
    if (is_new) place->second = tables::OwnText(key);
    return place->second;
  }

  // Adds an entry unless one of the files that the program already has holds the very same. Returns the file's name.
  Result<std::string> PlaceView(const Constant& constant, const MovableConstant::View& view, const tables::Text& key,
                                uint64_t alignment) {
    const Extent extent{constant.extent.offset, view.bytes};
    PTEEDIT_ASSIGN(const DataPlace* known, FindKnown(view.key, extent));
    if (known != nullptr) {
      if (known->entry->layout && *known->entry->layout == view.layout) return data_[known->file].name();
      return Malformed(Text("key ", Quoted(view.key), " has another layout than its name says"))
          .In(data_[known->file].name());
    }
    if (new_keys_.insert(view.key).second) {
      const uint32_t segment = data_builder_.AddSegment(view.digest, model_.origin, extent, alignment);
      data_builder_.AddEntry(key, segment, &view.layout);
    }
    return options_.data_name;
  }

  // Where a given data file has the key; null where none has. Other bytes under the key are an error.
  Result<const DataPlace*> FindKnown(std::string_view key, Extent extent) const {
    const auto found = index_.find(key);
    if (found == index_.end()) return static_cast<const DataPlace*>(nullptr);
    const Container& file = data_[found->second.file];
    Extent stored = found->second.entry->extent;
    if (found->second.entry->layout) stored.size = std::min(stored.size, extent.size);
    PTEEDIT_ASSIGN(const bool same, SameBytes(*model_.origin.source(), extent, *file.source(), stored));
    if (same) return &found->second;
    return Malformed(Text("key ", Quoted(key), " also exists in ", model_.origin.name(), " with different contents"))
        .In(file.name());
  }

  tables::Tensor& TensorOf(const ConstantUse& use) {
    return std::get<tables::Tensor>(model_.tables.execution_plan.items[use.method].values.items[use.value].val);
  }

  void PointOutside(const ConstantUse& use, const tables::Text& key) {
    tables::Tensor& tensor = TensorOf(use);
    tensor.data_buffer_idx = 0;
    if (!tensor.extra_tensor_info) tensor.extra_tensor_info.emplace();
    tensor.extra_tensor_info->mutable_data_segments_idx = 0;
    tensor.extra_tensor_info->fully_qualified_name = key;
    tensor.extra_tensor_info->location = kExternalLocation;
    model_.changed = true;
  }

  Status MoveKeys(const std::vector<MovableKey>& keys) {
    std::vector<bool> unwanted(model_.segments.size());
    std::vector<bool> moved(model_.tables.named_data.items.size());
    for (const MovableKey& key : keys) {
      const NamedEntry& entry = model_.origin.named_data()[key.entry];
      PTEEDIT_ASSIGN(const DataPlace* known, FindKnown(entry.key, entry.extent));
      if (known == nullptr) {
        PTEEDIT_ASSIGN(const Sha256Digest digest, Sha256Of(*model_.origin.source(), entry.extent));
        const uint64_t alignment = alignments_[entry.segment_index];
        const uint32_t segment = data_builder_.AddSegment(digest, model_.origin, entry.extent, alignment);
        data_builder_.AddEntry(model_.tables.named_data.items[key.entry].key, segment, nullptr);
      }
      moved[key.entry] = unwanted[entry.segment_index] = true;
      const std::string name(entry.key);
      Report("named-data", name, name, entry.extent.size,
             known == nullptr ? options_.data_name : data_[known->file].name());
    }
    if (keys.empty()) return {};
    std::vector<tables::NamedData> kept;
    for (size_t i = 0; i < moved.size(); ++i) {
      if (!moved[i]) kept.push_back(std::move(model_.tables.named_data.items[i]));
    }
    model_.tables.named_data.items = std::move(kept);  // stays present: the runtime crashes on a null vector
    RemoveSegments(model_, std::move(unwanted));
    model_.changed = true;
    return {};
  }

  // By buffer: whether anything still reads it, and how far.
  std::vector<BufferUse> UsesOf(Store store, uint32_t part, size_t count,
                                const std::vector<MovableConstant>& moved) const {
    std::vector<BufferUse> uses(count);
    std::vector<bool> sized(count), unsized(count);  // by some tensor that reads it
    const schema::Program& root = model_.origin.state().program_root();
    ForEachTensor(root, [&](size_t, size_t, const schema::Tensor& tensor) {
      if (!IsIn(store, part, tensor)) return;
      BufferUse& use = uses[tensor.data_buffer_idx()];
      const std::optional<uint64_t> bytes = ByteSize(LayoutOf(tensor));
      std::vector<bool>& list = bytes ? sized : unsized;
      list[tensor.data_buffer_idx()] = true;
      use.known_bytes = std::max(use.known_bytes, bytes.value_or(0));
    });
    for (size_t i = 0; i < count; ++i) uses[i].sized = sized[i] && !unsized[i];
    for (const MovableConstant& movable : moved) {
      if (movable.constant.store != store || movable.constant.part != part) continue;
      for (const ConstantUse& use : movable.constant.uses) uses[OldTensor(use).data_buffer_idx()].wanted = false;
    }
    // Tensors without bytes may share the buffer of one that moved, and stay.
    ForEachTensor(root, [&](size_t method, size_t value, const schema::Tensor& tensor) {
      if (IsIn(store, part, tensor) && !IsOutside(method, value)) uses[tensor.data_buffer_idx()].wanted = true;
    });
    return uses;
  }

  // Whether the tensor, which was inside before, has been moved out.
  bool IsOutside(size_t method, size_t value) const {
    const tables::EValue& now = model_.tables.execution_plan.items[method].values.items[value];
    const auto& extra = std::get<tables::Tensor>(now.val).extra_tensor_info;
    return extra && extra->location == kExternalLocation;
  }

  bool IsIn(Store store, uint32_t part, const schema::Tensor& tensor) const {
    if (StoreOf(model_.origin.state().program_root(), tensor) != store) return false;
    const schema::ExtraTensorInfo* extra = tensor.extra_tensor_info();
    return store != Store::kMutable || part == (extra == nullptr ? 0 : extra->mutable_data_segments_idx());
  }

  const schema::Tensor& OldTensor(const ConstantUse& use) const {
    const auto& plans = *model_.origin.state().program_root().execution_plan();
    const auto& values = *plans.Get(static_cast<flatbuffers::uoffset_t>(use.method))->values();
    return *values.Get(static_cast<flatbuffers::uoffset_t>(use.value))->val_as_Tensor();
  }

  static bool AllStay(const std::vector<BufferUse>& uses) {
    return std::all_of(uses.begin(), uses.end(), [](const BufferUse& use) { return use.wanted; });
  }

  void TakeOutConstants(const std::vector<MovableConstant>& moved) {
    if (model_.tables.constant_segment && model_.tables.constant_segment->offsets.size() != 0) {
      tables::SubsegmentOffsets& part = *model_.tables.constant_segment;
      const std::vector<BufferUse> uses = UsesOf(Store::kSegment, 0, part.offsets.size(), moved);
      if (!AllStay(uses)) Renumber(Store::kSegment, 0, TakeOutBuffers(part, OwnSegment(model_, part), uses));
      return;
    }
    std::vector<tables::InlineBytes>& buffers = model_.tables.constant_buffer.items;
    const std::vector<BufferUse> uses = UsesOf(Store::kInline, 0, buffers.size(), moved);
    std::vector<tables::InlineBytes> kept;
    std::vector<uint32_t> renumbered;
    for (size_t i = 0; i < buffers.size(); ++i) {
      renumbered.push_back(static_cast<uint32_t>(kept.size()));
      if (uses[i].wanted || i == 0) kept.push_back(std::move(buffers[i]));
    }
    buffers = std::move(kept);
    Renumber(Store::kInline, 0, renumbered);
  }

  void TakeOutMutables(const std::vector<MovableConstant>& moved) {
    tables::Children<tables::SubsegmentOffsets>& parts = model_.tables.mutable_data_segments;
    std::set<uint32_t> touched;
    for (const MovableConstant& movable : moved) {
      if (movable.constant.store == Store::kMutable) touched.insert(movable.constant.part);
    }
    for (const uint32_t i : touched) {
      tables::SubsegmentOffsets& part = parts.items[i];
      const std::vector<BufferUse> uses = UsesOf(Store::kMutable, i, part.offsets.size(), moved);
      Renumber(Store::kMutable, i, TakeOutBuffers(part, OwnSegment(model_, part), uses));
    }
    const bool any_left = std::any_of(parts.items.begin(), parts.items.end(),
                                      [](const tables::SubsegmentOffsets& part) { return part.offsets.size() > 1; });
    if (touched.empty() || any_left) return;
    std::vector<bool> unwanted(model_.segments.size());
    for (const tables::SubsegmentOffsets& part : parts.items) {
      if (part.offsets.size() != 0) unwanted[part.segment_index] = true;  // without offsets the index means nothing
    }
    parts = {};
    RemoveSegments(model_, std::move(unwanted));
  }

  // Tensors that stay follow their buffers.
  void Renumber(Store store, uint32_t part, const std::vector<uint32_t>& renumbered) {
    const schema::Program& root = model_.origin.state().program_root();
    ForEachTensor(root, [&](size_t method, size_t value, const schema::Tensor& old) {
      if (!IsIn(store, part, old)) return;
      if (IsOutside(method, value)) return;
      TensorOf({method, value, {}}).data_buffer_idx = renumbered[old.data_buffer_idx()];
    });
  }

  ProgramModel model_;
  const std::vector<Container>& data_;
  const DataIndex& index_;
  const SplitOptions& options_;
  std::vector<uint64_t> alignments_;
  std::map<std::pair<Store, uint32_t>, uint64_t> part_alignments_;
  DataBuilder data_builder_;
  std::map<std::string, tables::Text> texts_;
  std::set<std::string> new_keys_;
  RewriteReport report_;
};

}  // namespace

Result<SplitResult> SplitProgram(const Container& program, const std::vector<Container>& data,
                                 const SplitOptions& options) {
  if (program.kind() == FileKind::kData)
    return InvalidArgument("is a data file; only programs can be split").In(program.name());
  if (program.kind() == FileKind::kBundle) {
    PTEEDIT_ASSIGN(SplitResult result, SplitProgram(*program.program(), data, options));
    PTEEDIT_ASSIGN(result.program, PlanAround(program, result.program, !result.report.items.empty()));
    return result;
  }
  PTEEDIT_ASSIGN(const DataIndex index, CheckTogether(program, data));
  PTEEDIT_ASSIGN(ProgramModel model, ReadProgramModel(program));
  PTEEDIT_ASSIGN(const SplitChoice choice, ChooseForSplit(program, options));
  Splitter splitter(std::move(model), data, index, options);
  PTEEDIT_TRY(splitter.Move(choice));
  return std::move(splitter).Finish();
}

}  // namespace pteedit
