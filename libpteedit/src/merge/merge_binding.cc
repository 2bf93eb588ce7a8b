#include "merge/merge_binding.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "edit/binding.h"
#include "edit/plan.h"
#include "program/binding_key.h"
#include "program/container_state.h"
#include "pteedit/shards.h"
#include "pteedit/try.h"
#include "verify/check_inputs.h"

namespace pteedit {
namespace {

std::vector<std::string_view> BindingsOfFile(const Container& file) {
  if (file.kind() == FileKind::kData) return BindingsIn(file);
  return file.kind() == FileKind::kProgram ? BindingsOf(file.state().program_root()) : std::vector<std::string_view>();
}

bool HasBindings(const MergeSet& set) {
  const std::vector<Container>& data = set.files.data();
  return !BindingsOfFile(set.files.file()).empty() ||
         std::any_of(data.begin(), data.end(), [](const Container& file) { return !BindingsOfFile(file).empty(); });
}

Places PlacesFor(const MergeOptions& options) { return options.previous ? Places::kKept : Places::kAnew; }

class MergeUnbinder {
 public:
  MergeUnbinder(const MergeOptions& options, std::map<const Source*, Container>& unbound)
      : options_(options), unbound_(unbound) {}

  Status Unbind(MergeSet& set) {
    if (!HasBindings(set)) return {};
    PTEEDIT_TRY(CheckInputs(set.files));
    PTEEDIT_ASSIGN(Container program, Without(set.files.file()));
    if (const auto used = BindingsOfFile(program); !used.empty())
      return Unsupported(Text("uses key ", Quoted(used.front()), ", which should only bind it")).In(program.name());
    std::vector<Container> data;
    for (const Container& file : set.files.data()) {
      PTEEDIT_ASSIGN(Container other, IsBase(file) ? Result<Container>(file) : Without(file));
      data.push_back(std::move(other));
    }
    set.files = {std::move(program), std::move(data)};
    return {};
  }

 private:
  bool IsBase(const Container& file) const {
    return std::any_of(options_.bases.begin(), options_.bases.end(),
                       [&](const Container& base) { return base.source() == file.source(); });
  }

  // Sets that have one file in common still do.
  Result<Container> Without(const Container& file) {
    if (BindingsOfFile(file).empty()) return file;
    if (const auto known = known_.find(file.source().get()); known != known_.end()) return known->second;
    PTEEDIT_ASSIGN(const PlannedFile after, PlanUnbound(file, PlacesFor(options_)));
    PTEEDIT_ASSIGN(Container opened, Container::Open(after.AsSource(file.name())));
    unbound_.emplace(opened.source().get(), file);
    known_.emplace(file.source().get(), opened);
    return opened;
  }

  const MergeOptions& options_;
  std::map<const Source*, Container>& unbound_;
  std::map<const Source*, Container> known_;  // by source before
};

class MergeBinder {
 public:
  MergeBinder(const std::vector<MergeSet>& before, const std::map<const Source*, Container>& unbound,
              const MergeOptions& options, MergeResult& result)
      : before_(before), unbound_(unbound), options_(options), result_(result) {
    for (const auto& [source, file] : unbound) given_.insert(source);
    for (const MergeSet& set : before) {
      given_.insert(set.files.file().source().get());
      for (const Container& file : set.files.data()) given_.insert(file.source().get());
    }
  }

  Status Bind() {
    PTEEDIT_TRY(BindShared());
    for (size_t i = 0; i < before_.size(); ++i) PTEEDIT_TRY(BindSet(i));
    return {};
  }

 private:
  // A file that a program of the results is loaded with.
  Result<Container> Open(const PlannedFile& file, const std::string& name) const {
    return Container::Open(file.AsSource(name));
  }
  Result<Container> OpenProgram(size_t set) const {
    return Open(result_.programs[set].program, before_[set].program_name);
  }

  std::string SharedName(size_t shard) const { return ShardName(options_.shared_name, shard, result_.shared.size()); }

  Status BindShared() {
    for (size_t shard = 0; shard < result_.shared.size(); ++shard) {
      PTEEDIT_ASSIGN(const Container shared, Open(result_.shared[shard], SharedName(shard)));
      bool is_wanted = false;
      for (size_t i = 0; i < before_.size(); ++i) {
        if (result_.programs[i].shared.count(shard) == 0) continue;
        PTEEDIT_ASSIGN(const Container program, OpenProgram(i));
        PTEEDIT_ASSIGN(const bool is_to_bind, IsToBind(options_.bind, program, shared));
        if (is_to_bind) wants_shared_.insert({i, shard});
        is_wanted = is_wanted || is_to_bind;
      }
      PTEEDIT_ASSIGN(BoundData bound, Settle(result_.shared[shard], is_wanted, PlacesFor(options_)));
      PTEEDIT_TRY(CheckShardSize(bound.file.size(), options_.max_shard_bytes, SharedName(shard)));
      result_.shared[shard] = std::move(bound.file);
      shared_keys_.push_back(std::move(bound.key));
    }
    return {};
  }

