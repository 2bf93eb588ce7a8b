#include "diff/diff_meaning.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "base/text.h"
#include "io/digest.h"
#include "program/container_state.h"
#include "program/value_words.h"
#include "pteedit/execution.h"
#include "pteedit/requirements.h"

namespace pteedit {
namespace {

using flatbuffers::uoffset_t;
using Words = DiffWords::Words;

void AddDifferences(const char* what, const Words& before, const Words& after, std::vector<MeaningChange>& changes) {
  std::map<std::string, std::pair<std::string, std::string>> both;
  for (const auto& [name, words] : before) both[name].first = words;
  for (const auto& [name, words] : after) both[name].second = words;
  for (const auto& [name, words] : both) {
    if (words.first != words.second) changes.push_back({what, name, words.first, words.second});
  }
}

// The value of a compile spec, of what is no short text its size and a hash.
std::string SpecWords(const schema::CompileSpec& spec) {
  constexpr size_t kShownBytes = 100;
  const auto& value = OrEmpty(spec.value());
  const std::string_view text(reinterpret_cast<const char*>(value.data()), value.size());
  const bool is_text =
      std::all_of(text.begin(), text.end(), [](char letter) { return letter >= ' ' && letter <= '~'; });
  if (is_text && text.size() <= kShownBytes) return Quoted(text);
  return Text(value.size(), " bytes, ", Xxh128Of(ByteSpan{value.data(), value.size()}).Hex());
}

class WordCollector {
 public:
  explicit WordCollector(const ProgramSet& set) : set_(set) {}

  DiffWords Collect(const std::vector<DelegateDescription>& delegates) && {
    if (set_.file().kind() == FileKind::kNative) return {};
    if (set_.file().kind() == FileKind::kData) {
      words_.versions["data file"] = std::to_string(set_.file().header().version);
    } else {
      words_.versions["program"] = std::to_string(set_.program().header().version);
      NoteProgram();
    }
    NoteRequirements(DescribeRequirements(set_, delegates));
    return std::move(words_);
  }

 private:
  void NoteProgram() {
    for (const ConstantMethod& method : DescribeConstantMethods(set_.program())) {
      std::string& words = words_.values[method.method];
      for (const ConstantMethod::Value& value : method.values)
        words += (words.empty() ? "" : "; ") + std::string(value.type) + " " + value.text;
    }
    std::map<std::string, uint64_t> delegates;
    std::map<std::string, std::set<std::string>> spec_values;
    for (const auto* plan : OrEmpty(set_.program().state().program_root().execution_plan())) {
      NoteSignature(*plan, OrEmpty(plan->inputs()), words_.inputs);
      if (words_.values.count(std::string(ViewOf(plan->name()))) == 0)
        NoteSignature(*plan, OrEmpty(plan->outputs()), words_.outputs);
      for (const auto* delegate : OrEmpty(plan->delegates())) {
        ++delegates[std::string(ViewOf(delegate->id()))];
        for (const auto* spec : OrEmpty(delegate->compile_specs()))
          spec_values[Text(ViewOf(delegate->id()), " ", ViewOf(spec->key()))].insert(SpecWords(*spec));
      }
    }
    for (const auto& [backend, count] : delegates)
      words_.backends[backend] = Text(count, count == 1 ? " delegate" : " delegates");
    for (const auto& [spec, found] : spec_values) words_.specs[spec] = Joined(found, ", ");
  }

  void NoteSignature(const schema::ExecutionPlan& plan, const flatbuffers::Vector<int32_t>& indices, Words& words) {
    size_t i = 0;
    for (const int32_t index : indices)
      words[Text(ViewOf(plan.name()), " ", i++)] = ValueWords(*plan.values()->Get(static_cast<uoffset_t>(index)));
  }

  void NoteRequirements(const Requirements& requirements) {
    words_.release[""] = requirements.min_runtime;
    for (const RuntimeNeed& need : requirements.runtime) words_.needs[need.what] = need.release;
    for (const std::string& op : requirements.foreign_operators)
      words_.needs[Text("operator ", Quoted(op))] = "not in the stock libraries";
    words_.data_files[""] = std::to_string(requirements.data_files);
    std::vector<std::string> bindings;
    for (const KeyRequirement& key : requirements.external_keys) {
      if (key.binds) bindings.push_back(key.key);
    }
    words_.external_keys[""] = std::to_string(requirements.external_keys.size() - bindings.size());
    if (!bindings.empty()) words_.bound_to[""] = Joined(bindings, ", ");
    std::map<std::string, std::set<std::string>> facts;
    for (const BackendRequirement& backend : requirements.backends) {
      for (const BlobFact& fact : backend.targets) facts[backend.backend + " " + fact.name].insert(fact.value);
    }
    for (const auto& [name, found] : facts) words_.targets[name] = Joined(found, ", ");
  }

  const ProgramSet& set_;
  DiffWords words_;
};

// Of methods that both have: what is said of others is that they are there.
void KeepCommon(const std::set<std::string>& methods, std::vector<MeaningChange>& changes, size_t first) {
  const auto is_other = [&](const MeaningChange& change) {
    return methods.count(change.name.substr(0, change.name.rfind(' '))) == 0;
  };
  changes.erase(std::remove_if(changes.begin() + static_cast<std::ptrdiff_t>(first), changes.end(), is_other),
                changes.end());
}

struct Method {
  const MethodDescription* description = nullptr;
  const schema::ExecutionPlan* plan = nullptr;

