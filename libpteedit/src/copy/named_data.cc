#include "copy/named_data.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/renumber.h"
#include "base/text.h"
#include "copy/delegate_keys.h"
#include "edit/segment_refs.h"
#include "edit/stored_tensors.h"
#include "io/digest.h"
#include "program/binding_key.h"
#include "program/content_key.h"
#include "pteedit/near_matches.h"
#include "pteedit/planned_file.h"
#include "pteedit/try.h"

namespace pteedit {
namespace {

constexpr size_t kNearKeys = 3;

struct Reader {
  bool is_tensor = false;
  std::optional<DelegateKey> delegate;
};
using Readers = std::map<std::string, Reader, std::less<>>;
using Names = std::map<std::string, std::string, std::less<>>;

template <class Entry>
std::string_view KeyOf(const Entry& entry) {
  return tables::ViewOf(entry.key);
}

template <class Visit>
void ForEachTensorKey(tables::Program& program, Visit visit) {
  ForEachTensor(program, [&](tables::Tensor& tensor) {
    if (StoreOf(program, tensor) == Store::kExternal) visit(tensor.extra_tensor_info->fully_qualified_name);
  });
}
template <class Visit>
void ForEachTensorKey(tables::FlatTensor&, Visit) {}

// Those of the entries and of `keys`.
Status AddDelegateKeys(const ProgramModel& model, std::vector<std::string_view> keys, Readers& readers) {
  for (const tables::NamedData& entry : model.tables.named_data.items) keys.push_back(KeyOf(entry));
  PTEEDIT_ASSIGN(DelegateKeys found, FindDelegateKeys(*model.origin, keys));
  for (auto& [key, delegate] : found) readers[key].delegate = std::move(delegate);
  return {};
}
Status AddDelegateKeys(const DataModel&, const std::vector<std::string_view>&, Readers&) { return {}; }

Status FollowInBlobs(ProgramModel& model, const Names& names) { return RenameInBlobs(model, names); }
Status FollowInBlobs(DataModel&, const Names&) { return {}; }

template <class Tables>
class KeyEditor {
 public:
  KeyEditor(Model<Tables>& model, const CopyOptions& options, RewriteReport& report)
      : model_(model), entries_(model.tables.named_data.items), options_(options), report_(report) {}

  Status Run() {
    const bool removes = options_.remove_data || !options_.remove_keys.empty();
    if (removes || !options_.rename_keys.empty()) PTEEDIT_TRY(FindReaders());
    if (removes) PTEEDIT_TRY(Remove());
    for (const auto& [from, to] : options_.rename_keys) PTEEDIT_TRY(Rename(from, to));
    if (!in_blobs_.empty()) PTEEDIT_TRY(FollowInBlobs());
    for (const NewData& data : options_.add_data) PTEEDIT_TRY(Add(data));
    KeepSegments(model_, wanted_segments_);
    return {};
  }

 private:
  Error Wrong(std::string what) const { return InvalidArgument(std::move(what)).In(model_.origin->name()); }

  Status FindReaders() {
    ForEachTensorKey(model_.tables,
                     [&](const tables::Text& key) { readers_[std::string(tables::ViewOf(key))].is_tensor = true; });
    std::vector<std::string_view> outside;  // of data files: what is to be called otherwise, and how
    for (const auto& [from, to] : options_.rename_keys) outside.insert(outside.end(), {from, to});
    return AddDelegateKeys(model_, std::move(outside), readers_);
  }

  auto Find(std::string_view key) {
    return std::find_if(entries_.begin(), entries_.end(), [&](const auto& entry) { return KeyOf(entry) == key; });
  }

  Status Remove() {
    for (const std::string& key : options_.remove_keys) {
      if (Find(key) == entries_.end()) return NoKey(key);
    }
    std::vector<bool> wanted;
    for (const auto& entry : entries_) {
      wanted.push_back(!IsToGo(std::string(KeyOf(entry))));
      if (!wanted.back()) PTEEDIT_TRY(Drop(entry));
    }
    if (std::find(wanted.begin(), wanted.end(), false) == wanted.end()) return Wrong("has no key that is to go");
    Keep(entries_, wanted);
    return {};
  }

