#include "pteedit/size_groups.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "base/chunked.h"
#include "base/text.h"
#include "inspect/labeled_lines.h"
#include "inspect/table_rows.h"
#include "program/constants.h"
#include "program/container_state.h"
#include "program/file_set.h"
#include "program/layout.h"
#include "program/lifetimes.h"
#include "program/value_words.h"
#include "pteedit/delegates.h"
#include "pteedit/key_uses.h"
#include "pteedit/sizes.h"
#include "pteedit/try.h"

namespace pteedit {
namespace {

using flatbuffers::uoffset_t;
using Names = std::set<std::string>;

void Merge(Label other, Label& label) {
  if (other != kNobodyLabel) label = label == kNobodyLabel || label == other ? other : kSeveralLabel;
}

// What no extent covers of so many bytes.
std::vector<Extent> GapsBetween(std::vector<Extent> extents, uint64_t size) {
  std::sort(extents.begin(), extents.end(), [](const Extent& a, const Extent& b) { return a.offset < b.offset; });
  std::vector<Extent> gaps;
  uint64_t begin = 0;
  for (const Extent& extent : extents) {
    if (extent.offset > begin) gaps.push_back({begin, extent.offset - begin});
    begin = std::max(begin, extent.offset + extent.size);
  }
  if (begin < size) gaps.push_back({begin, size - begin});
  return gaps;
}

struct Axis {
  std::vector<Line> lines;         // of the files
  std::vector<std::string> names;  // by label
};

// What lies where in the files of a set, and who needs it.
class Needs {
 public:
  // A size tree is gone before the next thing is looked for: of many keys each takes about as much memory.
  static Result<Needs> Find(const ProgramSet& set, const std::vector<BlobDecoder>& decoders) {
    Needs needs(set);
    SizeOptions options{
        .look_inside = true, .decoders = decoders, .pieces = SizePieces::kOfUsers, .has_references = false};
    PTEEDIT_TRY(needs.AddFile(MeasureSizes(set, options)));
    PTEEDIT_ASSIGN(needs.delegates_, DescribeDelegates(set, decoders));
    if (HoldsProgram(set.file())) needs.NoteTensors();
    if (set.data().empty()) return needs;
    KeyUses uses;
    PTEEDIT_TRY(AddKeyUses(set.file(), needs.delegates_, uses));
    options.key_uses = &uses;
    for (const Container& data : set.data()) PTEEDIT_TRY(needs.AddFile(MeasureSizes(data, options)));
    return needs;
  }

  // Each once: what is known of it goes with it.
  Axis On(SizeAxis axis) {
    if (axis == SizeAxis::kComponent) return AxisOf(std::exchange(components_, {}));
    if (axis == SizeAxis::kDtype) return AxisOf(std::exchange(dtypes_, {}));
    if (axis == SizeAxis::kMethod) AskForTables();
    AddDelegates(axis);
    AddTensors(axis);
    return AxisOf(std::exchange(asked_, {}));
  }

  uint64_t SizeOf(size_t file) const { return sizes_[file]; }
  size_t files() const { return sizes_.size(); }

  // Once there are all axes: lets go of the delegates, which take most memory.
  Names TakeBackends() {
    Names backends;
    for (const DelegateDescription& delegate : std::exchange(delegates_, {})) backends.insert(delegate.backend);
    return backends;
  }

 private:
  explicit Needs(const ProgramSet& set) : set_(set) {}

  const schema::Program& root() const { return set_.program().state().program_root(); }

  Axis AxisOf(const LabeledParts& labeled) const {
    Axis axis{{}, labeled.labels.Names()};
    for (size_t i = 0; i < files(); ++i) axis.lines.push_back(labeled.LineOf(i));
    return axis;
  }

  // Takes out of a file's size tree what the axes need of it.
  Status AddFile(const Result<SizeNode>& tree) {
    if (!tree) return tree.error();
    sizes_.push_back(tree->size);
    AddComponents(*tree);
    AddDtypes(*tree);
    if (sizes_.size() == 1) AddTables(*tree);
    return {};
  }

