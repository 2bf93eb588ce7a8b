#include "split/content_match.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string_view>

#include "program/constants.h"
#include "program/layout.h"
#include "pteedit/try.h"

namespace pteedit {
namespace {

std::set<uint64_t> SizesOf(const std::vector<NamedContent>& contents) {
  std::set<uint64_t> sizes;
  for (const NamedContent& content : contents) sizes.insert(content.place.extent.size);
  return sizes;
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
  for (const Constant& constant : CollectConstants(program)) {
    contents_.push_back({{program.source(), constant.extent}, OwnNames(constant)});
  }
  AddData(program);
}

void ContentMatch::AddData(const Container& data) {
  for (const NamedEntry& entry : data.named_data())
    contents_.push_back({{data.source(), ContentOf(entry)}, {std::string(entry.key)}});
}

Result<std::vector<bool>> ContentMatch::Find(const std::vector<NamedContent>& wanted, unsigned threads) const {
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
  PTEEDIT_ASSIGN(const std::vector<size_t> first, GroupByContent(places, threads));
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

}  // namespace pteedit
