// pteinspect --diff: the first file is the old one, the second the new one, the others data files of one or both.
#include "pteedit/diff.h"

#include "fuzz_input.h"
#include "pteedit/same.h"

using namespace pteedit;

namespace {

int64_t Difference(uint64_t before, uint64_t after) {
  return static_cast<int64_t>(after) - static_cast<int64_t>(before);
}

void CheckGrowth(const FileDiff& diff) {
  int64_t growth = 0;
  for (const SizeChange& change : diff.sizes) growth += Difference(change.old_bytes, change.new_bytes);
  fuzz::Promise(growth == Difference(diff.old_bytes, diff.new_bytes), "changes add up");
  int64_t by_component = 0;
  for (const ComponentChange& change : diff.components) by_component += Difference(change.old_bytes, change.new_bytes);
  fuzz::Promise(by_component == growth, "components add up");
  for (const SizeChange& change : diff.sizes) {
    if (!change.elements) continue;
    fuzz::Promise(change.elements->differing <= change.elements->elements, "no more elements differ than there are");
  }
}

// pteinspect --same.
void CheckSame(const ProgramSet& before, const ProgramSet& after) {
  const auto itself = FindDifference(before, before), other = FindDifference(before, after);
  fuzz::Promise(!itself || !*itself, "a file is the same as itself:", itself && *itself ? (*itself)->message : "");
  fuzz::Promise(!other || !*other || !(*other)->message.empty(), "a difference is told");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  fuzz::FuzzInput input = fuzz::ParseInput({bytes, size});
  if (input.files.size() < 2) return 0;
  const Result<Container> before = fuzz::Open(input.files[0], "before"), after = fuzz::Open(input.files[1], "after");
  if (!before || !after) return 0;
  input.files.erase(input.files.begin());
  const std::vector<Container> data = fuzz::OpenDataFiles(input), none;
  const ProgramSet old_set(*before, (input.options[0] & 1) == 0 ? data : none);
  const ProgramSet new_set(*after, (input.options[0] & 2) == 0 ? data : none);
  CheckSame(old_set, new_set);
  const Result<FileDiff> diff = DiffFiles(old_set, new_set), back = DiffFiles(new_set, old_set);
  fuzz::Promise(diff.has_value() == back.has_value(), "files are compared both ways or not at all");
  if (!diff) return 0;
  CheckGrowth(*diff);
  CheckGrowth(*back);
  fuzz::Promise(diff->is_same() == back->is_same(), "what is the same is so both ways");
  fuzz::Promise(diff->sizes.size() == back->sizes.size() && diff->methods.size() == back->methods.size() &&
                    diff->operators.size() == back->operators.size() && diff->meaning.size() == back->meaning.size(),
                "there are as many changes both ways");
  fuzz::Promise(diff->weights.added == back->weights.removed && diff->weights.same == back->weights.same &&
                    diff->delegates.added == back->delegates.removed && diff->delegates.alike == back->delegates.alike,
                "weights and delegates are matched alike both ways");
  const Result<FileDiff> itself = DiffFiles(old_set, old_set);
  fuzz::Promise(itself && itself->is_same(), "a file is the same as itself");
  return 0;
}
