#include "key_search.h"

#include <algorithm>
#include <map>

#include "constants.h"
#include "container_state.h"
#include "streaming.h"
#include "text.h"
#include "try.h"

namespace pteedit {
namespace {

size_t FirstTwo(const uint8_t* bytes) { return static_cast<size_t>(bytes[0]) << 8 | bytes[1]; }

// Of all delegates together; real programs have thousands. More is a file made to eat memory.
constexpr size_t kMaxMentions = size_t{1} << 20;

std::string_view AsText(ByteSpan bytes) { return {reinterpret_cast<const char*>(bytes.data), bytes.size}; }

std::vector<size_t> IndicesOf(const std::vector<bool>& found) {
  std::vector<size_t> indices;
  for (size_t i = 0; i < found.size(); ++i) {
    if (found[i]) indices.push_back(i);
  }
  return indices;
}

}  // namespace

KeySearch::KeySearch(const std::vector<std::string_view>& keys) : count_(keys.size()) {
  std::map<std::string_view, std::vector<size_t>> sorted;
  for (size_t i = 0; i < keys.size(); ++i) {
    if (!keys[i].empty() && keys[i].size() <= kMaxKeyBytes) sorted[keys[i]].push_back(i);
  }
  for (auto& [text, indices] : sorted) {
    // In sorted order the keys that begin with one another follow each other, so the prefix is found by climbing.
    size_t prefix = keys_.empty() ? kNone : keys_.size() - 1;
    while (prefix != kNone && !text.starts_with(keys_[prefix].text)) prefix = keys_[prefix].prefix;
    longest_ = std::max(longest_, text.size());
    const uint8_t first = static_cast<uint8_t>(text[0]);
    if (text.size() > 1) {
      starts_.set(static_cast<size_t>(first) << 8 | static_cast<uint8_t>(text[1]));
    } else {
      for (size_t second = 0; second < 256; ++second) starts_.set(static_cast<size_t>(first) << 8 | second);
    }
    keys_.push_back({text, std::move(indices), prefix});
  }
}

size_t KeySearch::LongestMatch(std::string_view text) const {
  const auto after = std::upper_bound(keys_.begin(), keys_.end(), text,
                                      [](std::string_view value, const Key& key) { return value < key.text; });
  size_t match = after == keys_.begin() ? kNone : static_cast<size_t>(after - keys_.begin()) - 1;
  while (match != kNone && !text.starts_with(keys_[match].text)) match = keys_[match].prefix;
  return match;
}

void KeySearch::Scan(ByteSpan bytes, std::vector<bool>& found) const {
  for (size_t i = 0; i < bytes.size; ++i) {
    const bool may_start = i + 1 == bytes.size || starts_.test(FirstTwo(bytes.data + i));
    if (!may_start) continue;
    const std::string_view text = AsText({bytes.data + i, std::min(bytes.size - i, longest_)});
    for (size_t match = LongestMatch(text); match != kNone; match = keys_[match].prefix) {
      for (const size_t index : keys_[match].indices) found[index] = true;
    }
  }
}

std::vector<size_t> KeySearch::FindIn(ByteSpan bytes) const {
  std::vector<bool> found(count_);
  if (!keys_.empty()) Scan(bytes, found);
  return IndicesOf(found);
}

Result<std::vector<size_t>> KeySearch::FindIn(const Source& source, Extent extent) const {
  std::vector<bool> found(count_);
  if (keys_.empty()) return IndicesOf(found);
  std::vector<uint8_t> window;  // the end of the last piece, where a key may have begun, and the new one
  PTEEDIT_TRY(ForEachPiece(source, extent, [&](ByteSpan piece) {
    window.insert(window.end(), piece.data, piece.data + piece.size);
    Scan({window.data(), window.size()}, found);
    const size_t keep = std::min(window.size(), longest_ - 1);
    window.erase(window.begin(), window.end() - static_cast<std::ptrdiff_t>(keep));
    return Status();
  }));
  return IndicesOf(found);
}

Result<std::vector<std::vector<std::vector<size_t>>>> KeysOfDelegates(const Container& program,
                                                                      const std::vector<std::string_view>& keys) {
  const KeySearch search(keys);
  std::map<std::pair<uint64_t, uint64_t>, std::vector<size_t>> by_blob;
  std::vector<std::vector<std::vector<size_t>>> result;
  size_t mentions = 0;
  for (const schema::ExecutionPlan* plan : OrEmpty(program.state().program_root().execution_plan())) {
    result.emplace_back();
    for (const schema::BackendDelegate* delegate : OrEmpty(plan->delegates())) {
      const Extent blob = BlobExtent(program, *delegate);
      const auto [place, is_new] = by_blob.try_emplace({blob.offset, blob.size});
      if (is_new) {
        PTEEDIT_ASSIGN(place->second, search.FindIn(*program.source(), blob));
      }
      std::vector<size_t> mentioned = place->second;
      for (const schema::CompileSpec* spec : OrEmpty(delegate->compile_specs())) {
        const auto& value = OrEmpty(spec->value());
        const std::vector<size_t> more = search.FindIn({value.data(), value.size()});
        mentioned.insert(mentioned.end(), more.begin(), more.end());
      }
      std::sort(mentioned.begin(), mentioned.end());
      mentioned.erase(std::unique(mentioned.begin(), mentioned.end()), mentioned.end());
      mentions += mentioned.size();
      if (mentions > kMaxMentions)
        return Unsupported(Text("delegates mention keys over ", kMaxMentions, " times")).In(program.name());
      result.back().push_back(std::move(mentioned));
    }
  }
  return result;
}

}  // namespace pteedit
