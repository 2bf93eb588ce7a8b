#include "copy/contents.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/text.h"
#include "delegates/decode_once.h"
#include "delegates/keyed_graph.h"
#include "delegates/xnnpack.h"
#include "edit/segment_refs.h"
#include "edit/stored_tensors.h"
#include "io/digest.h"
#include "program/constants.h"
#include "program/container_state.h"
#include "program/content_key.h"
#include "program/delegate_names.h"
#include "program/found_names.h"
#include "program/key_search.h"
#include "pteedit/dtypes.h"
#include "pteedit/try.h"

namespace pteedit {
namespace {

// Whose decoder says where in the blob the plain elements of a constant are.
constexpr std::string_view kPlainInside = kXnnpackBackend;
constexpr std::string_view kScale = "scale_";

std::string FollowedKey(const std::string& key, const Sha256Digest& content) {
  const std::string_view old = HashInKey(key);
  const auto place = static_cast<size_t>(old.data() - key.data());
  return key.substr(0, place) + content.Hex().substr(0, old.size()) + key.substr(place + old.size());
}

PlannedFile BytesOf(std::string_view text) {
  PlannedFile bytes;
  bytes.Append(MakeMemorySource("key", {text.begin(), text.end()}), {0, text.size()});
  return bytes;
}

// `file` with other bytes in some places, which do not overlap.
PlannedFile Patched(const Container& file, const std::map<uint64_t, PlannedFile>& patches) {
  PlannedFile patched;
  for (const auto& [offset, bytes] : patches) {
    if (bytes.size() == 0) continue;
    patched.Append(file.source(), {patched.size(), offset - patched.size()});
    patched.Append(bytes);
  }
  patched.Append(file.source(), {patched.size(), file.source()->size() - patched.size()});
  return patched;
}

}  // namespace

std::string ShownName(const Content& content) { return content.names.empty() ? content.key : content.names.front(); }

void StoredContents::AddConstants() {
  for (const Constant& constant : CollectConstants(file_)) {
    Content content{KindOf(constant), AllNames(constant), {}, constant.extent, {}, {}, false, {}};
    for (const ConstantUse& use : constant.uses) content.layouts.push_back(use.layout());
    content.dtype = CommonDtype(ScalarTypeName(content.layouts.front().scalar_type));
    if (!constant.known_size) content.why_fixed = "its element type is not known";
    list_.push_back(std::move(content));
  }
}

void StoredContents::AddEntries() {
  for (const NamedEntry& entry : file_.named_data()) {
    const std::string key(entry.key);
    Content content{"named-data", NamesOfKey(file_, key), key, ContentOf(entry), {}, {}, key.starts_with(kScale), {}};
    content.names.push_back(key);
    if (entry.layout) {
      content.layouts.push_back(*entry.layout);
      content.dtype = CommonDtype(ScalarTypeName(entry.layout->scalar_type));
    }
    if (!HashInKey(key).empty())
      content.why_fixed = "its key is the hash of its bytes, and what reads it cannot follow";
    list_.push_back(std::move(content));
  }
}

// Which keys can follow their bytes, what delegates say of the bytes behind keys, and what is inside blobs.
class StoredContents::DelegateReader {
 public:
  explicit DelegateReader(StoredContents& contents) : contents_(contents), decoder_(ProgramSet(contents.file_)) {
    for (size_t i = 0; i < outside_; ++i) {
      const std::string& key = contents.list_[i].key;
      if (key.empty()) continue;
      by_key_.emplace(key, i);
      if (!HashInKey(key).empty()) hashes_.push_back(key);
    }
  }

  Status Run() {
    const Container& file = contents_.file_;
    PTEEDIT_ASSIGN(const auto mentions, KeysOfDelegates(file, {hashes_.begin(), hashes_.end()}));
    const schema::Program& root = file.state().program_root();
    const std::vector<DelegateNames> names = DelegateNamesIn(root);
    std::set<std::pair<uint64_t, uint64_t>> seen;
    for (size_t plan = 0; plan < names.size(); ++plan) {
      for (size_t i = 0; i < names[plan].size(); ++i) {
        const schema::ExecutionPlan& method = *root.execution_plan()->Get(static_cast<flatbuffers::uoffset_t>(plan));
        const schema::BackendDelegate& delegate = *method.delegates()->Get(static_cast<flatbuffers::uoffset_t>(i));
        const Extent blob = BlobExtent(file, delegate);
        if (!seen.insert({blob.offset, blob.offset + blob.size}).second) continue;
        PTEEDIT_TRY(Add(delegate, names[plan][i], blob, mentions[plan][i]));
      }
    }
    for (Content& content : contents_.list_) {
      if (asked_.count(content.key) != 0 && blocked_.count(content.key) == 0) content.why_fixed.clear();
    }
    FixWhereBlobsAre(seen);
    return {};
  }

