#include "program/binding_key.h"

#include <algorithm>
#include <set>
#include <string>

#include "base/text.h"
#include "io/digest.h"
#include "program/container_state.h"
#include "program/content_key.h"
#include "program/file_set.h"
#include "program/key_promises.h"
#include "program/key_search.h"
#include "program/layout.h"
#include "pteedit/try.h"

namespace pteedit {
namespace {

// One line an entry. The key's length comes first, so that no key can look like the end of one and another entry.
std::string LineOf(const NamedEntry& entry, const Sha256Digest& content) {
  std::string layout = "-";
  if (entry.layout) {
    layout = Text(static_cast<int>(entry.layout->scalar_type), '|', Joined(entry.layout->sizes, ","), '|',
                  Joined(entry.layout->dim_order, ","));
  }
  return Text(entry.key.size(), ' ', entry.key, ' ', layout, ' ', content.Hex(), '\n');
}

}  // namespace

TensorLayout BindingLayout() { return {0, {0}, {0}}; }

bool IsBindingEntry(const NamedEntry& entry) {
  return IsBindingKey(entry.key) && entry.layout && *entry.layout == BindingLayout();
}

bool IsBindingTensor(const schema::Tensor& tensor) {
  const auto* extra = tensor.extra_tensor_info();
  return extra != nullptr && extra->location() == schema::TensorDataLocation::EXTERNAL &&
         tensor.allocation_info() == nullptr && IsBindingKey(ViewOf(extra->fully_qualified_name())) &&
         LayoutOf(tensor) == BindingLayout();
}

bool AsksToBind(const NamedEntry& entry, bool names_only) {
  return !IsBindingEntry(entry) && !(names_only && !HashInKey(entry.key).empty());
}

std::vector<std::string_view> BindingsIn(const Container& data) {
  std::vector<std::string_view> keys;
  for (const NamedEntry& entry : data.named_data()) {
    if (IsBindingEntry(entry)) keys.push_back(entry.key);
  }
  return keys;
}

std::vector<std::string_view> BindingsOf(const schema::Program& program) {
  std::vector<std::string_view> keys;
  std::set<std::string_view> seen;
  ForEachTensor(program, [&](size_t, size_t, const schema::Tensor& tensor) {
    if (!IsBindingTensor(tensor)) return;
    const std::string_view key = ViewOf(tensor.extra_tensor_info()->fully_qualified_name());
    if (seen.insert(key).second) keys.push_back(key);
  });
  return keys;
}

Result<bool> RefersTo(const Container& program, const Container& data, bool names_only) {
  std::set<std::string_view> keys;
  for (const NamedEntry& entry : data.named_data()) {
    if (AsksToBind(entry, names_only)) keys.insert(entry.key);
  }
  if (keys.empty()) return false;
  const schema::Program& root = program.state().program_root();
  bool refers = false;
  ForEachTensor(root, [&](size_t, size_t, const schema::Tensor& tensor) {
    if (refers || StoreOf(root, tensor) != Store::kExternal) return;
    refers = keys.count(ViewOf(tensor.extra_tensor_info()->fully_qualified_name())) != 0;
  });
  if (refers) return true;
  PTEEDIT_ASSIGN(const auto mentioned, KeysOfDelegates(program, {keys.begin(), keys.end()}));
  return std::any_of(mentioned.begin(), mentioned.end(), [](const auto& method) {
    return std::any_of(method.begin(), method.end(), [](const auto& delegate) { return !delegate.empty(); });
  });
}

Result<std::string> BindingKeyOf(const Container& data, unsigned threads) {
  std::vector<const NamedEntry*> entries;
  for (const NamedEntry& entry : data.named_data()) {
    if (!IsBindingEntry(entry)) entries.push_back(&entry);
  }
  std::stable_sort(entries.begin(), entries.end(),
                   [](const NamedEntry* a, const NamedEntry* b) { return a->key < b->key; });
  PTEEDIT_ASSIGN(const std::vector<Sha256Digest> contents, HashEntries(data, entries, threads));
  Sha256 hash;
  for (size_t i = 0; i < entries.size(); ++i) {
    const std::string line = LineOf(*entries[i], contents[i]);
    hash.Update({reinterpret_cast<const uint8_t*>(line.data()), line.size()});
  }
  return Text(kBindingPrefix, hash.Finish().Hex().substr(0, kBindingIdDigits));
}

}  // namespace pteedit
