#include "split/split_binding.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "edit/binding.h"
#include "program/binding_key.h"
#include "program/container_state.h"
#include "pteedit/shards.h"
#include "pteedit/try.h"

namespace pteedit {
namespace {

class SplitBinder {
 public:
  SplitBinder(const ProgramSet& set, const SplitOptions& options, SplitResult& result)
      : set_(set), options_(options), result_(result) {}

  Status Run() {
    const std::vector<std::string_view> now = BindingsOf(set_.program().state().program_root());
    if (options_.bind != Bind::kNever) keys_.assign(now.begin(), now.end());
    PTEEDIT_TRY(BindToData());
    std::sort(keys_.begin(), keys_.end());  // bases may be given in any order
    if (std::equal(now.begin(), now.end(), keys_.begin(), keys_.end())) return {};
    PTEEDIT_ASSIGN(result_.program, PlanBoundProgram(result_.program, keys_, options_.min_alignment));
    return {};
  }

 private:
  Status BindToData() {
    PTEEDIT_ASSIGN(const Container program, Container::Open(result_.program.AsSource(set_.name())));
    for (const Container& file : KeptFiles()) {
      PTEEDIT_ASSIGN(const bool is_to_bind, IsToBind(options_.bind, program, file));
      if (!is_to_bind) continue;
      PTEEDIT_ASSIGN(std::optional<std::string> key, KeyOfKept(file, options_.bind, options_.threads, result_.report));
      if (key) BindTo(file.name(), *std::move(key));
    }
    for (size_t i = 0; i < result_.data.size(); ++i) PTEEDIT_TRY(BindToNew(program, i));
    return {};
  }

  // The program's own are told from those that are chosen now: they were there before, bound to or not.
  std::vector<Container> KeptFiles() const {
    std::vector<Container> files;
    for (const size_t base : result_.bases) files.push_back(options_.bases[base]);
    for (const Container& file : set_.data()) {
      const bool is_base = std::any_of(files.begin(), files.end(),
                                       [&](const Container& base) { return base.source() == file.source(); });
      if (options_.bind == Bind::kAlways && !is_base) files.push_back(file);
    }
    return files;
  }

  Status BindToNew(const Container& program, size_t shard) {
    const std::string name = ShardName(options_.data_name, shard, result_.data.size());
    PTEEDIT_ASSIGN(const bool is_to_bind, IsNewToBind(program, shard, name));
    if (!is_to_bind) return {};
    PlannedFile data = std::move(result_.data[shard]);
    PTEEDIT_ASSIGN(BoundData bound, options_.foretell
                                        ? ForetellBoundData(std::move(data), options_.min_alignment)
                                        : PlanBoundData(std::move(data), options_.min_alignment, options_.threads));
    if (options_.foretell) result_.foretold = true;
    PTEEDIT_TRY(CheckShardSize(bound.file.size(), options_.max_shard_bytes, name));
    result_.data[shard] = std::move(bound.file);
    BindTo(name, std::move(bound.key));
    return {};
  }

  Result<bool> IsNewToBind(const Container& program, size_t shard, const std::string& name) const {
    PTEEDIT_ASSIGN(const Container data, Container::Open(result_.data[shard].AsSource(name)));
    return IsToBind(options_.bind, program, data);
  }

  void BindTo(const std::string& data, std::string key) {
    result_.report.bindings.push_back({set_.name(), data, key});
    if (std::find(keys_.begin(), keys_.end(), key) == keys_.end()) keys_.push_back(std::move(key));
  }

  const ProgramSet& set_;
  const SplitOptions& options_;
  SplitResult& result_;
  std::vector<std::string> keys_;
};

}  // namespace

Status BindSplit(const ProgramSet& set, const SplitOptions& options, SplitResult& result) {
  return SplitBinder(set, options, result).Run();
}

}  // namespace pteedit
