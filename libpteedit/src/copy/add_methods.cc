#include "copy/add_methods.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "base/checked.h"
#include "base/renumber.h"
#include "base/text.h"
#include "copy/upgrade.h"
#include "edit/pack.h"
#include "edit/segment_refs.h"
#include "edit/stored_tensors.h"
#include "io/content_index.h"
#include "program/binding_key.h"
#include "program/content_key.h"
#include "program/key_search.h"
#include "pteedit/try.h"

namespace pteedit {
namespace {

// Their runtimes keep the constants of all methods in one place, by fully qualified name.
constexpr std::string_view kShareByName[] = {"CudaBackend", "MetalBackend"};

using Keys = std::map<std::string_view, uint32_t>;  // segments by key

bool TellsContent(std::string_view key) { return IsContentKey(key) || !HashInKey(key).empty() || IsBindingKey(key); }

Keys KeysOf(const tables::Program& program) {
  Keys keys;
  for (const tables::NamedData& entry : program.named_data.items)
    keys.emplace(tables::ViewOf(entry.key), entry.segment_index);
  return keys;
}

std::set<std::string_view> KeysOutside(tables::Program& program) {
  std::set<std::string_view> keys;
  ForEachTensor(program, [&](const tables::Tensor& tensor) {
    if (StoreOf(program, tensor) == Store::kExternal)
      keys.insert(tables::ViewOf(tensor.extra_tensor_info->fully_qualified_name));
  });
  return keys;
}

std::set<std::string_view> BackendsOf(const tables::Program& program) {
  std::set<std::string_view> backends;
  for (const tables::ExecutionPlan& plan : program.execution_plan.items) {
    for (const tables::BackendDelegate& delegate : plan.delegates.items) backends.insert(tables::ViewOf(delegate.id));
  }
  return backends;
}

ContentPlace PlaceOf(const Segment& segment) {
  return {segment.bytes.AsSource("named data"), {0, segment.bytes.size()}};
}

class MethodAdder {
 public:
  MethodAdder(ProgramModel& model, ProgramModel other, const std::string& output_name, RewriteReport& report)
      : model_(model), other_(std::move(other)), output_name_(output_name), report_(report) {}

  Status Run() {
    PTEEDIT_TRY(CheckMethods());
    PTEEDIT_TRY(CheckBackends());
    PTEEDIT_TRY(CheckKeys());
    MoveInlineConstants(model_, report_);
    MoveInlineConstants(other_, report_);
    AppendSegments();
    AppendPart(*Into().constant_segment, *From().constant_segment, {Store::kSegment, 0});
    AppendStates();
    AppendInlineBlobs();
    AppendNamedData();
    AppendPlans();
    KeepSegments(model_, wanted_);
    model_.changed = true;
    return {};
  }

 private:
  tables::Program& Into() { return model_.tables; }
  tables::Program& From() { return other_.tables; }
  const std::string& ItsName() const { return other_.origin->name(); }

  Error OfMine(Error error) const { return std::move(error).In(model_.origin->name()); }

  Status CheckMethods() {
    std::set<std::string_view> names;
    for (const tables::ExecutionPlan& plan : Into().execution_plan.items) names.insert(tables::ViewOf(plan.name));
    for (const tables::ExecutionPlan& plan : From().execution_plan.items) {
      const std::string_view name = tables::ViewOf(plan.name);
      if (names.count(name) != 0)
        return OfMine(InvalidArgument(
            Text("has a method ", Quoted(name), " as ", ItsName(), " has; one of the two needs another name")));
    }
    return {};
  }

  Status CheckBackends() {
    const std::set<std::string_view> mine = BackendsOf(Into()), its = BackendsOf(From());
    for (const std::string_view backend : kShareByName) {
      if (mine.count(backend) == 0 || its.count(backend) == 0) continue;
      return OfMine(Unsupported(Text("has delegates of ", backend, " as ", ItsName(),
                                     " has, and that shares constants of methods by name, whatever their bytes")));
    }
    return {};
  }

  Status CheckKeys() {
    const Keys mine = KeysOf(Into()), its = KeysOf(From());
    PTEEDIT_TRY(CheckSameBytes(mine, its));
    PTEEDIT_TRY(CheckDelegates(*other_.origin, mine, its));
    PTEEDIT_TRY(CheckDelegates(*model_.origin, its, mine));
    const std::set<std::string_view> mine_outside = KeysOutside(Into()), its_outside = KeysOutside(From());
    for (const std::string_view key : its_outside) {
      if (mine_outside.count(key) != 0 || mine.count(key) != 0) PTEEDIT_TRY(CheckOutside(key));
    }
    for (const std::string_view key : mine_outside) {
      if (its.count(key) != 0) PTEEDIT_TRY(CheckOutside(key));
    }
    return {};
  }

  Status CheckOutside(std::string_view key) const {
    if (TellsContent(key)) return {};
    return OfMine(Unsupported(Text("beside ", ItsName(), " key ", Quoted(key),
                                   " may stand for other bytes in a data file; join program and data first")));
  }

  Status CheckSameBytes(const Keys& mine, const Keys& its) const {
    std::vector<std::string_view> both;
    std::vector<ContentPlace> places;
    for (const auto& [key, segment] : its) {
      const auto found = mine.find(key);
      if (found == mine.end()) continue;
      both.push_back(key);
      places.push_back(PlaceOf(model_.segments[found->second]));
      places.push_back(PlaceOf(other_.segments[segment]));
    }
    PTEEDIT_ASSIGN(const std::vector<uint32_t> equal, GroupByContent(places, 1));
    for (size_t i = 0; i < both.size(); ++i) {
      if (equal[2 * i] == equal[2 * i + 1]) continue;
      return OfMine(Unsupported(Text("has a key ", Quoted(both[i]), " as ", ItsName(), " has, over different bytes")));
    }
    return {};
  }

