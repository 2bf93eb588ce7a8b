#include "copy/delegate_keys.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "base/text.h"
#include "delegates/decode_once.h"
#include "delegates/keyed_graph.h"
#include "delegates/xnnpack.h"
#include "edit/segment_refs.h"
#include "program/constants.h"
#include "program/container_state.h"
#include "program/delegate_names.h"
#include "program/key_search.h"
#include "pteedit/try.h"

namespace pteedit {
namespace {

using Names = std::map<std::string, std::string, std::less<>>;

const schema::BackendDelegate& DelegateAt(const Container& program, size_t plan, size_t delegate) {
  const auto place = [](size_t index) { return static_cast<flatbuffers::uoffset_t>(index); };
  return *program.state().program_root().execution_plan()->Get(place(plan))->delegates()->Get(place(delegate));
}

// Which keys a delegate asks for, and which of them its blob could call otherwise.
class KeyFinder {
 public:
  KeyFinder(const Container& program, const std::vector<std::string_view>& keys)
      : set_(program), keys_(keys), search_(keys), decoder_(set_) {}

  Result<DelegateKeys> Run() {
    PTEEDIT_ASSIGN(const auto mentions, KeysOfDelegates(set_.program(), keys_));
    const std::vector<DelegateNames> names = DelegateNamesIn(set_.program().state().program_root());
    for (size_t plan = 0; plan < names.size(); ++plan) {
      for (size_t i = 0; i < names[plan].size(); ++i) {
        if (mentions[plan][i].empty()) continue;
        PTEEDIT_TRY(Add(DelegateAt(set_.program(), plan, i), names[plan][i], mentions[plan][i]));
      }
    }
    return std::move(found_);
  }

 private:
  using GraphKeys = std::optional<std::set<std::string>>;  // nothing: the blob cannot be rewritten

  Status Add(const schema::BackendDelegate& delegate, const std::string& name, const std::vector<size_t>& mentioned) {
    const Extent blob = BlobExtent(set_.program(), delegate);
    const std::string_view backend = ViewOf(delegate.id());
    const auto [graph, is_new] = graphs_.try_emplace(std::tuple(backend, blob.offset, blob.size));
    if (is_new) {
      PTEEDIT_ASSIGN(graph->second, KeysInGraph(delegate));
    }
    const GraphKeys& in_graph = graph->second;
    const std::vector<size_t> in_specs = InSpecs(delegate);
    for (const size_t index : mentioned) {
      const std::string key(keys_[index]);
      const bool is_in_specs = std::find(in_specs.begin(), in_specs.end(), index) != in_specs.end();
      if (in_graph && in_graph->count(key) == 0 && !is_in_specs) continue;  // other bytes that look like it
      DelegateKey& found = found_[key];
      if (found.reader.empty()) found.reader = name;
      if ((!in_graph || is_in_specs) && found.fixed.empty()) found.fixed = name;
      found.of_xnnpack = found.of_xnnpack || backend == kXnnpackBackend;
    }
    return {};
  }

  Result<GraphKeys> KeysInGraph(const schema::BackendDelegate& delegate) {
    const Decoder* decoder = FindDecoder(ViewOf(delegate.id()));
    if (decoder == nullptr || decoder->open_graph == nullptr) return GraphKeys();
    const Result<DecodedBlob> decoded = decoder_.Decode(delegate);
    if (!decoded && decoded.error().code != ErrorCode::kUnsupported) return decoded.error();
    if (!decoded || !decoded->problems.empty()) return GraphKeys();
    Result<KeyedGraph> graph = decoder->open_graph(InputOf(set_, delegate));
    if (!graph && graph.error().code != ErrorCode::kUnsupported) return std::move(graph).error();
    if (!graph) return GraphKeys();
    std::set<std::string> keys;
    for (const KeyedGraph::Key& key : graph->keys) keys.emplace(key.name);
    return GraphKeys(std::move(keys));
  }

  std::vector<size_t> InSpecs(const schema::BackendDelegate& delegate) const {
    std::vector<ByteSpan> specs;
    for (const schema::CompileSpec* spec : OrEmpty(delegate.compile_specs()))
      specs.push_back({OrEmpty(spec->value()).data(), OrEmpty(spec->value()).size()});
    return search_.FindInAny(specs);
  }