  bool IsToGo(const std::string& key) const {
    const std::vector<std::string>& whole = options_.remove_keys;
    return std::find(whole.begin(), whole.end(), key) != whole.end() ||
           (options_.remove_data && options_.remove_data(key));
  }

  Status CheckUnread(std::string_view key) const {
    const auto reader = readers_.find(key);
    if (reader == readers_.end()) return {};
    const char* who = reader->second.delegate ? "delegate" : "tensor";
    return Wrong(Text("key ", Quoted(key), " is read by a ", who, ", which would miss it"));
  }

  // The segment goes where nothing else refers to it; those that nobody referred to before stay.
  template <class Entry>
  Status Drop(const Entry& entry) {
    const std::string_view key = KeyOf(entry);
    PTEEDIT_TRY(CheckUnread(key));
    Report(key, model_.segments[entry.segment_index].bytes.size(), model_.origin->name(), {});
    wanted_segments_[entry.segment_index] = false;
    return {};
  }

  // The entry, where it is in this file, and what reads it: tensors, which find it in a data file, and blobs.
  Status Rename(const std::string& from, const std::string& to) {
    const auto entry = Find(from);
    const auto reader = readers_.find(from);
    const bool is_here = entry != entries_.end();
    if (!is_here && reader == readers_.end()) return NoKey(from);
    if (from == to) return {};
    if (to.empty() || Find(to) != entries_.end() || readers_.count(to) != 0)
      return Wrong(Text("has a key ", Quoted(to), " already"));
    if (reader != readers_.end()) PTEEDIT_TRY(CheckFollows(from, to, reader->second));
    PTEEDIT_TRY(CheckPromise(from, to));
    if (is_here) entry->key = tables::OwnText(to);
    const std::string where = reader == readers_.end() ? "" : RenameInReaders(from, to, is_here);
    originals_.insert_or_assign(to, std::string(OriginalOf(from)));
    model_.changed = true;
    report_.notes.push_back(Text("key ", Quoted(from), " is called ", Quoted(to), " now", where));
    return {};
  }

  // What binds says what is behind it, and not every blob can be written anew.
  Status CheckFollows(const std::string& from, const std::string& to, const Reader& reader) const {
    if (IsBindingKey(from) || IsBindingKey(to))
      return Wrong(Text("key ", Quoted(IsBindingKey(from) ? from : to), " binds to a data file and says which"));
    if (reader.delegate && !reader.delegate->fixed.empty())
      return Wrong(Text("key ", Quoted(from), " is read by delegate ", Quoted(reader.delegate->fixed),
                        ", whose blob cannot be written anew"));
    if (reader.is_tensor && !HashInKey(to).empty())
      return Wrong(Text("key ", Quoted(to), " would promise a content that tensors may not get"));
    if (!reader.delegate || !reader.delegate->of_xnnpack || !HashInKey(to).empty()) return {};
    PTEEDIT_ASSIGN(const std::string hash, HashBehind(from));
    return Wrong(Text("key ", Quoted(to),
                      " could stand for other contents in other programs, and XNNPACK keeps what it ",
                      "packed by key, for all of a process; a key that ends in the hash can be taken",
                      hash.size() < kSha256Digits ? "" : Text(", such as 'p_NAME_", hash, "'")));
  }

  // A key that looks like a hash is believed to be that of its bytes.
  Status CheckPromise(const std::string& from, const std::string& to) const {
    const std::string_view promised = HashInKey(to);
    if (promised.empty()) return {};
    PTEEDIT_ASSIGN(const std::string hash, HashBehind(from));
    if (std::string_view(hash).starts_with(promised)) return {};
    return Wrong(Text("key ", Quoted(to), " would promise another content than key ", Quoted(from), " has"));
  }

