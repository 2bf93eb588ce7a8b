#include "diff/content_match.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string_view>

#include "program/constants.h"
#include "program/found_names.h"
#include "program/layout.h"
#include "pteedit/names.h"
#include "pteedit/try.h"

namespace pteedit {
namespace {

std::set<uint64_t> SizesOf(const std::vector<NamedContent>& contents) {
  std::set<uint64_t> sizes;
  for (const NamedContent& content : contents) sizes.insert(content.place.extent.size);
  return sizes;
}

}  // namespace

ContentMatch::ContentMatch(const MatchFiles& match) : empty_(match.empty()), tensors_(match.tensors) {
  for (const Container& file : match.files) {
    if (file.kind() == FileKind::kData) {
      AddData(file);
    } else {
      AddProgram(file.kind() == FileKind::kBundle ? *file.program() : file);
    }
  }
}

void ContentMatch::AddProgram(const Container& program) {
  for (const Constant& constant : CollectConstants(program)) {
    contents_.push_back({{program.source(), constant.extent}, OwnNames(constant)});
  }
  AddData(program);
}

void ContentMatch::AddData(const Container& data) {
  for (const NamedEntry& entry : data.named_data())
    contents_.push_back({{data.source(), ContentOf(entry)}, {std::string(entry.key)}});
}

Result<std::vector<bool>> ContentMatch::Find(const std::vector<NamedContent>& wanted,
                                             const std::vector<Container>& holders, unsigned threads) const {
  PTEEDIT_ASSIGN(std::vector<bool> found, FindInFiles(wanted, threads));
  if (tensors_ == nullptr) return found;
  for (const Container& holder : holders) PTEEDIT_TRY(FindTensors(wanted, holder, threads, found));
  return found;
}

Result<std::vector<bool>> ContentMatch::FindInFiles(const std::vector<NamedContent>& wanted, unsigned threads) const {
  const std::set<uint64_t> wanted_sizes = SizesOf(wanted), sizes = SizesOf(contents_);
  std::vector<ContentPlace> places;
  std::vector<const NamedContent*> owners;  // by place: those of the files first
  const auto add = [&](const std::vector<NamedContent>& contents, const std::set<uint64_t>& other_sizes) {
    for (const NamedContent& content : contents) {
      if (other_sizes.count(content.place.extent.size) == 0) continue;
      places.push_back(content.place);
      owners.push_back(&content);
    }
  };
  add(contents_, wanted_sizes);
  const size_t count = places.size();
  add(wanted, sizes);
  PTEEDIT_ASSIGN(const std::vector<uint32_t> first, GroupByContent(places, threads));
  std::map<size_t, std::set<std::string_view>> names;  // by content of the files
  for (size_t i = 0; i < count; ++i) names[first[i]].insert(owners[i]->names.begin(), owners[i]->names.end());
  std::vector<bool> found(wanted.size());
  for (size_t i = count; i < places.size(); ++i) {
    const auto known = names.find(first[i]);
    if (known == names.end()) continue;
    const std::vector<std::string>& own = owners[i]->names;
    found[static_cast<size_t>(owners[i] - wanted.data())] =
        places[i].extent.size >= kMinTellingBytes ||
        std::any_of(own.begin(), own.end(), [&](const std::string& name) { return known->second.count(name) != 0; });
  }
  return found;
}

// Adds those that a checkpoint has a name for. Of small ones that says nothing unless they are called so here too.
Status ContentMatch::FindTensors(const std::vector<NamedContent>& wanted, const Container& holder, unsigned threads,
                                 std::vector<bool>& found) const {
  PTEEDIT_ASSIGN(const Container named, tensors_->Name(holder, threads));
  std::map<std::pair<uint64_t, uint64_t>, const std::vector<std::string>*> of_keys;  // by place
  for (const NamedEntry& entry : named.named_data())
    of_keys[{entry.extent.offset, entry.extent.size}] = FoundNamesOfKey(named, entry.key);
  for (size_t i = 0; i < wanted.size(); ++i) {
    const auto& [source, extent] = wanted[i].place;
    if (source != holder.source()) continue;
    const auto of_key = of_keys.find({extent.offset, extent.size});
    const std::vector<std::string>* names = FoundNamesAt(named, extent);
    if (names == nullptr && of_key != of_keys.end()) names = of_key->second;
    if (names == nullptr) continue;
    const std::vector<std::string>& own = wanted[i].names;
    if (extent.size >= kMinTellingBytes ||
        std::find_first_of(own.begin(), own.end(), names->begin(), names->end()) != own.end())
      found[i] = true;
  }
  return {};
}

}  // namespace pteedit