  // Of the file that was added last.
  void Add(const SizeNode& node, std::string_view name, LabeledParts& labeled) const {
    const auto file = static_cast<uint32_t>(sizes_.size() - 1);
    const Label label = labeled.labels.Of(name);
    for (const Extent piece : PiecesOf(node)) labeled.Add({file, label, piece});
  }

  // Of level 1, in a bundle also those of the program inside.
  void AddComponents(const SizeNode& node) {  // NOLINT(misc-no-recursion)
    for (const SizeNode& one : node.components) {
      if (one.name == "Program") {
        AddComponents(one);
      } else {
        Add(one, one.name, components_);
      }
    }
  }

  void AddDtypes(const SizeNode& node) {  // NOLINT(misc-no-recursion)
    for (const SizeNode& one : node.components) {
      if (!one.components.empty()) {
        AddDtypes(one);
      } else if (!one.dtype.empty()) {
        Add(one, one.dtype, dtypes_);
      }
    }
  }

  // The rows of methods in the flatbuffer, of a bundle in that of the program inside.
  void AddTables(const SizeNode& node) {  // NOLINT(misc-no-recursion)
    for (const SizeNode& one : node.components) {
      if (one.name == "Program" || one.name == "Program Flatbuffer") AddTables(one);
      if (node.name == "Program Flatbuffer" && one.name.starts_with(kMethodRow))
        tables_.push_back({one.name.substr(kMethodRow.size()), PiecesOf(one)});
    }
  }

  void AskForTables() {
    for (const MethodTables& one : std::exchange(tables_, {})) {
      const Label label = asked_.labels.Of(one.method);
      for (const Extent piece : one.pieces) asked_.Add({0, label, piece});
    }
  }

  void AddDelegates(SizeAxis axis) {
    for (const DelegateDescription& delegate : delegates_) {
      if (axis == SizeAxis::kOperator) {
        AddOperators(delegate);
        continue;
      }
      const Label label = asked_.labels.Of(axis == SizeAxis::kMethod     ? delegate.method
                                           : axis == SizeAxis::kDelegate ? delegate.name
                                                                         : delegate.backend);
      asked_.Add({0, label, delegate.blob});
      for (const DelegateDescription::Key& key : delegate.keys) AddKey(key.key, label);
    }
  }

  // Constants are of the operators that read them, the rest of a blob of its backend.
  void AddOperators(const DelegateDescription& delegate) {
    const BlobContents& contents = *delegate.contents;
    const bool is_told = !contents.operator_constants.empty();
    const Label rest = asked_.labels.Of(is_told ? delegate.backend : delegate.backend + std::string(kOpaque));
    std::vector<Extent> read;  // in the blob
    std::set<std::string_view> read_keys;
    for (size_t i = 0; is_told && i < contents.operators.size(); ++i) {
      const Label label = asked_.labels.Of(Text(delegate.backend, ": ", contents.operators[i]));
      for (const size_t index : contents.operator_constants[i]) {
        const BlobConstant& constant = contents.constants[index];
        if (!constant.key.empty()) {
          AddKey(constant.key, label);
          read_keys.insert(constant.key);
        } else {
          asked_.Add({0, label, {delegate.blob.offset + constant.extent.offset, constant.extent.size}});
          read.push_back(constant.extent);
        }
      }
    }
    for (const Extent& gap : GapsBetween(std::move(read), delegate.blob.size))
      asked_.Add({0, rest, {delegate.blob.offset + gap.offset, gap.size}});
    for (const DelegateDescription::Key& key : delegate.keys) {
      if (!read_keys.contains(key.key)) AddKey(key.key, rest);
    }
  }

  void AddKey(std::string_view key, Label label) {
    if (const std::optional<Part> part = PlaceOf(key)) asked_.Add({part->file, label, part->extent});
  }

  std::optional<Part> PlaceOf(std::string_view key) const {
    const std::optional<KeyPlace> place = set_.Find(key);
    if (!place) return std::nullopt;
    const Extent extent = place->entry->extent;
    for (size_t i = 0; i < set_.data().size(); ++i) {
      if (place->file == &set_.data()[i]) return Part{static_cast<uint32_t>(i + 1), kNobodyLabel, extent};
    }
    return Part{0, kNobodyLabel, {extent.offset + set_.file().program_extent().offset, extent.size}};
  }

