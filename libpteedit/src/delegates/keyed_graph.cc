#include "delegates/keyed_graph.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "base/text.h"
#include "io/digest.h"
#include "pteedit/try.h"

namespace pteedit {
namespace {

constexpr size_t kGraphSizePlace = 14, kConstantsPlace = 18;  // in the header, as xnnpack.h and vulkan.h tell it
constexpr size_t kGrowth = 16;                                // what exporters align the constants to
constexpr size_t kLength = sizeof(flatbuffers::uoffset_t);    // before a text

template <class Number>
void PutNumber(std::vector<uint8_t>& bytes, size_t at, Number value) {
  flatbuffers::WriteScalar(bytes.data() + at, value);
}

size_t RoundUp(size_t size, size_t unit) { return (size + unit - 1) / unit * unit; }

void PutText(std::vector<uint8_t>& bytes, size_t at, std::string_view text) {
  PutNumber(bytes, at - kLength, static_cast<flatbuffers::uoffset_t>(text.size()));
  std::memcpy(bytes.data() + at, text.data(), text.size());
}

// Old names do not stay anywhere in the graph: whoever searches a blob for keys would find them.
std::vector<uint8_t> WithNames(const KeyedGraph& graph, const std::map<std::string, std::string, std::less<>>& names) {
  const ByteSpan old = graph.graph.bytes;
  std::vector<uint8_t> bytes(old.data, old.data + old.size);
  std::map<std::string_view, size_t> behind;  // where the long names are
  for (const KeyedGraph::Key& key : graph.keys) {
    const auto found = names.find(key.name);
    if (found == names.end()) continue;
    const std::string& name = found->second;
    std::memset(bytes.data() + key.text - kLength, 0, kLength + key.name.size());
    if (name.size() <= key.name.size()) {
      PutText(bytes, key.text, name);
      continue;
    }
    const auto [place, is_new] = behind.try_emplace(name, RoundUp(bytes.size(), kLength) + kLength);
    if (is_new) {
      bytes.resize(place->second + RoundUp(name.size() + 1, kLength));  // with a zero behind it
      PutText(bytes, place->second, name);
    }
    PutNumber(bytes, key.field, static_cast<flatbuffers::uoffset_t>(place->second - kLength - key.field));
  }
  return bytes;
}

void AppendBytes(std::string name, std::vector<uint8_t> bytes, PlannedFile& file) {
  const uint64_t size = bytes.size();
  file.Append(MakeMemorySource(std::move(name), std::move(bytes)), {0, size});
}

// The graph without its keys, and without what it has behind for longer ones.
std::vector<uint8_t> WithoutKeys(const KeyedGraph& graph) {
  const ByteSpan all = graph.graph.bytes;
  std::vector<uint8_t> bytes(all.data, all.data + all.size);
  for (const KeyedGraph::Key& key : graph.keys) {
    PutNumber(bytes, key.field, flatbuffers::uoffset_t{0});
    std::memset(bytes.data() + key.text - kLength, 0, kLength + key.name.size());
  }
  while (!bytes.empty() && bytes.back() == 0) bytes.pop_back();
  return bytes;
}

bool AreSame(const KeyedGraph::Key& a, const KeyedGraph::Key& b) { return a.field == b.field && a.name == b.name; }
bool AreInOnePlace(const KeyedGraph::Key& a, const KeyedGraph::Key& b) { return a.text == b.text; }

// What is before the graph, without the numbers that renaming changes.
Result<std::vector<uint8_t>> HeadOf(const ContentPlace& blob, const KeyedGraph& graph) {
  std::vector<uint8_t> head(graph.place.offset);
  PTEEDIT_TRY(blob.source->Read(blob.extent.offset, {head.data(), head.size()}));
  if (!head.empty()) {
    PutNumber(head, kGraphSizePlace, uint32_t{0});
    PutNumber(head, kConstantsPlace, uint32_t{0});
  }
  return head;
}

// Whether the same is behind the graphs, but for zeros that make room up to the next multiple of 16.
Result<bool> HaveSameRest(const ContentPlace& a, const KeyedGraph& left, const ContentPlace& b,
                          const KeyedGraph& right) {
  const auto rest_of = [](const ContentPlace& blob, const KeyedGraph& graph) {
    const uint64_t begin = graph.place.offset + graph.place.size;
    return Extent{blob.extent.offset + begin, blob.extent.size - begin};
  };
  Extent rest = rest_of(a, left), other = rest_of(b, right);
  const bool a_is_longer = rest.size > other.size;
  Extent& longer = a_is_longer ? rest : other;
  std::vector<uint8_t> room(
      static_cast<size_t>(std::min<uint64_t>(longer.size - std::min(rest.size, other.size), kGrowth)));
  PTEEDIT_TRY((a_is_longer ? a : b).source->Read(longer.offset, {room.data(), room.size()}));
  if (room.size() == kGrowth || std::any_of(room.begin(), room.end(), [](uint8_t byte) { return byte != 0; }))
    return false;
  longer.offset += room.size(), longer.size -= room.size();
  return SameBytes(*a.source, rest, *b.source, other);
}

}  // namespace

Result<PlannedFile> RenameKeys(const BlobInput& blob, const KeyedGraph& graph,
                               const std::map<std::string, std::string, std::less<>>& names) {
  const uint64_t graph_end = graph.place.offset + graph.place.size;
  std::vector<uint8_t> renamed = WithNames(graph, names);
  const uint64_t size = renamed.size();
  const uint64_t grown = RoundUp(size - graph.place.size, kGrowth);
  if (size > kMaxGraphBytes || graph.constants.offset + grown > std::numeric_limits<uint32_t>::max())
    return Unsupported("has no room for longer keys");
  renamed.resize(graph.place.size + grown);
  PlannedFile file;
  if (graph.place.offset != 0) {
    std::vector<uint8_t> head(graph.place.offset);
    PTEEDIT_TRY(blob.source->Read(blob.blob.offset, {head.data(), head.size()}));
    PutNumber(head, kGraphSizePlace, static_cast<uint32_t>(size));
    PutNumber(head, kConstantsPlace, static_cast<uint32_t>(graph.constants.offset + grown));
    AppendBytes("header", std::move(head), file);
  }
  AppendBytes("graph", std::move(renamed), file);
  file.Append(blob.source, {blob.blob.offset + graph_end, blob.blob.size - graph_end});
  return file;
}

Result<bool> SameButPlacesOfKeys(std::string_view backend, const ContentPlace& a, const ContentPlace& b) {
  const Decoder* decoder = FindDecoder(backend);
  if (decoder == nullptr || decoder->open_graph == nullptr) return false;
  const Result<KeyedGraph> left = decoder->open_graph({a.source, a.extent, {}, nullptr});
  const Result<KeyedGraph> right = decoder->open_graph({b.source, b.extent, {}, nullptr});
  for (const Result<KeyedGraph>* graph : {&left, &right}) {
    if (!*graph && graph->error().code == ErrorCode::kIo) return graph->error();
    if (!*graph) return false;
  }
  const auto &keys = left->keys, &others = right->keys;
  if (!std::equal(keys.begin(), keys.end(), others.begin(), others.end(), AreSame)) return false;
  if (std::equal(keys.begin(), keys.end(), others.begin(), AreInOnePlace))
    return false;  // what differs is something else
  if (left->constants.size != right->constants.size || WithoutKeys(*left) != WithoutKeys(*right)) return false;
  PTEEDIT_ASSIGN(const std::vector<uint8_t> head, HeadOf(a, *left));
  PTEEDIT_ASSIGN(const std::vector<uint8_t> other_head, HeadOf(b, *right));
  if (head != other_head) return false;
  return HaveSameRest(a, *left, b, *right);
}

}  // namespace pteedit
