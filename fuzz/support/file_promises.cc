#include "file_promises.h"

#include <string>
#include <variant>
#include <vector>

#include "fuzz_input.h"
#include "pteedit/advise.h"
#include "pteedit/delegates.h"
#include "pteedit/leaks.h"
#include "pteedit/size_groups.h"
#include "pteedit/strip.h"
#include "pteedit/text.h"

namespace pteedit::fuzz {

void CheckSums(const SizeNode& node) {
  uint64_t sum = 0, in_pieces = 0;
  for (const Extent& piece : PiecesOf(node)) in_pieces += piece.size;
  Promise(in_pieces == node.size, "all bytes have a place in", EscapeControl(node.name));
  for (const SizeNode& component : node.components) {
    CheckSums(component);
    sum += component.size;
  }
  Promise(node.components.empty() || sum == node.size, "sizes add up in", EscapeControl(node.name));
}

void CheckLeaks(const Container& file) {
  const Result<Leaks> leaks = FindLeaks(file);
  PromiseResult(leaks, "an opened file can be searched:");
  for (const Leak& leak : leaks->found)
    Promise(leak.count != 0 && leak.offset < file.source()->size(), "what was found is in the file:", leak.kind);
}

void CheckAdvice(const ProgramSet& set) {
  const Result<std::vector<DelegateDescription>> delegates = DescribeDelegates(set);
  if (!delegates) return;  // over a limit, see describe.cc
  const Result<std::vector<Advice>> advice = Advise(set, [&] { return &*delegates; });
  PromiseResult(advice, "an opened file can be advised on:");
  for (const Advice& one : *advice) {
    Promise(one.takes != 0 && (!one.saves || one.remedy.index() != 0), "advice is about bytes:", one.id);
    const StripOptions* strip = std::get_if<StripOptions>(&one.remedy);
    if (strip == nullptr || !one.saves) continue;
    const Result<StripResult> stripped = Strip(set.file(), *strip);
    PromiseResult(stripped, "advice can be followed:");
    Promise(stripped->file.size() + *one.saves == set.file().source()->size(), "and saves what it says:", one.id);
  }
}

void CheckGroups(const Container& file) {
  const Result<std::vector<SizeGroup>> groups = GroupSizes(file, AllSizeAxes());
  if (!groups) return;  // over a limit, see describe.cc
  uint64_t sum = 0;
  for (const SizeGroup& group : *groups) sum += group.bytes;
  Promise(sum == file.source()->size(), "groups add up:", std::to_string(sum));
  const Result<std::vector<RetainedSize>> retained = MeasureRetained(file);
  PromiseResult(retained, "what each method, delegate and operator keeps can be told:");
  for (const RetainedSize& one : *retained) Promise(one.bytes <= sum, "nobody keeps more than there is:", one.name);
}

}  // namespace pteedit::fuzz
