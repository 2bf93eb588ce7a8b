#include "verify/verify_adapter.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "base/text.h"
#include "program/container_state.h"
#include "program/layout.h"
#include "program/schema.h"
#include "verify/findings.h"

namespace pteedit {
namespace {

// One number for each layout; what has none is kNoLayout.
class LayoutNumbers {
 public:
  static constexpr size_t kNoLayout = 0;

  size_t NumberOf(const SharedOptional<TensorLayout>& layout) {
    if (!layout) return kNoLayout;
    const std::tuple text(layout->scalar_type, layout->sizes, layout->dim_order);
    return numbers_.try_emplace(text, numbers_.size() + 1).first->second;
  }

 private:
  std::map<std::tuple<int8_t, std::vector<int32_t>, std::vector<uint8_t>>, size_t> numbers_;
};

// Whether `wanted` occurs in `list`, in time linear in both (Knuth, Morris, Pratt).
bool Occurs(const std::vector<size_t>& wanted, const std::vector<size_t>& list) {
  std::vector<size_t> border(wanted.size());  // of wanted[0..i]: its longest beginning that is also its end
  size_t matched = 0;
  const auto advance = [&](size_t next) {
    while (matched > 0 && (matched == wanted.size() || wanted[matched] != next)) matched = border[matched - 1];
    if (wanted[matched] == next) ++matched;
  };
  for (size_t i = 1; i < wanted.size(); ++i) {
    advance(wanted[i]);
    border[i] = matched;
  }
  matched = 0;
  return std::any_of(list.begin(), list.end(), [&](size_t next) {
    advance(next);
    return matched == wanted.size();
  });
}

std::string LayoutWords(const TensorLayout& layout) {
  std::string sizes, order;
  for (const int32_t size : layout.sizes) sizes += Text(sizes.empty() ? "" : ", ", size);
  for (const uint8_t dimension : layout.dim_order) order += Text(order.empty() ? "" : ", ", int{dimension});
  const bool is_usual = std::is_sorted(layout.dim_order.begin(), layout.dim_order.end());
  return Text(ScalarTypeName(layout.scalar_type), " [", sizes, "]", is_usual ? "" : " in order [" + order + "]");
}

class AdapterVerifier {
 public:
  AdapterVerifier(const Container& program, const Container& adapter) : adapter_(adapter) {
    for (const NamedEntry& entry : adapter.named_data()) wanted_.push_back(numbers_.NumberOf(entry.layout));
    for (const schema::ExecutionPlan* plan : OrEmpty(program.state().program_root().execution_plan())) AddMethod(*plan);
  }

  std::vector<Finding> Verify() && {
    CheckBytes();
    if (wanted_.empty()) found_.AddWarning("adapter-inputs", "", "has no entries, so it fits any method");
    const bool fits = std::any_of(methods_.begin(), methods_.end(), [&](const Method& method) { return Fits(method); });
    const size_t most = MostFitting();
    for (const Method& method : methods_) {
      // A method in which less than half fits is another part of the model, unless there is no better one.
      const bool takes_it = 2 * method.fitting >= wanted_.size() && method.fitting != 0;
      if (!Fits(method) && (takes_it || (!fits && method.fitting == most))) Compare(method);
    }
    if (methods_.empty()) found_.AddError("adapter-inputs", "", "the program has no method with inputs");
    return std::move(found_).Take();
  }

 private:
  struct Method {
    std::string_view name;
    std::vector<SharedOptional<TensorLayout>> inputs;  // nothing where it is no tensor
    std::vector<size_t> numbers;                       // of their layouts
    size_t fitting = 0;                                // entries that fit the last inputs
    size_t first(size_t entries) const { return inputs.size() - std::min(entries, inputs.size()); }
  };