  // What the tensors of methods have in the files.
  void NoteTensors() {
    const uint64_t begin = set_.file().program_extent().offset;
    for (const Constant& constant : CollectConstants(set_.program())) {
      for (const ConstantUse& use : constant.uses) {
        const uint64_t bytes = ByteSize(use.layout()).value_or(constant.extent.size);
        AddTensor(use.method, use.value, {0, kNobodyLabel, {begin + constant.extent.offset, bytes}});
      }
    }
    ForEachTensor(root(), [&](uint32_t method, uint32_t value, const schema::Tensor& tensor) {
      if (StoreOf(root(), tensor) != Store::kExternal) return;
      const auto part = PlaceOf(ViewOf(tensor.extra_tensor_info()->fully_qualified_name()));
      if (part) AddTensor(method, value, *part);
    });
  }

  // Many in a row often have one part.
  void AddTensor(uint32_t method, uint32_t value, const Part& part) {
    if (tensor_parts_.empty() || tensor_parts_.back() != part) tensor_parts_.push_back(part);
    tensors_.push_back({method, value, static_cast<uint32_t>(tensor_parts_.size() - 1)});
  }

  void AddTensors(SizeAxis axis) {
    if (tensors_.empty()) return;
    const std::vector<std::vector<Label>> labels = LabelsOfValues(axis);
    for (size_t i = 0; i < tensors_.size(); ++i) {
      const Tensor& tensor = tensors_[i];
      const Label label = labels[tensor.method][tensor.value];
      const Part& part = tensor_parts_[tensor.part];
      if (label != kNobodyLabel) asked_.Add({part.file, label, part.extent});
    }
  }

  // By method and value.
  std::vector<std::vector<Label>> LabelsOfValues(SizeAxis axis) {
    std::vector<std::vector<Label>> labels;
    for (const schema::ExecutionPlan* plan : OrEmpty(root().execution_plan())) {
      const size_t count = OrEmpty(plan->values()).size();
      if (axis == SizeAxis::kOperator) {
        labels.push_back(LabelsByCalls(*plan));
      } else {
        labels.emplace_back(count, asked_.labels.Of(axis == SizeAxis::kMethod ? ViewOf(plan->name()) : kKernels));
      }
    }
    return labels;
  }

  // The operators that take the values, also in lists. A list may be named and be shared by many: each is opened once.
  std::vector<Label> LabelsByCalls(const schema::ExecutionPlan& plan) {
    const auto& values = OrEmpty(plan.values());
    std::vector<Label> labels(values.size());
    for (const schema::Chain* chain : OrEmpty(plan.chains())) {
      for (const schema::Instruction* instruction : OrEmpty(chain->instructions())) {
        const auto* call = instruction->instr_args_as_KernelCall();
        if (call == nullptr) continue;
        const Label op =
            asked_.labels.Of(OperatorName(*plan.operators()->Get(static_cast<uoffset_t>(call->op_index()))));
        for (const int32_t argument : OrEmpty(call->args())) Merge(op, labels[static_cast<size_t>(argument)]);
      }
    }
    for (uoffset_t i = 0; i < values.size(); ++i) {
      ForEachItemOf(*values.Get(i), [&](uint32_t item) { Merge(labels[i], labels[item]); });
    }
    return labels;
  }

  struct Tensor {
    uint32_t method = 0, value = 0;
    uint32_t part = 0;  // of tensor_parts_
  };
  // What a method has in the flatbuffer, mostly as many pieces as it has tables.
  struct MethodTables {
    std::string method;
    Extents pieces;
  };