  const ProgramSet set_;
  const std::vector<std::string_view>& keys_;
  const KeySearch search_;
  DecodeOnce decoder_;
  std::map<std::tuple<std::string_view, uint64_t, uint64_t>, GraphKeys> graphs_;  // by backend and place of the blob
  DelegateKeys found_;
};

// Gives the blob of a delegate, and of all that share it, other bytes.
Status PutBlob(ProgramModel& model, const tables::BackendDelegateDataReference& place, PlannedFile blob) {
  if (place.location == tables::kInlineLocation) {
    std::vector<uint8_t> bytes(static_cast<size_t>(blob.size()));
    PTEEDIT_TRY(blob.AsSource("blob")->Read(0, {bytes.data(), bytes.size()}));
    model.tables.backend_delegate_data.items[place.index].value.bytes = tables::Vector<uint8_t>::Own(std::move(bytes));
    return {};
  }
  bool is_shared = false;
  ForEachSegmentUse(model.tables, [&](SegmentUser::Kind kind, uint32_t& index) {
    is_shared = is_shared || (index == place.index && kind != SegmentUser::Kind::kDelegate);
  });
  if (is_shared) return Unsupported(Text("segment ", place.index, " is not only a delegate's"));
  model.segments[place.index].bytes = std::move(blob);
  model.segments[place.index].inside = false;
  return {};
}

// That nothing but the keys of a blob is another.
Status CheckRenamed(const Decoder& decoder, BlobInput input, const DecodedBlob& before, const Names& names,
                    const PlannedFile& blob) {
  input.source = blob.AsSource("blob");
  input.blob = {0, blob.size()};
  PTEEDIT_ASSIGN(const DecodedBlob after, decoder.decode(input));
  std::set<std::string> wanted;
  for (const std::string& key : before.keys) {
    const auto renamed = names.find(key);
    wanted.insert(renamed == names.end() ? key : renamed->second);
  }
  const bool same_keys = std::equal(wanted.begin(), wanted.end(), after.keys.begin(), after.keys.end());
  if (same_keys && after.operators == before.operators && after.constants.size() == before.constants.size()) return {};
  return Unsupported("a blob has texts that share their bytes");
}

}  // namespace

Result<DelegateKeys> FindDelegateKeys(const Container& program, const std::vector<std::string_view>& keys) {
  return KeyFinder(program, keys).Run();
}

Status RenameInBlobs(ProgramModel& model, const Names& names) {
  const ProgramSet set(*model.origin);
  std::set<std::pair<int8_t, uint32_t>> seen;
  for (size_t plan = 0; plan < model.tables.execution_plan.items.size(); ++plan) {
    const auto& delegates = model.tables.execution_plan.items[plan].delegates.items;
    for (size_t i = 0; i < delegates.size(); ++i) {
      const schema::BackendDelegate& delegate = DelegateAt(*model.origin, plan, i);
      const Decoder* decoder = FindDecoder(ViewOf(delegate.id()));
      const tables::BackendDelegateDataReference& place = *delegates[i].processed;
      if (decoder == nullptr || decoder->open_graph == nullptr) continue;
      if (!seen.insert({place.location, place.index}).second) continue;
      const BlobInput input = InputOf(set, delegate);
      const Result<KeyedGraph> graph = decoder->open_graph(input);
      const auto is_wanted = [&](const KeyedGraph::Key& key) { return names.count(key.name) != 0; };
      if (!graph || std::none_of(graph->keys.begin(), graph->keys.end(), is_wanted)) continue;
      PTEEDIT_ASSIGN(const DecodedBlob before, decoder->decode(input));
      PTEEDIT_ASSIGN(PlannedFile blob, RenameKeys(input, *graph, names));
      PTEEDIT_TRY(CheckRenamed(*decoder, input, before, names, blob));
      PTEEDIT_TRY(PutBlob(model, place, std::move(blob)));
    }
  }
  return {};
}

}  // namespace pteedit
