#include "split/content_match.h"

#include <algorithm>

#include "constants.h"
#include "layout.h"
#include "try.h"

namespace pteedit {
namespace {

constexpr uint64_t kMinTellingBytes = 64;  // below, equal contents say nothing

bool ShareName(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  return std::find_first_of(a.begin(), a.end(), b.begin(), b.end()) != a.end();
}

}  // namespace

ContentMatch::ContentMatch(const std::vector<Container>& files) : empty_(files.empty()) {
  for (const Container& file : files) {
    if (file.kind() == FileKind::kData) {
      AddData(file);
    } else {
      AddProgram(file.kind() == FileKind::kBundle ? *file.program() : file);
    }
  }
}

void ContentMatch::AddProgram(const Container& program) {
  for (Constant& constant : CollectConstants(program)) {
    std::vector<std::string> names = std::move(constant.aliases);
    names.push_back(std::move(constant.name));
    by_size_[constant.extent.size].push_back({program.source(), constant.extent, std::move(names), {}});
  }
  AddData(program);
}

void ContentMatch::AddData(const Container& data) {
  for (const NamedEntry& entry : data.named_data()) {
    const Extent extent = ContentOf(entry);
    by_size_[extent.size].push_back({data.source(), extent, {std::string(entry.key)}, {}});
  }
}

Result<bool> ContentMatch::Contains(const Source& source, Extent extent, const std::vector<std::string>& names) {
  const auto candidates = by_size_.find(extent.size);
  if (candidates == by_size_.end()) return false;
  PTEEDIT_ASSIGN(const Xxh128Digest digest, Xxh128Of(source, extent));
  for (Content& content : candidates->second) {
    if (extent.size < kMinTellingBytes && !ShareName(names, content.names)) continue;
    if (!content.digest) {
      PTEEDIT_ASSIGN(content.digest, Xxh128Of(*content.source, content.extent));
    }
    if (*content.digest != digest) continue;
    PTEEDIT_ASSIGN(const bool same, SameBytes(source, extent, *content.source, content.extent));
    if (same) return true;
  }
  return false;
}

}  // namespace pteedit