 private:
  Status Add(const schema::BackendDelegate& delegate, const std::string& name, Extent blob,
             const std::vector<size_t>& mentioned) {
    const std::string_view backend = ViewOf(delegate.id());
    const Decoder* decoder = FindDecoder(backend);
    Result<DecodedBlob> decoded = decoder_.Decode(delegate);
    Result<KeyedGraph> graph = Unsupported("cannot be rewritten");
    if (decoder != nullptr && decoder->open_graph != nullptr)
      graph = decoder->open_graph({contents_.file_.source(), blob, {}, nullptr});
    if (!decoded && decoded.error().code == ErrorCode::kIo) return std::move(decoded).error();
    if (!graph && graph.error().code == ErrorCode::kIo) return std::move(graph).error();
    if (!decoded || !graph || !decoded->problems.empty()) {
      for (const size_t key : mentioned) blocked_.insert(hashes_[key]);
      contents_.opaque_blobs_.emplace(name, blob.size);
      return {};
    }
    for (const KeyedGraph::Key& key : graph->keys) {
      asked_.emplace(key.name);
      contents_.places_of_keys_[std::string(key.name)].push_back(blob.offset + graph->place.offset + key.text);
    }
    for (const BlobConstant& constant : decoded->constants) AddConstant(constant, backend, name, blob);
    return {};
  }

  void AddConstant(const BlobConstant& constant, std::string_view backend, const std::string& name, Extent blob) {
    if (!constant.key.empty()) {
      const auto known = by_key_.find(constant.key);
      if (known != by_key_.end()) Describe(constant, contents_.list_[known->second]);
      return;
    }
    if (constant.bytes == 0) return;
    const std::optional<uint64_t> offset = constant.offset();
    if (offset && backend == kPlainInside) {
      const Extent place{blob.offset + *offset, constant.bytes};
      contents_.list_.push_back({"constant", {}, {}, place, {}, CommonDtype(constant.dtype), false, {}});
    } else {
      contents_.opaque_blobs_.emplace(name, blob.size);
    }
  }

  // Only numbers that are what they are without scales have the layout of the checkpoint's tensor.
  static void Describe(const BlobConstant& constant, Content& content) {
    content.dtype = CommonDtype(constant.dtype);
    const bool is_plain = content.dtype.starts_with("float") || content.dtype.starts_with("bfloat");
    if (!is_plain || !content.layouts.empty()) return;
    TensorLayout layout;
    for (const uint64_t size : constant.sizes) {
      layout.dim_order.push_back(static_cast<uint8_t>(layout.sizes.size()));
      layout.sizes.push_back(static_cast<int32_t>(size));
    }
    content.layouts.push_back(std::move(layout));
  }

  // Odd files have a blob and a content at one place. `blobs` are where each begins and ends.
  void FixWhereBlobsAre(const std::set<std::pair<uint64_t, uint64_t>>& blobs) {
    std::map<uint64_t, uint64_t> ends;  // of runs of blobs, by where they begin
    for (const auto& [begin, end] : blobs) {
      if (ends.empty() || begin >= ends.rbegin()->second) ends.emplace_hint(ends.end(), begin, end);
      ends.rbegin()->second = std::max(ends.rbegin()->second, end);
    }
    for (size_t i = 0; i < outside_; ++i) {
      const Extent& extent = contents_.list_[i].extent;
      const auto after = ends.lower_bound(extent.offset + extent.size);
      if (after != ends.begin() && std::prev(after)->second > extent.offset)
        contents_.list_[i].why_fixed = "it shares some of its bytes with a delegate";
    }
  }