  // That no delegate of `program` asks for a key that only the other one has: its own would be in a data file.
  Status CheckDelegates(const Container& program, const Keys& keys, const Keys& own) const {
    std::vector<std::string_view> foreign;
    for (const auto& [key, segment] : keys) {
      if (own.count(key) == 0 && !TellsContent(key)) foreign.push_back(key);
    }
    if (foreign.empty()) return {};
    PTEEDIT_ASSIGN(const auto mentioned, KeysOfDelegates(program, foreign));
    for (const auto& of_plan : mentioned) {
      for (const auto& of_delegate : of_plan) {
        if (!of_delegate.empty()) return CheckOutside(foreign[of_delegate.front()]);
      }
    }
    return {};
  }

  void AppendSegments() {
    const auto first = static_cast<uint32_t>(model_.segments.size());
    ForEachSegmentRef(From(), [&](uint32_t& index) { index += first; });
    model_.segments.insert(model_.segments.end(), other_.segments.begin(), other_.segments.end());
    wanted_.assign(model_.segments.size(), true);
  }

  // Puts the whole segment of `from` behind that of `into`, so that its buffers keep their distances, and points the
  // tensors there.
  void AppendPart(tables::SubsegmentOffsets& into, tables::SubsegmentOffsets& from, const BufferStore& store) {
    if (from.offsets.size() == 0) return;
    wanted_[from.segment_index] = false;
    if (into.offsets.size() == 0) {
      into = {static_cast<uint32_t>(model_.segments.size()), tables::Vector<uint64_t>::Own({0})};
      AddSegment();
    }
    const Segment added = model_.segments[from.segment_index];
    Segment& segment = OwnSegment(model_, into);
    wanted_.resize(model_.segments.size(), true);
    if (added.bytes.size() != 0) {
      segment.alignment = std::max(segment.alignment, added.alignment);
      segment.bytes.AppendZeros(AlignUp(segment.bytes.size(), added.alignment) - segment.bytes.size());
    }
    const uint64_t begin = segment.bytes.size();
    segment.bytes.Append(added.bytes);
    std::vector<uint64_t> offsets(into.offsets.begin(), into.offsets.end());
    std::vector<uint32_t> renumbered(from.offsets.size());
    for (size_t i = 1; i < from.offsets.size(); ++i) {
      renumbered[i] = static_cast<uint32_t>(offsets.size());
      offsets.push_back(begin + from.offsets[i]);
    }
    RenumberBuffers(From(), store, renumbered);
    into.offsets = tables::Vector<uint64_t>::Own(std::move(offsets));
  }

  void AddSegment() {
    model_.segments.emplace_back();
    wanted_.push_back(true);
  }

  // Tensors tell the part that has their state, so parts stay what they are; runtimes read the first.
  void AppendStates() {
    tables::Children<tables::SubsegmentOffsets>& parts = Into().mutable_data_segments;
    tables::Children<tables::SubsegmentOffsets>& added = From().mutable_data_segments;
    parts.present = parts.present || added.present;
    if (parts.items.size() < added.items.size()) parts.items.resize(added.items.size());
    for (size_t i = 0; i < added.items.size(); ++i)
      AppendPart(parts.items[i], added.items[i], {Store::kMutable, static_cast<uint32_t>(i)});
  }

  void AppendInlineBlobs() {
    tables::Children<tables::InlineBytes>& blobs = Into().backend_delegate_data;
    const auto first = static_cast<uint32_t>(blobs.items.size());
    ForEachInlineBlobRef(From(), [&](uint32_t& index) { index += first; });
    blobs.present = blobs.present || From().backend_delegate_data.present;
    for (tables::InlineBytes& blob : From().backend_delegate_data.items) blobs.items.push_back(std::move(blob));
  }

  void AppendNamedData() {
    const Keys mine = KeysOf(Into());
    tables::Children<tables::NamedData>& entries = Into().named_data;
    entries.present = entries.present || From().named_data.present;
    std::vector<tables::NamedData> added;
    for (tables::NamedData& entry : From().named_data.items) {
      if (mine.count(tables::ViewOf(entry.key)) != 0) {
        wanted_[entry.segment_index] = false;
      } else {
        added.push_back(std::move(entry));
      }
    }
    From().named_data = {};
    std::move(added.begin(), added.end(), std::back_inserter(entries.items));
  }

  void AppendPlans() {
    for (tables::ExecutionPlan& plan : From().execution_plan.items) {
      report_.items.push_back(
          {"method", std::string(tables::ViewOf(plan.name)), {}, TableBytes(plan), ItsName(), output_name_});
      Into().execution_plan.items.push_back(std::move(plan));
    }
    From().execution_plan = {};
  }

  ProgramModel& model_;
  ProgramModel other_;
  const std::string& output_name_;
  RewriteReport& report_;
  std::vector<bool> wanted_;  // segments
};

}  // namespace

Status AddMethods(ProgramModel& model, const Container& other, const std::string& output_name, RewriteReport& report) {
  PTEEDIT_ASSIGN(ProgramModel added, ReadProgramModel(other));
  return MethodAdder(model, std::move(added), output_name, report).Run();
}

}  // namespace pteedit