  // Of the bytes in this file, else what the key says of those in a data file.
  Result<std::string> HashBehind(const std::string& key) const {
    const std::string& original = OriginalOf(key);
    const std::vector<NamedEntry>& entries = model_.origin->named_data();
    const auto entry =
        std::find_if(entries.begin(), entries.end(), [&](const NamedEntry& one) { return one.key == original; });
    if (entry == entries.end()) return std::string(HashInKey(original));
    PTEEDIT_ASSIGN(const Sha256Digest digest, Sha256Of(*model_.origin->source(), ContentOf(*entry)));
    return digest.Hex();
  }

  const std::string& OriginalOf(const std::string& key) const {
    const auto original = originals_.find(key);
    return original == originals_.end() ? key : original->second;
  }

  // Where it was renamed, in words.
  std::string RenameInReaders(const std::string& from, const std::string& to, bool is_here) {
    const Reader reader = readers_.find(from)->second;
    const tables::Text text = tables::OwnText(to);
    ForEachTensorKey(model_.tables, [&](tables::Text& key) {
      if (tables::ViewOf(key) == from) key = text;
    });
    if (reader.delegate) in_blobs_[OriginalOf(from)] = to;
    readers_.erase(from);
    readers_.emplace(to, reader);
    const char* who = !reader.delegate ? "tensors" : reader.is_tensor ? "tensors and blobs" : "blobs";
    return Text(", in ", who, " too", is_here && !reader.is_tensor ? "" : "; so it must be in the data file");
  }

  Status FollowInBlobs() {
    Status followed = pteedit::FollowInBlobs(model_, in_blobs_);
    return followed ? Status() : Wrong("cannot call keys otherwise: " + followed.error().message);
  }

  Error NoKey(const std::string& key) const {
    std::vector<std::string> keys;
    for (const auto& entry : entries_) keys.emplace_back(KeyOf(entry));
    const std::vector<std::string> near = NearMatches(keys, key, kNearKeys);
    return Wrong(
        Text("has no key ", Quoted(key), near.empty() ? "" : Text(", did you mean ", Joined(near, ", ", Quoted), "?")));
  }

  // In the place of what is replaced, else behind all others.
  Status Add(const NewData& data) {
    if (data.key.empty()) return Wrong("a key needs a name");
    auto entry = Find(data.key);
    if (entry != entries_.end() && !data.replace) return Wrong(Text("has a key ", Quoted(data.key), " already"));
    const auto index = static_cast<uint32_t>(model_.segments.size());
    Segment segment;
    segment.bytes.Append(data.bytes, {0, data.bytes->size()});
    if (entry != entries_.end()) {
      Report(data.key, model_.segments[entry->segment_index].bytes.size(), model_.origin->name(), {});
      wanted_segments_[entry->segment_index] = false;
      entry->segment_index = index;
    } else {
      model_.tables.named_data.present = true;
      Entry added;
      added.key = tables::OwnText(data.key);
      added.segment_index = index;
      entries_.push_back(std::move(added));
    }
    model_.segments.push_back(std::move(segment));
    wanted_segments_.push_back(true);
    Report(data.key, data.bytes->size(), {}, options_.output_name);
    return {};
  }

  void Report(std::string_view key, uint64_t bytes, std::string from, std::string to) {
    report_.items.push_back({"named-data", std::string(key), std::string(key), bytes, std::move(from), std::move(to)});
    model_.changed = true;
  }

  using Entries = decltype(Tables::named_data.items);
  using Entry = typename Entries::value_type;

  Model<Tables>& model_;
  Entries& entries_;
  const CopyOptions& options_;
  RewriteReport& report_;
  Readers readers_;
  Names originals_;  // how what is called otherwise by now was called in this file
  Names in_blobs_;   // by the original one, the key to be written into blobs
  std::vector<bool> wanted_segments_ = std::vector<bool>(model_.segments.size(), true);
};

}  // namespace

Status EditNamedData(ProgramModel& model, const CopyOptions& options, RewriteReport& report) {
  return KeyEditor(model, options, report).Run();
}

Status EditNamedData(DataModel& model, const CopyOptions& options, RewriteReport& report) {
  return KeyEditor(model, options, report).Run();
}

}  // namespace pteedit
