#include "edit/joiner.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "base/damage.h"
#include "base/shared_texts.h"
#include "base/text.h"
#include "edit/buffers.h"
#include "edit/segment_refs.h"
#include "program/binding_key.h"
#include "program/constants.h"
#include "program/container_state.h"
#include "program/content_key.h"
#include "program/key_promises.h"
#include "program/layout.h"
#include "pteedit/try.h"

namespace pteedit {
namespace {

// Bytes of a data file that tensors of the program read, and which.
struct Incoming {
  const DataPlace* place = nullptr;
  uint64_t bytes = 0;  // of the longest tensor
  std::vector<ConstantUse> uses;
};

class Joiner {
 public:
  Joiner(ProgramModel& model, const ProgramSet& set, const JoinScope& scope, RewriteReport& report)
      : model_(model), set_(set), data_(set.data()), scope_(scope), report_(report) {
    for (const Container& file : data_) alignments_.push_back(ShownAlignments(file));
  }

  Status Move() {
    CollectIncoming();
    if (!scope_.foretell) PTEEDIT_TRY(CheckPromises());
    PTEEDIT_TRY(MoveConstants());
    MoveMutables();
    MoveKeys();
    return {};
  }

 private:
  using Place = std::tuple<size_t, uint64_t, bool, std::string_view>;

  bool ComesInside(std::string_view key) const { return scope_.keys == nullptr || scope_.keys->count(key) != 0; }

  const schema::Program& root() const { return model_.origin->state().program_root(); }

  // Before anything is planned, so that a dry run tells it and standard output gets nothing; the bytes are then still
  // in the system's cache when they are copied.
  // Inside, a constant loses its key, and nobody can tell any more.
  Status CheckPromises() const {
    const std::set<std::string_view> read = KeysOfTensors();
    for (const Container& file : data_) {
      std::vector<const NamedEntry*> promises;
      for (const NamedEntry& entry : file.named_data()) {
        if (scope_.delegate_keys.count(entry.key) == 0 && read.count(entry.key) == 0) continue;
        if (PromisesContent(entry, scope_.hashes.count(entry.key) != 0)) promises.push_back(&entry);
      }
      PTEEDIT_ASSIGN(const std::vector<Finding> broken, FindBrokenPromises(file, promises, scope_.threads));
      if (!broken.empty()) return Damaged("key-hash", broken[0].where, broken[0].message).In(file.name());
    }
    return {};
  }

  // In plan order. Tensors of one place share a buffer, as they did before a split; those without bytes go by key.
  void CollectIncoming() {
    std::map<Place, size_t> places;
    ForEachTensor(root(), [&](uint32_t method, uint32_t value, const schema::Tensor& tensor) {
      if (StoreOf(root(), tensor) != Store::kExternal || IsBindingTensor(tensor)) return;
      const DataPlace& data = *set_.FindInData(ViewOf(tensor.extra_tensor_info()->fully_qualified_name()));
      if (!ComesInside(data.key())) return;
      const uint64_t bytes = ByteSize(LayoutOf(tensor)).value_or(0);
      const bool is_mutable = tensor.allocation_info() != nullptr;
      const Place place{data.file, data.entry->extent.offset, is_mutable, bytes == 0 ? data.key() : std::string_view()};
      std::vector<Incoming>& list = is_mutable ? mutables_ : constants_;
      const auto [known, is_new] = places.try_emplace(place, list.size());
      if (is_new) list.push_back({&data, 0, {}});
      Incoming& incoming = list[known->second];
      incoming.bytes = std::max(incoming.bytes, bytes);
      incoming.uses.push_back({method, value, &tensor});
    });
  }

  uint64_t AlignmentOfEntry(const DataPlace& place) const {
    return std::max(scope_.min_alignment, alignments_[place.file][place.entry->segment_index]);
  }

