#include "package/regions.h"

#include <cstdint>
#include <map>
#include <utility>

#include "base/text.h"
#include "program/constants.h"
#include "pteedit/container.h"

namespace pteedit {
namespace {

// Where regions begin, and the name of what begins there: of several things, the first that was added.
class Cuts {
 public:
  void Add(Extent extent, std::string name) {
    if (extent.size == 0) return;
    std::string& known = names_[extent.offset];
    if (known.empty()) known = std::move(name);
    names_.try_emplace(extent.offset + extent.size);
  }

  std::vector<Region> Regions(uint64_t size) && {
    names_.try_emplace(0);
    names_.erase(names_.lower_bound(size), names_.end());
    std::vector<Region> regions;
    for (auto& [offset, name] : names_) {
      if (!regions.empty()) regions.back().extent.size = offset - regions.back().extent.offset;
      regions.push_back({{offset, size - offset}, std::move(name)});
    }
    return regions;
  }

 private:
  std::map<uint64_t, std::string> names_;
};

Cuts CutsOf(const Container& file, uint64_t base) {
  Cuts cuts;
  const auto add = [&](Extent extent, std::string name) {
    cuts.Add({base + extent.offset, extent.size}, std::move(name));
  };
  add({0, file.tables().size}, "tables");
  for (const NamedEntry& entry : file.named_data()) add(entry.extent, Text("key ", entry.key));
  if (file.kind() == FileKind::kProgram) {
    for (const Constant& constant : CollectConstants(file)) {
      if (constant.store != Store::kInline) add(constant.extent, Text("constant ", constant.name));
    }
  }
  for (size_t i = 0; i < file.segments().size(); ++i) add(file.segments()[i], Text("segment ", i));
  return cuts;
}

}  // namespace

Result<std::vector<Region>> RegionsOf(std::shared_ptr<const Source> source) {
  const uint64_t size = source->size();
  const Result<Container> file = Container::Open(std::move(source));
  if (!file && file.error().code == ErrorCode::kIo) return file.error();
  if (!file) return Cuts().Regions(size);
  if (file->program() == nullptr) return CutsOf(*file, 0).Regions(size);
  return CutsOf(*file->program(), file->program_extent().offset).Regions(size);
}

}  // namespace pteedit