  // With an entry to bind to where that `is_wanted`. One that is there already is kept for who has it.
  Result<BoundData> Settle(const PlannedFile& data, bool is_wanted, Places places) const {
    if (const Container* copied = CopiedIn(data); copied != nullptr && options_.bind != Bind::kNever) {
      PTEEDIT_ASSIGN(std::string right, BindingKeyOf(*copied, options_.threads));
      const std::vector<std::string_view> keys = BindingsIn(*copied);
      if (keys.size() == 1 && keys.front() == right) return BoundData{PlanCopy(*copied), std::move(right)};
    }
    const PlannedFile file = Unfolded(data);
    if (!is_wanted) return BoundData{file, {}};
    return PlanBoundData(file, AlignmentFor(data), options_.threads, places);
  }

  // What was not laid out anew keeps the alignments that it has: with others, another merge would find another file.
  uint64_t AlignmentFor(const PlannedFile& file) const {
    const Source* first = file.size() == 0 ? nullptr : file.pieces()[0].source.get();
    const bool is_copy = given_.count(first) != 0 && IsCopyOf(file, *first);
    return is_copy ? MergeOptions().min_alignment : options_.min_alignment;
  }

  // Where the file is nothing but one that was unbound: as it was before.
  const Container* CopiedIn(const PlannedFile& file) const {
    const auto found = file.size() == 0 ? unbound_.end() : unbound_.find(file.pieces()[0].source.get());
    return found != unbound_.end() && IsCopyOf(file, *found->first) ? &found->second : nullptr;
  }

  Status BindSet(size_t set) {
    MergedProgram& files = result_.programs[set];
    std::vector<std::string> keys;
    for (size_t shard = 0; shard < shared_keys_.size(); ++shard) {
      if (wants_shared_.count({set, shard}) != 0) BindTo(set, SharedName(shard), shared_keys_[shard], keys);
    }
    PTEEDIT_ASSIGN(const Container program, OpenProgram(set));
    PTEEDIT_TRY(BindToBases(set, program, keys));
    if (files.data) {
      PTEEDIT_ASSIGN(const Container own, Open(*files.data, before_[set].data_name));
      PTEEDIT_ASSIGN(const bool is_to_bind, IsToBind(options_.bind, program, own));
      PTEEDIT_ASSIGN(BoundData bound, Settle(*files.data, is_to_bind, Places::kAnew));
      files.data = std::move(bound.file);
      if (is_to_bind) BindTo(set, before_[set].data_name, bound.key, keys);
    }
    std::sort(keys.begin(), keys.end());  // bases may be given in any order
    PTEEDIT_ASSIGN(files.program, BindProgram(files.program, keys));
    return {};
  }

  Status BindToBases(size_t set, const Container& program, std::vector<std::string>& keys) {
    for (const size_t base : result_.programs[set].bases) {
      const Container& file = options_.bases[base];
      PTEEDIT_ASSIGN(const bool is_to_bind, IsToBind(options_.bind, program, file));
      if (!is_to_bind) continue;
      if (base_keys_.count(base) == 0) {
        PTEEDIT_ASSIGN(base_keys_[base], KeyOfKept(file, options_.bind, options_.threads, result_.report));
      }
      if (base_keys_[base]) BindTo(set, file.name(), *base_keys_[base], keys);
    }
    return {};
  }

  void BindTo(size_t set, const std::string& data, const std::string& key, std::vector<std::string>& keys) {
    keys.push_back(key);
    result_.report.bindings.push_back({before_[set].program_name, data, key});
  }

  Result<PlannedFile> BindProgram(const PlannedFile& program, const std::vector<std::string>& keys) const {
    if (const Container* copied = CopiedIn(program)) {
      const std::vector<std::string_view> now = BindingsOfFile(*copied);
      if (std::equal(now.begin(), now.end(), keys.begin(), keys.end())) return PlanCopy(*copied);
    }
    const PlannedFile file = Unfolded(program);
    if (keys.empty()) return file;
    return PlanBoundProgram(file, keys, AlignmentFor(program));
  }

  const std::vector<MergeSet>& before_;
  const std::map<const Source*, Container>& unbound_;
  const MergeOptions& options_;
  MergeResult& result_;
  std::set<const Source*> given_;                     // what a copy is a copy of
  std::set<std::pair<size_t, size_t>> wants_shared_;  // set, shard
  std::vector<std::string> shared_keys_;              // by shard
  std::map<size_t, std::optional<std::string>> base_keys_;
};

}  // namespace

Result<MergeBinding> MergeBinding::TakeOut(std::vector<MergeSet>& sets, const MergeOptions& options) {
  MergeBinding binding;
  binding.before_ = sets;
  MergeUnbinder unbinder(options, binding.unbound_);
  for (MergeSet& set : sets) PTEEDIT_TRY(unbinder.Unbind(set));
  return binding;
}

Status MergeBinding::PutIn(const MergeOptions& options, MergeResult& result) const {
  return MergeBinder(before_, unbound_, options, result).Bind();
}

Result<PlannedFile> WithoutBindings(const PlannedFile& file, const MergeOptions& options) {
  PTEEDIT_ASSIGN(const Container opened, Container::Open(file.AsSource("bound")));
  if (BindingsOfFile(opened).empty()) return file;
  return PlanUnbound(opened, PlacesFor(options));
}

}  // namespace pteedit