  std::vector<NewBuffer> BuffersFor(const std::vector<Incoming>& list) const {
    std::vector<NewBuffer> buffers;
    for (const Incoming& incoming : list) {
      NewBuffer buffer{{}, AlignmentOfEntry(*incoming.place)};
      buffer.bytes.Append(data_[incoming.place->file].source(), {incoming.place->entry->extent.offset, incoming.bytes});
      buffers.push_back(std::move(buffer));
    }
    return buffers;
  }

  Status MoveConstants() {
    if (constants_.empty()) return {};
    const bool has_segment = model_.tables.constant_segment && model_.tables.constant_segment->offsets.size() != 0;
    if (!has_segment && !model_.tables.constant_buffer.items.empty()) return MoveConstantsInline();
    if (!has_segment) {
      model_.tables.constant_segment = tables::SubsegmentOffsets{static_cast<uint32_t>(model_.segments.size()), {}};
      model_.segments.emplace_back();
    }
    tables::SubsegmentOffsets& part = *model_.tables.constant_segment;
    PointInside(constants_, AppendBuffers(part, OwnSegment(model_, part), BuffersFor(constants_)), "constant");
    return {};
  }

  // An old program keeps its constants in the tables, so these bytes have to pass through memory.
  Status MoveConstantsInline() {
    std::vector<uint32_t> indices;
    for (const NewBuffer& buffer : BuffersFor(constants_)) {
      std::vector<uint8_t> bytes(static_cast<size_t>(buffer.bytes.size()));
      PTEEDIT_TRY(buffer.bytes.AsSource("constant")->Read(0, {bytes.data(), bytes.size()}));
      indices.push_back(static_cast<uint32_t>(model_.tables.constant_buffer.items.size()));
      tables::InlineBytes constant;
      constant.value = {tables::Vector<uint8_t>::Own(std::move(bytes)), static_cast<uint32_t>(buffer.alignment)};
      model_.tables.constant_buffer.items.push_back(std::move(constant));
    }
    PointInside(constants_, indices, "constant");
    return {};
  }

  void MoveMutables() {
    if (mutables_.empty()) return;
    tables::Children<tables::SubsegmentOffsets>& parts = model_.tables.mutable_data_segments;
    parts.present = true;
    if (parts.items.empty()) parts.items.emplace_back();
    tables::SubsegmentOffsets& part = parts.items.front();
    if (part.offsets.size() == 0) {  // then its index means nothing
      part.segment_index = static_cast<uint32_t>(model_.segments.size());
      model_.segments.emplace_back();
    }
    PointInside(mutables_, AppendBuffers(part, OwnSegment(model_, part), BuffersFor(mutables_)), "mutable");
  }

  void PointInside(const std::vector<Incoming>& list, const std::vector<uint32_t>& buffers, const char* what) {
    for (size_t i = 0; i < list.size(); ++i) {
      const std::string key(list[i].place->entry->key);
      const std::string& from = data_[list[i].place->file].name();
      report_.items.push_back({what, key, {}, list[i].bytes, texts_(from), texts_(scope_.program_name)});
      for (const ConstantUse& use : list[i].uses) {
        auto& value = model_.tables.execution_plan.items[use.method].values.items[use.value].val;
        PointInside(std::get<tables::Tensor>(value), buffers[i]);
      }
    }
    model_.changed = true;
  }

  // Keeps a name, but not a key that only says what the bytes are.
  static void PointInside(tables::Tensor& tensor, uint32_t buffer) {
    tensor.data_buffer_idx = buffer;
    tables::ExtraTensorInfo& extra = *tensor.extra_tensor_info;
    extra.location = tables::kInsideLocation;
    extra.mutable_data_segments_idx = 0;  // said nothing outside; initial states join the first part
    if (IsContentKey(ViewOf(extra.fully_qualified_name))) extra.fully_qualified_name = {};
    const bool says_nothing =
        !extra.fully_qualified_name.present() && extra.device_type == 0 && extra.device_index == 0;
    if (says_nothing) tensor.extra_tensor_info.reset();
  }