  const ProgramSet set_;
  std::vector<DelegateDescription> delegates_;
  Chunked<Tensor> tensors_;
  Chunked<Part> tensor_parts_;
  std::vector<uint64_t> sizes_;       // of the files
  LabeledParts components_, dtypes_;  // what is known of their size trees
  std::vector<MethodTables> tables_;  // of the program
  LabeledParts asked_;                // of the axis that is asked for
};

Sums SumsOn(const std::vector<const Axis*>& axes, const Needs& needs) {
  Sums sums;
  for (size_t file = 0; file < needs.files(); ++file) {
    std::vector<const Line*> lines;
    for (const Axis* axis : axes) lines.push_back(&axis->lines[file]);
    AddUp(lines, needs.SizeOf(file), sums);
  }
  return sums;
}

// What each name of an axis but those that are left out has of the components, the largest first. There may be as many
// as tables.
std::vector<RetainedSize> RetainedOn(SizeAxis kind, Axis axis, const Axis& components, const Names& left_out,
                                     const Needs& needs) {
  std::vector<RetainedSize> rows;
  rows.reserve(axis.names.size());
  for (std::string& name : axis.names) rows.push_back({kind, std::move(name), 0, {}});
  for (const auto& [labels, bytes] : SumsOn({&axis, &components}, needs)) {
    RetainedSize& row = rows[labels[0]];
    row.bytes += bytes;
    row.components.emplace(components.names[labels[1]], bytes);
  }
  std::erase_if(rows, [&](const RetainedSize& row) {
    return left_out.contains(row.name) || (kind == SizeAxis::kOperator && row.bytes == 0);
  });
  std::sort(rows.begin(), rows.end(), [](const RetainedSize& a, const RetainedSize& b) {
    return std::tie(b.bytes, a.name) < std::tie(a.bytes, b.name);
  });
  return rows;
}

}  // namespace

const std::vector<SizeAxis>& AllSizeAxes() {
  static const std::vector<SizeAxis> kAll = {SizeAxis::kComponent, SizeAxis::kMethod,   SizeAxis::kDelegate,
                                             SizeAxis::kBackend,   SizeAxis::kOperator, SizeAxis::kDtype};
  return kAll;
}

const char* NameOf(SizeAxis axis) {
  switch (axis) {
    case SizeAxis::kComponent:
      return "component";
    case SizeAxis::kMethod:
      return "method";
    case SizeAxis::kDelegate:
      return "delegate";
    case SizeAxis::kBackend:
      return "backend";
    case SizeAxis::kOperator:
      return "operator";
    case SizeAxis::kDtype:
      return "dtype";
  }
  return "";
}

Result<std::vector<SizeGroup>> GroupSizes(const ProgramSet& set, const std::vector<SizeAxis>& axes,
                                          const std::vector<BlobDecoder>& decoders) {
  PTEEDIT_ASSIGN(Needs needs, Needs::Find(set, decoders));
  std::map<SizeAxis, Axis> known;
  std::vector<const Axis*> all;
  for (const SizeAxis axis : axes) {
    if (!known.contains(axis)) known.emplace(axis, needs.On(axis));
    all.push_back(&known.at(axis));
  }
  std::vector<SizeGroup> groups;
  for (const auto& [labels, bytes] : SumsOn(all, needs)) {
    groups.push_back({{}, bytes});
    for (size_t i = 0; i < labels.size(); ++i) groups.back().names.push_back(all[i]->names[labels[i]]);
  }
  std::sort(groups.begin(), groups.end(), [](const SizeGroup& a, const SizeGroup& b) {
    return std::tie(b.bytes, a.names) < std::tie(a.bytes, b.names);
  });
  return groups;
}

Result<std::vector<RetainedSize>> MeasureRetained(const ProgramSet& set, const std::vector<BlobDecoder>& decoders) {
  PTEEDIT_ASSIGN(Needs needs, Needs::Find(set, decoders));
  std::vector<std::pair<SizeAxis, Axis>> axes;
  for (const SizeAxis kind : {SizeAxis::kMethod, SizeAxis::kDelegate, SizeAxis::kOperator})
    axes.emplace_back(kind, needs.On(kind));
  const Axis components = needs.On(SizeAxis::kComponent);
  const Names others = {std::string(kNobody), std::string(kSeveral), std::string(kKernels)};
  Names backends = needs.TakeBackends();  // for the rest of their blobs
  backends.insert(others.begin(), others.end());
  std::vector<RetainedSize> all;
  for (auto& [kind, axis] : axes) {
    const Names& left_out = kind == SizeAxis::kOperator ? backends : others;
    std::vector<RetainedSize> rows = RetainedOn(kind, std::move(axis), components, left_out, needs);
    all.insert(all.end(), std::make_move_iterator(rows.begin()), std::make_move_iterator(rows.end()));
  }
  return all;
}

}  // namespace pteedit
