#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "diff/diff_meaning.h"
#include "io/digest.h"
#include "program/container_state.h"
#include "program/value_words.h"

namespace pteedit {
namespace {

using flatbuffers::uoffset_t;

constexpr size_t kShownItems = 16;  // of a list: what is left out still counts

constexpr size_t kShownCallBytes = 200;  // of the arguments of a call

// The calls of one method. Each value is put into words once.
class MethodCalls {
 public:
  using Arguments = std::vector<size_t>;  // numbers of texts

  MethodCalls(const schema::ExecutionPlan& plan, std::map<std::string, size_t>& numbers,
              std::vector<std::string>& texts)
      : plan_(plan), numbers_(numbers), texts_(texts), known_(OrEmpty(plan.values()).size()) {}

  // By operator, or backend, the arguments of each call.
  std::map<std::string, std::vector<Arguments>> Collect() {
    std::map<std::string, std::vector<Arguments>> calls;
    for (const schema::Chain* chain : OrEmpty(plan_.chains())) {
      for (const schema::Instruction* instruction : OrEmpty(chain->instructions())) {
        if (const auto* call = instruction->instr_args_as_KernelCall()) {
          const schema::Operator& op = *plan_.operators()->Get(static_cast<uoffset_t>(call->op_index()));
          calls[OperatorName(op)].push_back(ArgumentsOf(call->args()));
        } else if (const auto* to = instruction->instr_args_as_DelegateCall()) {
          const auto& delegate = *plan_.delegates()->Get(static_cast<uoffset_t>(to->delegate_index()));
          calls[std::string(ViewOf(delegate.id()))].push_back(ArgumentsOf(to->args()));
        }
      }
    }
    return calls;
  }

 private:
  Arguments ArgumentsOf(const flatbuffers::Vector<int32_t>* args) {
    Arguments arguments;
    for (const int32_t value : OrEmpty(args)) arguments.push_back(NumberOf(static_cast<size_t>(value)));
    return arguments;
  }

  size_t NumberOf(size_t value) {
    std::optional<size_t>& number = known_[value];
    if (!number) {
      const auto [place, is_new] =
          numbers_.emplace(Words(*plan_.values()->Get(static_cast<uoffset_t>(value))), texts_.size());
      if (is_new) texts_.push_back(place->first);
      number = place->second;
    }
    return *number;
  }

  std::string Words(const schema::EValue& value) const {
    if (const auto* list = value.val_as_IntList()) return Items(list->items());
    if (const auto* list = value.val_as_TensorList()) return Items(list->items());
    if (const auto* list = value.val_as_OptionalTensorList()) return Items(list->items());
    if (const auto* list = value.val_as_DoubleList()) return Bounded(list->items(), NumberText);
    if (const auto* list = value.val_as_BoolList())
      return Bounded(list->items(), [](bool item) -> std::string { return item ? "true" : "false"; });
    return ValueWords(value);
  }

  // Of a list that names values, which are no lists.
  template <class Item>
  std::string Items(const flatbuffers::Vector<Item>* items) const {
    return Bounded(items, [&](int64_t item) -> std::string {
      return item < 0 ? "none" : ValueWords(*plan_.values()->Get(static_cast<uoffset_t>(item)));
    });
  }

  template <class Item, class ToText>
  static std::string Bounded(const flatbuffers::Vector<Item>* items, ToText to_text) {
    std::string text, rest;
    size_t count = 0;
    for (const auto item : OrEmpty(items)) {
      const std::string word = to_text(item);
      if (count++ < kShownItems) {
        text += (text.empty() ? "" : ",") + word;
      } else {
        const std::string next = Text(rest, ",", word);
        rest = Xxh128Of(ByteSpan{reinterpret_cast<const uint8_t*>(next.data()), next.size()}).Hex();
      }
    }
    return rest.empty() ? "[" + text + "]" : Text("[", text, ", ", count - kShownItems, " more: ", rest, "]");
  }

  const schema::ExecutionPlan& plan_;
  std::map<std::string, size_t>& numbers_;
  std::vector<std::string>& texts_;
  std::vector<std::optional<size_t>> known_;  // by value
};

using Arguments = MethodCalls::Arguments;

class CallComparer {
 public:
  explicit CallComparer(std::vector<MeaningChange>& changes) : changes_(changes) {}