  // Of all keys but those that only tensors use, those that were asked for or that delegates need. Keys on one place
  // share a segment.
  void MoveKeys() {
    const std::set<std::string_view> consumed = KeysOfTensors();
    std::set<std::string_view> inside;
    for (const NamedEntry& entry : model_.origin->named_data()) inside.insert(entry.key);
    std::map<std::tuple<size_t, uint64_t, uint64_t>, uint32_t> segments;
    MakeRoomForKeys();
    for (size_t file = 0; file < data_.size(); ++file) {
      for (const NamedEntry& entry : data_[file].named_data()) {
        if (!ComesInside(entry.key) || IsBindingEntry(entry)) continue;
        if (consumed.count(entry.key) != 0 && scope_.delegate_keys.count(entry.key) == 0) continue;
        if (inside.count(entry.key) != 0) continue;  // with the same bytes, as CheckInputs saw
        if (scope_.keys == nullptr && scope_.delegate_keys.count(entry.key) == 0) {
          StaysOutside(file, entry);
          continue;
        }
        const auto [place, is_new] = segments.try_emplace({file, entry.extent.offset, entry.extent.size},
                                                          static_cast<uint32_t>(model_.segments.size()));
        if (is_new) AddSegment(file, entry);
        AddNamedData(file, entry, place->second);
      }
    }
  }

  // As if all came inside: what grows by itself is there twice, and what is not used takes no memory.
  void MakeRoomForKeys() {
    size_t count = 0;
    for (const Container& file : data_) count += file.named_data().size();
    model_.segments.reserve(model_.segments.size() + count);
    model_.tables.named_data.items.reserve(model_.tables.named_data.items.size() + count);
    report_.items.reserve(report_.items.size() + count);
  }

  void StaysOutside(size_t file, const NamedEntry& entry) {
    report_.skipped.push_back({"named-data", std::string(entry.key), entry.extent.size,
                               texts_(Text("nothing in the program refers to it; it stays in ", data_[file].name()))});
  }

  // Of the tensors whose bytes come inside.
  std::set<std::string_view> KeysOfTensors() const {
    std::set<std::string_view> keys;
    for (const std::vector<Incoming>* list : {&constants_, &mutables_}) {
      for (const Incoming& incoming : *list) {
        for (const ConstantUse& use : incoming.uses)
          keys.insert(ViewOf(use.tensor->extra_tensor_info()->fully_qualified_name()));
      }
    }
    return keys;
  }

  void AddSegment(size_t file, const NamedEntry& entry) {
    Segment segment;
    segment.bytes.Append(data_[file].source(), entry.extent);
    segment.alignment = alignments_[file][entry.segment_index];
    model_.segments.push_back(std::move(segment));
  }

  void AddNamedData(size_t file, const NamedEntry& entry, uint32_t segment) {
    model_.tables.named_data.present = true;
    model_.tables.named_data.items.push_back({tables::ViewText(entry.key), segment});
    model_.changed = true;
    const SharedText key = std::string(entry.key);
    const std::string& from = data_[file].name();
    report_.items.push_back({"named-data", key, key, entry.extent.size, texts_(from), texts_(scope_.program_name)});
    if (entry.layout)
      report_.notes.push_back(Text("key ", Quoted(key), " loses its layout: programs have none for named data"));
  }

  ProgramModel& model_;
  const ProgramSet& set_;
  const std::vector<Container>& data_;
  const JoinScope& scope_;
  RewriteReport& report_;
  SharedTexts texts_;  // of the report
  std::vector<std::vector<uint64_t>> alignments_;
  std::vector<Incoming> constants_, mutables_;
};

}  // namespace

Status BringInside(ProgramModel& model, const ProgramSet& set, const JoinScope& scope, RewriteReport& report) {
  return Joiner(model, set, scope, report).Move();
}

}  // namespace pteedit