  StoredContents& contents_;
  const size_t outside_ = contents_.list_.size();  // of blobs, that many
  DecodeOnce decoder_;
  std::map<std::string, size_t, std::less<>> by_key_;
  std::vector<std::string> hashes_;  // keys that tell their content
  std::set<std::string, std::less<>> asked_, blocked_;
};

// Those on the very same bytes are one content; of others that overlap none can change alone.
void StoredContents::FixWhatOverlaps() {
  std::vector<size_t> order(list_.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::erase_if(order, [&](size_t i) { return list_[i].extent.size == 0; });
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    const Extent &one = list_[a].extent, &other = list_[b].extent;
    return std::tuple(one.offset, one.size, a) < std::tuple(other.offset, other.size, b);
  });
  for (size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    const Extent first = list_[order[begin]].extent;
    uint64_t reach = first.offset + first.size;
    bool is_scale = false;
    std::string why_fixed;
    for (end = begin; end < order.size() && list_[order[end]].extent.offset < reach; ++end) {
      const Content& content = list_[order[end]];
      reach = std::max(reach, content.extent.offset + content.extent.size);
      is_scale = is_scale || content.is_scale;
      if (content.extent != first) why_fixed = "it shares some of its bytes with other contents";
      if (why_fixed.empty()) why_fixed = content.why_fixed;
    }
    for (size_t i = begin; i < end; ++i) {
      list_[order[i]].is_scale = is_scale;
      list_[order[i]].why_fixed = why_fixed;
    }
  }
}

Result<StoredContents> StoredContents::Of(const Container& file) {
  StoredContents contents(file);
  if (file.kind() == FileKind::kProgram) contents.AddConstants();
  contents.AddEntries();
  if (file.kind() == FileKind::kProgram) PTEEDIT_TRY(DelegateReader(contents).Run());
  contents.FixWhatOverlaps();
  return contents;
}

void StoredContents::Put(size_t index, PlannedFile bytes) { put_[index] = std::move(bytes); }

Result<StoredContents::Written> StoredContents::Write() const {
  std::map<uint64_t, PlannedFile> patches;
  for (const auto& [index, bytes] : put_) patches[list_[index].extent.offset] = bytes;
  Written written;
  std::map<uint64_t, Sha256Digest> digests;  // by place
  for (const Content& content : list_) {
    const auto patch = patches.find(content.extent.offset);
    if (HashInKey(content.key).empty() || content.extent.size == 0 || patch == patches.end()) continue;
    const PlannedFile& bytes = patch->second;
    const auto [digest, is_new] = digests.try_emplace(patch->first);
    if (is_new) {
      PTEEDIT_ASSIGN(digest->second, Sha256Of(*bytes.AsSource("content"), {0, bytes.size()}));
    }
    const std::string key = FollowedKey(content.key, digest->second);
    if (key != content.key) written.keys.emplace(content.key, key);
  }
  for (const auto& [key, followed] : written.keys) {
    const auto places = places_of_keys_.find(key);
    if (places == places_of_keys_.end()) continue;
    for (const uint64_t place : places->second) patches[place] = BytesOf(followed);
  }
  uint64_t reached = 0;
  for (const auto& [offset, bytes] : patches) {
    if (bytes.size() != 0 && offset < reached)
      return Unsupported(Text("contents overlap at byte ", Hex(offset))).In(file_.name());
    reached = std::max(reached, offset + bytes.size());
  }
  written.file = Patched(file_, patches);
  return written;
}

void FollowKeys(ProgramModel& model, const std::map<std::string, std::string, std::less<>>& keys) {
  std::vector<bool> wanted(model.segments.size(), true), stays;
  std::set<std::string, std::less<>> known;
  for (tables::NamedData& entry : model.tables.named_data.items) {
    const auto followed = keys.find(tables::ViewOf(entry.key));
    if (followed != keys.end()) entry.key = tables::OwnText(followed->second);
    stays.push_back(known.emplace(tables::ViewOf(entry.key)).second);
    if (!stays.back()) wanted[entry.segment_index] = false;
  }
  Keep(model.tables.named_data.items, stays);
  ForEachTensor(model.tables, [&](tables::Tensor& tensor) {
    if (StoreOf(model.tables, tensor) != Store::kExternal) return;
    tables::Text& key = tensor.extra_tensor_info->fully_qualified_name;
    const auto followed = keys.find(tables::ViewOf(key));
    if (followed != keys.end()) key = tables::OwnText(followed->second);
  });
  KeepSegments(model, std::move(wanted));
  model.changed = true;
}

}  // namespace pteedit
