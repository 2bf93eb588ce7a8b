#include "pteedit/program_set.h"

#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

#include "base/text.h"

namespace pteedit {

struct ProgramSet::State {
  State(Container one, std::vector<Container> others) : file(std::move(one)), data(std::move(others)) {}

  const Container& program() const { return file.program() != nullptr ? *file.program() : file; }

  void IndexKeys() const {
    std::call_once(is_indexed, [this] {
      size_t keys = 0;
      for (const Container& one : data) keys += one.named_data().size();
      in_data.reserve(keys);
      in_program.reserve(program().named_data().size());
      for (size_t i = 0; i < data.size(); ++i) {
        for (const NamedEntry& entry : data[i].named_data()) in_data.push_back({i, &entry});
      }
      std::ranges::stable_sort(in_data, {}, &DataPlace::key);
      const auto again = std::ranges::unique(in_data, {}, &DataPlace::key);
      in_data.erase(again.begin(), again.end());
      for (const NamedEntry& entry : program().named_data()) in_program.push_back(&entry);
      std::ranges::stable_sort(in_program, {}, &NamedEntry::key);
    });
  }

  const DataPlace* FindInData(std::string_view key) const {
    IndexKeys();
    const auto found = std::ranges::lower_bound(in_data, key, {}, &DataPlace::key);
    return found == in_data.end() || found->key() != key ? nullptr : &*found;
  }

  const Container file;
  const std::vector<Container> data;
  // Made when the first key is looked for.
  mutable std::once_flag is_indexed;
  mutable std::vector<DataPlace> in_data;             // by key
  mutable std::vector<const NamedEntry*> in_program;  // by key, of one key the first
};

ProgramSet::ProgramSet(Container file, std::vector<Container> data)
    : state_(std::make_shared<const State>(std::move(file), std::move(data))) {}

const Container& ProgramSet::file() const { return state_->file; }

const std::vector<Container>& ProgramSet::data() const { return state_->data; }

std::optional<KeyPlace> ProgramSet::Find(std::string_view key) const {
  if (const DataPlace* found = FindInData(key)) return KeyPlace{&data()[found->file], found->entry};
  const auto found = std::ranges::lower_bound(state_->in_program, key, {}, &NamedEntry::key);
  if (found == state_->in_program.end() || (*found)->key != key) return std::nullopt;
  return KeyPlace{&program(), *found};
}

const std::vector<DataPlace>& ProgramSet::data_keys() const {
  state_->IndexKeys();
  return state_->in_data;
}

const DataPlace* ProgramSet::FindInData(std::string_view key) const { return state_->FindInData(key); }

uint64_t ProgramSet::bytes() const {
  uint64_t sum = file().source()->size();
  for (const Container& one : data()) sum += one.source()->size();
  return sum;
}

Status CheckIsProgram(const Container& file) {
  if (file.kind() == FileKind::kProgram || file.kind() == FileKind::kBundle) return {};
  const char* kind = file.kind() == FileKind::kData ? "data file" : "package of the native backend";
  return InvalidArgument(Text("is a ", kind, ", a program expected")).In(file.name());
}

Status CheckAreData(const std::vector<Container>& files) {
  for (const Container& file : files) {
    if (file.kind() == FileKind::kData) continue;
    const char* kind = file.kind() == FileKind::kBundle   ? "bundled program"
                       : file.kind() == FileKind::kNative ? "package of the native backend"
                                                          : "program";
    return InvalidArgument(Text("is a ", kind, ", a data file expected")).In(file.name());
  }
  return {};
}

}  // namespace pteedit
