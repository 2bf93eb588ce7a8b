#include "copy/methods.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "base/renumber.h"
#include "base/text.h"
#include "edit/pack.h"
#include "pteedit/near_matches.h"
#include "pteedit/try.h"

namespace pteedit {
namespace {

constexpr size_t kNearNames = 3;

std::string NameOf(const tables::ExecutionPlan& plan) { return std::string(tables::ViewOf(plan.name)); }

bool IsConstant(const tables::ExecutionPlan& plan) {
  return plan.inputs.size() == 0 &&
         std::all_of(plan.chains.items.begin(), plan.chains.items.end(),
                     [](const tables::Chain& chain) { return chain.instructions.items.empty(); });
}

tables::EValue ValueOf(const NewConstantMethod::Item& item) {
  tables::EValue value;
  std::visit(
      [&](const auto& content) {
        using T = std::decay_t<decltype(content)>;
        if constexpr (std::is_same_v<T, bool>) value.val = tables::Bool{{content ? uint8_t{1} : uint8_t{0}}};
        if constexpr (std::is_same_v<T, int64_t>) value.val = tables::Int{{content}};
        if constexpr (std::is_same_v<T, double>) value.val = tables::Double{{content}};
        if constexpr (std::is_same_v<T, std::string>) value.val = tables::String{{tables::OwnText(content)}};
      },
      item);
  return value;
}

// How the exporter's pytree describes what a method returns: one value, or a list of some.
std::string StructureOf(const NewConstantMethod& method) {
  constexpr std::string_view kLeaf = R"({"type": null, "context": null, "children_spec": []})";
  if (!method.is_list) return Text("[1, ", kLeaf, "]");
  const auto leaf = [&](const NewConstantMethod::Item&) { return kLeaf; };
  return Text(R"([1, {"type": "builtins.list", "context": "null", "children_spec": [)",
              Joined(method.items, ", ", leaf), "]}]");
}

tables::ExecutionPlan PlanOf(const NewConstantMethod& method) {
  tables::ExecutionPlan plan;
  plan.name = tables::OwnText(method.name);
  plan.container_meta_type = tables::ContainerMetadata{tables::OwnText(""), tables::OwnText(StructureOf(method))};
  plan.values.present = true;
  for (const NewConstantMethod::Item& item : method.items) plan.values.items.push_back(ValueOf(item));
  plan.inputs = tables::Vector<int32_t>::Own({});
  std::vector<int32_t> outputs(method.items.size());
  std::iota(outputs.begin(), outputs.end(), 0);
  plan.outputs = tables::Vector<int32_t>::Own(std::move(outputs));
  tables::Chain chain;
  chain.inputs = chain.outputs = tables::Vector<int32_t>::Own({});
  chain.instructions.present = true;
  plan.chains = {true, {chain}};
  plan.operators.present = plan.delegates.present = true;
  plan.non_const_buffer_sizes = tables::Vector<int64_t>::Own({0});
  return plan;
}

class MethodEditor {
 public:
  MethodEditor(ProgramModel& model, const CopyOptions& options, RewriteReport& report)
      : model_(model), plans_(model.tables.execution_plan.items), options_(options), report_(report) {}

  Status Choose() {
    PTEEDIT_TRY(KeepAndRemove());
    for (const auto& [from, to] : options_.rename_methods) PTEEDIT_TRY(Rename(from, to));
    return {};
  }

  Status SetAll() {
    for (const NewConstantMethod& method : options_.set_methods) PTEEDIT_TRY(Set(method));
    return {};
  }

 private:
  Error Wrong(std::string what) const { return InvalidArgument(std::move(what)).In(model_.origin->name()); }

  tables::ExecutionPlan* Find(const std::string& name) {
    const auto found = std::find_if(plans_.begin(), plans_.end(), [&](const tables::ExecutionPlan& plan) {
      return tables::ViewOf(plan.name) == name;
    });
    return found == plans_.end() ? nullptr : &*found;
  }

  Result<tables::ExecutionPlan*> FindExisting(const std::string& name) {
    if (tables::ExecutionPlan* plan = Find(name)) return plan;
    std::vector<std::string> names;
    for (const tables::ExecutionPlan& plan : plans_) names.push_back(NameOf(plan));
    const std::vector<std::string> near = NearMatches(names, name, kNearNames);
    const std::string hint = near.empty() ? "" : Text(", did you mean ", Joined(near, ", ", Quoted), "?");
    return Wrong(Text("has no method ", Quoted(name), hint));
  }

  Status CheckFree(const std::string& name) {
    if (name.empty()) return Wrong("a method needs a name");
    if (Find(name) == nullptr) return {};
    return Wrong(Text("has a method ", Quoted(name), " already"));
  }

  Status KeepAndRemove() {
    for (const std::string& name : options_.keep_methods) PTEEDIT_TRY(FindExisting(name));
    for (const std::string& name : options_.remove_methods) PTEEDIT_TRY(FindExisting(name));
    const std::set<std::string> kept(options_.keep_methods.begin(), options_.keep_methods.end());
    const std::set<std::string> removed(options_.remove_methods.begin(), options_.remove_methods.end());
    std::vector<bool> wanted;
    for (const tables::ExecutionPlan& plan : plans_) {
      const std::string name = NameOf(plan);
      const bool is_kept = kept.empty() || kept.count(name) != 0 || IsConstant(plan);
      wanted.push_back(is_kept && removed.count(name) == 0);
      if (!wanted.back()) Report(name, TableBytes(plan), model_.origin->name(), {});
    }
    Keep(plans_, wanted);
    return {};
  }

  Status Rename(const std::string& from, const std::string& to) {
    PTEEDIT_ASSIGN(tables::ExecutionPlan * plan, FindExisting(from));
    if (from == to) return {};
    PTEEDIT_TRY(CheckFree(to));
    plan->name = tables::OwnText(to);
    model_.changed = true;
    report_.notes.push_back(Text("method ", Quoted(from), " is called ", Quoted(to), " now"));
    return {};
  }

  // In the place of the one that it replaces, else behind all others, as the exporter has them.
  Status Set(const NewConstantMethod& method) {
    tables::ExecutionPlan* known = Find(method.name);
    if (known == nullptr) PTEEDIT_TRY(CheckFree(method.name));
    if (known != nullptr && !IsConstant(*known))
      return Wrong(Text("method ", Quoted(method.name), " runs something, only constant methods can be set"));
    if (known != nullptr) Report(method.name, TableBytes(*known), model_.origin->name(), {});
    tables::ExecutionPlan& plan = known != nullptr ? *known : plans_.emplace_back();
    plan = PlanOf(method);
    Report(method.name, TableBytes(plan), {}, options_.output_name);
    return {};
  }

  void Report(const std::string& name, uint64_t bytes, std::string from, std::string to) {
    report_.items.push_back({"method", name, {}, bytes, std::move(from), std::move(to)});
    model_.changed = true;
  }

  ProgramModel& model_;
  std::vector<tables::ExecutionPlan>& plans_;
  const CopyOptions& options_;
  RewriteReport& report_;
};

}  // namespace

Status ChooseMethods(ProgramModel& model, const CopyOptions& options, RewriteReport& report) {
  return MethodEditor(model, options, report).Choose();
}

Status SetMethods(ProgramModel& model, const CopyOptions& options, RewriteReport& report) {
  return MethodEditor(model, options, report).SetAll();
}

}  // namespace pteedit
