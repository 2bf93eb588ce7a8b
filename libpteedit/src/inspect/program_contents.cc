#include "inspect/program_contents.h"

#include <algorithm>

#include "base/text.h"
#include "io/digest.h"
#include "program/constants.h"
#include "program/container_state.h"
#include "pteedit/try.h"

namespace pteedit {

Result<ProgramContents> ProgramContents::Read(const ProgramSet& set) {
  ProgramContents contents(set);
  for (const Container& file : set.data()) PTEEDIT_TRY(contents.CheckKeys(file));
  PTEEDIT_TRY(contents.CheckKeys(set.program()));
  contents.AddConstants();
  return contents;
}

void ProgramContents::AddConstants() {
  const std::vector<Constant> constants = CollectConstants(program());
  size_t uses = 0;
  for (const Constant& constant : constants) uses += constant.uses.size();
  stored_.reserve(uses);
  for (const Constant& constant : constants) {
    for (const ConstantUse& use : constant.uses) {
      const uint64_t bytes = ByteSize(use.layout()).value_or(constant.extent.size);
      stored_.push_back({{use.method, use.value}, {constant.extent.offset, bytes}});
    }
  }
  std::ranges::sort(stored_, {}, &Stored::value);
}

Status ProgramContents::CheckKeys(const Container& file) const {
  for (const NamedEntry& entry : file.named_data()) {
    const KeyPlace first = *set_.Find(entry.key);
    if (first.entry == &entry) continue;
    PTEEDIT_ASSIGN(const bool same,
                   SameBytes(*first.file->source(), first.entry->extent, *file.source(), entry.extent));
    if (same) continue;
    return InvalidArgument(Text("key ", Quoted(entry.key), " also exists in ", first.file->source()->name(),
                                " with different contents"))
        .In(file.name());
  }
  return {};
}

std::optional<ContentPlace> ProgramContents::Find(std::string_view key) const {
  const std::optional<KeyPlace> found = set_.Find(key);
  return found ? std::optional<ContentPlace>({found->file->source(), found->entry->extent}) : std::nullopt;
}

const schema::Tensor& ProgramContents::TensorAt(size_t method, size_t value) const {
  const schema::Program& root = program().state().program_root();
  const auto* plan = root.execution_plan()->Get(static_cast<flatbuffers::uoffset_t>(method));
  return *plan->values()->Get(static_cast<flatbuffers::uoffset_t>(value))->val_as_Tensor();
}

Store ProgramContents::StoreAt(size_t method, size_t value) const {
  return StoreOf(program().state().program_root(), TensorAt(method, value));
}

Result<std::optional<ContentPlace>> ProgramContents::ContentAt(size_t method, size_t value) const {
  const Store store = StoreAt(method, value);
  if (store == Store::kPlanned) return std::optional<ContentPlace>();
  if (store != Store::kExternal) {
    const std::pair wanted(static_cast<uint32_t>(method), static_cast<uint32_t>(value));
    const auto found = std::ranges::lower_bound(stored_, wanted, {}, &Stored::value);
    return std::optional<ContentPlace>({program().source(), found->extent});
  }
  const schema::Tensor& tensor = TensorAt(method, value);
  const std::string_view key = ViewOf(tensor.extra_tensor_info()->fully_qualified_name());
  const DataPlace* found = set_.FindInData(key);
  if (found == nullptr) {
    return InvalidArgument(Text("key ", Quoted(key), " is in no data file, a tensor needs it")).In(program().name());
  }
  ContentPlace place{set_.data()[found->file].source(), found->entry->extent};
  const uint64_t bytes = ByteSize(LayoutOf(tensor)).value_or(place.extent.size);
  if (bytes > place.extent.size) {
    return Malformed(Text("key ", Quoted(key), " has ", place.extent.size, " bytes, a tensor of ", bytes, " uses it"))
        .In(place.source->name());
  }
  place.extent.size = bytes;
  return std::optional(std::move(place));
}

ContentPlace ProgramContents::Blob(size_t method, size_t delegate) const {
  const schema::Program& root = program().state().program_root();
  const auto* plan = root.execution_plan()->Get(static_cast<flatbuffers::uoffset_t>(method));
  const auto* found = plan->delegates()->Get(static_cast<flatbuffers::uoffset_t>(delegate));
  return {program().source(), BlobExtent(program(), *found)};
}

}  // namespace pteedit
