#include "copy/named_data.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "edit/renumber.h"
#include "edit/segment_refs.h"
#include "edit/stored_tensors.h"
#include "program/binding_key.h"
#include "program/content_key.h"
#include "program/key_search.h"
#include "pteedit/near_matches.h"
#include "pteedit/planned_file.h"
#include "pteedit/try.h"

namespace pteedit {
namespace {

constexpr size_t kNearKeys = 3;

enum class Reader { kTensor, kDelegate };
using Readers = std::map<std::string, Reader, std::less<>>;

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
  PTEEDIT_ASSIGN(const auto mentioned, KeysOfDelegates(*model.origin, keys));
  for (const auto& of_plan : mentioned) {
    for (const auto& of_delegate : of_plan) {
      for (const size_t key : of_delegate) readers[std::string(keys[key])] = Reader::kDelegate;
    }
  }
  return {};
}
Status AddDelegateKeys(const DataModel&, const std::vector<std::string_view>&, Readers&) { return {}; }

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
    for (const NewData& data : options_.add_data) PTEEDIT_TRY(Add(data));
    KeepSegments(model_, wanted_segments_);
    return {};
  }

 private:
  Error Wrong(std::string what) const { return InvalidArgument(std::move(what)).In(model_.origin->name()); }

  Status FindReaders() {
    ForEachTensorKey(model_.tables, [&](const tables::Text& key) {
      readers_.try_emplace(std::string(tables::ViewOf(key)), Reader::kTensor);
    });
    std::vector<std::string_view> outside;  // keys of data files that are to be called otherwise
    for (const auto& [from, to] : options_.rename_keys) outside.push_back(from);
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
    const char* who = reader->second == Reader::kTensor ? "tensor" : "delegate";
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

  // The entry, where it is in this file, and the tensors that name it: they find it in a data file.
  Status Rename(const std::string& from, const std::string& to) {
    const auto entry = Find(from);
    const bool is_read = readers_.count(from) != 0;
    if (entry == entries_.end() && !is_read) return NoKey(from);
    if (is_read) PTEEDIT_TRY(CheckFollows(from, to));
    if (from == to) return {};
    if (to.empty() || Find(to) != entries_.end() || readers_.count(to) != 0)
      return Wrong(Text("has a key ", Quoted(to), " already"));
    if (entry != entries_.end()) entry->key = tables::OwnText(to);
    if (is_read) RenameInTensors(from, to);
    model_.changed = true;
    report_.notes.push_back(Text("key ", Quoted(from), " is called ", Quoted(to), " now",
                                 is_read ? ", in tensors too; so it must be in the data file" : ""));
    return {};
  }

  // A delegate's blob holds its keys, and what binds or is a hash says what is behind it.
  Status CheckFollows(const std::string& from, const std::string& to) const {
    if (readers_.find(from)->second == Reader::kDelegate) return CheckUnread(from);
    if (IsBindingKey(from) || IsBindingKey(to))
      return Wrong(Text("key ", Quoted(IsBindingKey(from) ? from : to), " binds to a data file and says which"));
    if (from == to || HashInKey(to).empty()) return {};
    return Wrong(Text("key ", Quoted(to), " would promise a content that tensors may not get"));
  }

  void RenameInTensors(const std::string& from, const std::string& to) {
    const tables::Text text = tables::OwnText(to);
    ForEachTensorKey(model_.tables, [&](tables::Text& key) {
      if (tables::ViewOf(key) == from) key = text;
    });
    readers_.erase(from);
    readers_.emplace(to, Reader::kTensor);
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