  std::vector<uint64_t> Arenas() const {
    std::vector<uint64_t> arenas;
    const auto& sizes = OrEmpty(plan->non_const_buffer_sizes());
    for (uoffset_t i = 1; i < sizes.size(); ++i) arenas.push_back(sizes[i] > 0 ? static_cast<uint64_t>(sizes[i]) : 0);
    return arenas;
  }
};

std::map<std::string, Method> MethodsOf(const ProgramSet& set, const DiffSide& side) {
  std::map<std::string, Method> methods;
  if (!HoldsProgram(set.file())) return methods;
  const auto& plans = OrEmpty(set.program().state().program_root().execution_plan());
  for (uoffset_t i = 0; i < plans.size(); ++i)
    methods.emplace(side.methods[i].name, Method{&side.methods[i], plans.Get(i)});
  return methods;
}

// The one on both sides that has them, by backend, empty for instructions, and operator.
using Calls = std::map<std::pair<std::string, std::string>, std::pair<uint64_t, uint64_t>>;

void CountCalls(const DiffSide& side, uint64_t Calls::mapped_type::*count, Calls& calls) {
  for (const OperatorDescription& op : side.operators) calls[{"", op.name}].*count = op.calls;
  for (const DiffDelegate& delegate : side.delegates) {
    for (const std::string_view op : delegate.operators)
      ++(calls[{std::string(delegate.backend), std::string(op)}].*count);
  }
}

}  // namespace

DiffWords CollectWords(const ProgramSet& set, const std::vector<DelegateDescription>& delegates) {
  return WordCollector(set).Collect(delegates);
}

std::vector<MethodChange> MethodChanges(const ProgramSet& before, const ProgramSet& after, const DiffSide& old_side,
                                        const DiffSide& new_side) {
  const std::map<std::string, Method> then = MethodsOf(before, old_side), now = MethodsOf(after, new_side);
  std::map<std::string, MethodChange> changes;
  for (const auto& [name, method] : then) {
    MethodChange& change = changes[name];
    change.change = "removed", change.name = name;
    change.old_instructions = method.description->instructions, change.old_arenas = method.Arenas();
    change.old_planned_bytes = method.description->planned_bytes;
    change.old_values = OrEmpty(method.plan->values()).size();
  }
  for (const auto& [name, method] : now) {
    MethodChange& change = changes[name];
    change.change = then.count(name) == 0 ? "added" : "changed", change.name = name;
    change.new_instructions = method.description->instructions, change.new_arenas = method.Arenas();
    change.new_planned_bytes = method.description->planned_bytes;
    change.new_values = OrEmpty(method.plan->values()).size();
  }
  std::vector<MethodChange> rows;
  for (auto& [name, change] : changes) {
    const bool is_same = std::string_view(change.change) == "changed" &&
                         change.old_instructions == change.new_instructions && change.old_values == change.new_values &&
                         change.old_arenas == change.new_arenas;
    if (!is_same) rows.push_back(std::move(change));
  }
  return rows;
}

std::vector<OperatorChange> OperatorChanges(const DiffSide& before, const DiffSide& after) {
  Calls calls;
  CountCalls(before, &Calls::mapped_type::first, calls);
  CountCalls(after, &Calls::mapped_type::second, calls);
  std::vector<OperatorChange> changes;
  for (const auto& [place, counts] : calls) {
    if (counts.first != counts.second) changes.push_back({place.first, place.second, counts.first, counts.second});
  }
  return changes;
}

std::vector<MeaningChange> MeaningChanges(const ProgramSet& before, const ProgramSet& after, const DiffSide& old_side,
                                          const DiffSide& new_side) {
  const DiffWords &then = old_side.words, &now = new_side.words;
  std::vector<MeaningChange> changes;
  AddDifferences("version", then.versions, now.versions, changes);
  AddDifferences("release", then.release, now.release, changes);
  AddDifferences("needs", then.needs, now.needs, changes);
  AddDifferences("data files", then.data_files, now.data_files, changes);
  AddDifferences("external keys", then.external_keys, now.external_keys, changes);
  AddDifferences("bound to", then.bound_to, now.bound_to, changes);
  AddDifferences("backend", then.backends, now.backends, changes);
  AddDifferences("compile spec", then.specs, now.specs, changes);
  AddDifferences("target", then.targets, now.targets, changes);
  AddDifferences("value", then.values, now.values, changes);
  std::set<std::string> common;
  const std::map<std::string, Method> old_methods = MethodsOf(before, old_side);
  for (const auto& [name, method] : MethodsOf(after, new_side)) {
    if (old_methods.count(name) != 0) common.insert(name);
  }
  const size_t first = changes.size();
  AddDifferences("input", then.inputs, now.inputs, changes);
  AddDifferences("output", then.outputs, now.outputs, changes);
  KeepCommon(common, changes, first);
  if (HoldsProgram(before.file())) {
    AddMemoryChanges(before.program(), after.program(), changes);
    AddCallChanges(before.program(), after.program(), changes);
  }
  return changes;
}

}  // namespace pteedit