  void Compare(const schema::ExecutionPlan& before, const schema::ExecutionPlan& after) {
    const std::string method(ViewOf(after.name()));
    auto then = MethodCalls(before, numbers_, texts_).Collect();
    auto now = MethodCalls(after, numbers_, texts_).Collect();
    for (const auto& [op, calls] : now) then.try_emplace(op);
    for (auto& [op, calls] : then) CompareOperator(Text(method, " ", op), calls, now[op]);
  }

 private:
  void CompareOperator(const std::string& name, const std::vector<Arguments>& then, const std::vector<Arguments>& now) {
    std::map<Arguments, int64_t> surplus;  // of the new side
    for (const Arguments& call : then) --surplus[call];
    for (const Arguments& call : now) ++surplus[call];
    const std::vector<Arguments> gone = Left(then, surplus, -1), come = Left(now, surplus, 1);
    std::map<std::pair<std::string, std::string>, uint64_t> times;
    for (size_t i = 0; i < std::max(gone.size(), come.size()); ++i) {
      if (i >= gone.size()) {
        ++times[{"", AllOf(come[i])}];
      } else if (i >= come.size()) {
        ++times[{AllOf(gone[i]), ""}];
      } else {
        ++times[Difference(gone[i], come[i])];
      }
    }
    for (const auto& [pair, count] : times) changes_.push_back({"call", name, pair.first, pair.second, count});
  }

  // The last calls of each kind that the other side does not have, in order.
  static std::vector<Arguments> Left(const std::vector<Arguments>& calls, std::map<Arguments, int64_t>& surplus,
                                     int64_t sign) {
    std::vector<Arguments> left;
    for (auto call = calls.rbegin(); call != calls.rend(); ++call) {
      int64_t& count = surplus[*call];
      if (count * sign <= 0) continue;
      count -= sign;
      left.push_back(*call);
    }
    std::reverse(left.begin(), left.end());
    return left;
  }

  std::string AllOf(const Arguments& call) const {
    std::string text;
    for (size_t i = 0; i < call.size() && text.size() < kShownCallBytes; ++i)
      text += (text.empty() ? "" : ", ") + texts_[call[i]];
    return "(" + Cut(text) + ")";
  }

  static std::string Cut(const std::string& text) {
    if (text.size() <= kShownCallBytes) return text;
    return std::string(BeginningOf(text, kShownCallBytes)) + "...";
  }

  // Only those that differ, where both have as many.
  std::pair<std::string, std::string> Difference(const Arguments& then, const Arguments& now) const {
    if (then.size() != now.size()) return {AllOf(then), AllOf(now)};
    std::pair<std::string, std::string> words;
    const auto is_shown = [](const std::string& text) { return text.size() < kShownCallBytes; };
    for (size_t i = 0; i < then.size() && (is_shown(words.first) || is_shown(words.second)); ++i) {
      if (then[i] == now[i]) continue;
      const std::string separator = words.first.empty() ? "" : ", ";
      words.first += Text(separator, "argument ", i, ": ", texts_[then[i]]);
      words.second += Text(separator, "argument ", i, ": ", texts_[now[i]]);
    }
    return {Cut(words.first), Cut(words.second)};
  }

  std::vector<MeaningChange>& changes_;
  std::map<std::string, size_t> numbers_;  // by text
  std::vector<std::string> texts_;
};

}  // namespace

void AddCallChanges(const Container& before, const Container& after, std::vector<MeaningChange>& changes) {
  std::map<std::string_view, const schema::ExecutionPlan*> old_plans;
  for (const auto* plan : OrEmpty(before.state().program_root().execution_plan()))
    old_plans.emplace(ViewOf(plan->name()), plan);
  CallComparer comparer(changes);
  std::set<std::string_view> seen;  // a second one of a name is hidden
  for (const auto* plan : OrEmpty(after.state().program_root().execution_plan())) {
    const auto then = old_plans.find(ViewOf(plan->name()));
    if (then != old_plans.end() && seen.insert(then->first).second) comparer.Compare(*then->second, *plan);
  }
}

}  // namespace pteedit
