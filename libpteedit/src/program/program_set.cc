#include "pteedit/program_set.h"

#include <mutex>
#include <unordered_map>
#include <utility>

#include "base/text.h"

namespace pteedit {

struct ProgramSet::State {
  State(Container one, std::vector<Container> others) : file(std::move(one)), data(std::move(others)) {}

  void AddKeys(const Container& of) const {
    for (const NamedEntry& entry : of.named_data()) places.try_emplace(entry.key, KeyPlace{&of, &entry});
  }

  const Container file;
  const std::vector<Container> data;
  // Made when the first key is looked for.
  mutable std::once_flag is_indexed;
  mutable std::unordered_map<std::string_view, KeyPlace> places;
};

ProgramSet::ProgramSet(Container file, std::vector<Container> data)
    : state_(std::make_shared<const State>(std::move(file), std::move(data))) {}

const Container& ProgramSet::file() const { return state_->file; }

const std::vector<Container>& ProgramSet::data() const { return state_->data; }

std::optional<KeyPlace> ProgramSet::Find(std::string_view key) const {
  std::call_once(state_->is_indexed, [this] {
    for (const Container& one : state_->data) state_->AddKeys(one);
    state_->AddKeys(program());
  });
  const auto found = state_->places.find(key);
  return found == state_->places.end() ? std::nullopt : std::optional(found->second);
}

uint64_t ProgramSet::bytes() const {
  uint64_t sum = file().source()->size();
  for (const Container& one : data()) sum += one.source()->size();
  return sum;
}

Status CheckIsProgram(const Container& file) {
  if (file.kind() != FileKind::kData) return {};
  return InvalidArgument("is a data file, a program expected").In(file.name());
}

Status CheckAreData(const std::vector<Container>& files) {
  for (const Container& file : files) {
    if (file.kind() == FileKind::kData) continue;
    const char* kind = file.kind() == FileKind::kBundle ? "bundled program" : "program";
    return InvalidArgument(Text("is a ", kind, ", a data file expected")).In(file.name());
  }
  return {};
}

}  // namespace pteedit
