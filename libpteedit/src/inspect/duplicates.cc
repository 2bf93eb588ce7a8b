#include "pteedit/duplicates.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "io/content_index.h"
#include "program/constants.h"
#include "program/container_state.h"
#include "program/delegate_names.h"
#include "program/found_names.h"
#include "pteedit/try.h"

namespace pteedit {
namespace {

class Collector {
 public:
  std::vector<ContentPlace> places;
  std::vector<ContentCopy> copies;  // indexed like places

  void AddFile(const Container& file, size_t index) {
    const Container& inner = file.kind() == FileKind::kBundle ? *file.program() : file;
    file_ = index, source_ = inner.source();
    seen_.clear();
    if (inner.kind() == FileKind::kProgram) AddProgram(inner);
    if (inner.state().package != nullptr) Add(inner.state().package->graph, "graph", kProgramGraph);
    const char* what = inner.kind() == FileKind::kProgram ? "named-data" : "data";
    for (const NamedEntry& entry : inner.named_data()) Add(entry.extent, what, ShownName(inner, entry.key));
  }

 private:
  void AddProgram(const Container& program) {
    for (Constant& constant : CollectConstants(program)) {
      Add(constant.extent, constant.store == Store::kMutable ? "mutable" : "constant", std::move(constant.name));
    }
    const schema::Program& root = program.state().program_root();
    const std::vector<DelegateNames> names = DelegateNamesIn(root);
    for (flatbuffers::uoffset_t plan = 0; plan < OrEmpty(root.execution_plan()).size(); ++plan) {
      const auto& delegates = OrEmpty(root.execution_plan()->Get(plan)->delegates());
      for (flatbuffers::uoffset_t i = 0; i < delegates.size(); ++i) {
        Add(BlobExtent(program, *delegates.Get(i)), "delegate", names[plan][i]);
      }
    }
  }

  void Add(Extent extent, const char* what, std::string name) {
    if (extent.size == 0 || !seen_.emplace(extent.offset, extent.size).second) return;
    places.push_back({source_, extent});
    copies.push_back({file_, what, std::move(name)});
  }

  size_t file_ = 0;
  std::shared_ptr<const Source> source_;
  std::set<std::pair<uint64_t, uint64_t>> seen_;  // places of this file
};

}  // namespace

Result<Duplicates> FindDuplicates(const std::vector<Container>& files, unsigned threads) {
  Collector collector;
  for (size_t i = 0; i < files.size(); ++i) collector.AddFile(files[i], i);
  PTEEDIT_ASSIGN(const std::vector<uint32_t> first, GroupByContent(collector.places, threads));
  std::map<size_t, DuplicateGroup> groups;  // by their first
  for (size_t i = 0; i < first.size(); ++i) {
    if (first[i] == i) continue;
    DuplicateGroup& group = groups[first[i]];
    if (group.copies.empty()) group.copies.push_back(std::move(collector.copies[first[i]]));
    group.copies.push_back(std::move(collector.copies[i]));
    group.bytes = collector.places[i].extent.size;
  }
  Duplicates found;
  for (auto& [index, group] : groups) {
    group.saved_bytes = (group.copies.size() - 1) * group.bytes;
    found.saved_bytes += group.saved_bytes;
    found.groups.push_back(std::move(group));
  }
  std::stable_sort(found.groups.begin(), found.groups.end(),
                   [](const auto& a, const auto& b) { return a.saved_bytes > b.saved_bytes; });
  return found;
}

}  // namespace pteedit