  void AddMethod(const schema::ExecutionPlan& plan) {
    Method method;
    method.name = ViewOf(plan.name());
    const auto& values = OrEmpty(plan.values());
    for (const int32_t index : OrEmpty(plan.inputs())) {
      const auto value = static_cast<uint32_t>(index);
      const schema::Tensor* tensor = value < values.size() ? values.Get(value)->val_as_Tensor() : nullptr;
      method.inputs.push_back(tensor != nullptr ? std::optional(LayoutOf(*tensor)) : std::nullopt);
      method.numbers.push_back(numbers_.NumberOf(method.inputs.back()));
    }
    if (method.inputs.empty()) return;
    const size_t first = method.first(wanted_.size());
    for (size_t i = 0; wanted_.size() <= method.inputs.size() && i < wanted_.size(); ++i) {
      if (wanted_[i] != LayoutNumbers::kNoLayout && wanted_[i] == method.numbers[first + i]) ++method.fitting;
    }
    methods_.push_back(std::move(method));
  }

  bool HaveLayouts() const {
    return std::none_of(wanted_.begin(), wanted_.end(), [](size_t one) { return one == LayoutNumbers::kNoLayout; });
  }

  bool Fits(const Method& method) const {
    if (wanted_.empty()) return true;
    return HaveLayouts() && Occurs(wanted_, method.numbers);
  }

  size_t MostFitting() const {
    size_t most = 0;
    for (const Method& method : methods_) most = std::max(most, method.fitting);
    return most;
  }

  std::string EntryWords(size_t entry) const {
    return Text("entry ", entry, ", key ", Quoted(adapter_.named_data()[entry].key), ",");
  }

  // The loader copies as many bytes as the entry has.
  void CheckBytes() {
    const std::vector<NamedEntry>& entries = adapter_.named_data();
    for (size_t i = 0; i < entries.size(); ++i) {
      if (!entries[i].layout) {
        found_.AddWarning("adapter-layout", EntryWords(i), "has no layout, so only its bytes can be compared");
        continue;
      }
      const uint64_t bytes = ByteSize(*entries[i].layout).value_or(0);
      if (bytes == entries[i].extent.size) continue;
      found_.AddError("adapter-bytes", EntryWords(i),
                      Text("has ", entries[i].extent.size, " bytes, its layout ", bytes));
    }
  }

  void Compare(const Method& method) {
    const std::string name = Text("method ", Quoted(method.name));
    if (method.inputs.size() < wanted_.size()) {
      found_.AddError(
          "adapter-inputs", name,
          Text("has fewer inputs than the adapter entries: ", method.inputs.size(), ", not ", wanted_.size()));
      return;
    }
    const size_t first = method.first(wanted_.size());
    for (size_t i = 0; i < wanted_.size(); ++i) CompareEntry(method, i, first + i);
  }

  void CompareEntry(const Method& method, size_t entry, size_t input) {
    const SharedOptional<TensorLayout>& taken = method.inputs[input];
    const std::string place = Text("input ", input, " of method ", Quoted(method.name));
    const NamedEntry& named = adapter_.named_data()[entry];
    if (!taken) return found_.AddError("adapter-input", EntryWords(entry), Text("would become ", place, ", no tensor"));
    if (named.layout && *named.layout == *taken) return;
    const uint64_t bytes = ByteSize(*taken).value_or(0);
    if (!named.layout && named.extent.size == bytes) return;
    const std::string is = named.layout ? LayoutWords(*named.layout) : Text(named.extent.size, " bytes");
    const std::string takes = named.layout ? LayoutWords(*taken) : Text(bytes, " bytes");
    found_.AddError("adapter-input", EntryWords(entry), Text("is ", is, ", ", place, " takes ", takes));
  }

  const Container& adapter_;
  LayoutNumbers numbers_;
  std::vector<size_t> wanted_;  // by entry
  std::vector<Method> methods_;
  Findings found_;
};

}  // namespace

std::vector<Finding> VerifyAdapterInputs(const Container& program, const Container& adapter) {
  return AdapterVerifier(program, adapter).Verify();
}

}  // namespace pteedit
