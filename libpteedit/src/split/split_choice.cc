#include "split/split_choice.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "container_state.h"
#include "content_key.h"
#include "file_set.h"
#include "key_search.h"
#include "parallel.h"
#include "split/content_match.h"
#include "text.h"
#include "try.h"

namespace pteedit {
namespace {

template <class T>
bool AnyOf(const std::vector<T>& wanted, const std::set<T>& found) {
  return wanted.empty() ||
         std::any_of(wanted.begin(), wanted.end(), [&](const T& item) { return found.count(item) != 0; });
}

// Which methods use a constant or mention a key, and which backends mention it.
struct Users {
  std::set<std::string> methods, backends;
};

class Chooser {
 public:
  Chooser(const Container& program, const SplitOptions& options)
      : program_(program),
        options_(options),
        select_(options.selection),
        match_(options.selection.match),
        not_match_(options.selection.not_match) {}

  Result<SplitChoice> Choose() {
    PTEEDIT_TRY(ChooseConstants());
    PTEEDIT_TRY(NameContents());
    KeepThoseWithTakenKeys();
    KeepSmallestInside();
    PTEEDIT_TRY(ChooseKeys());
    return std::move(choice_);
  }

 private:
  void Skip(const char* what, std::string name, uint64_t bytes, std::string reason) {
    choice_.skipped.push_back({what, std::move(name), bytes, std::move(reason)});
  }

  // Why something stays inside; empty where it is selected.
  using Reason = std::string;

  Reason WhyNot(bool kind_selected, uint64_t bytes, const std::vector<std::string>& names, const Users& users) const {
    if (!kind_selected) return "kind not selected";
    if (bytes < select_.min_bytes) return Text("smaller than ", select_.min_bytes, " bytes");
    const bool named = !select_.name_matches || std::any_of(names.begin(), names.end(), select_.name_matches);
    if (!named) return "name not selected";
    if (!AnyOf(select_.methods, users.methods)) return "not used by a selected method";
    if (!AnyOf(select_.backends, users.backends)) return "not used by a selected backend";
    return {};
  }

  Result<Reason> WhyContentNot(Extent extent, const std::vector<std::string>& names) {
    if (!match_.empty()) {
      PTEEDIT_ASSIGN(const bool found, match_.Contains(*program_.source(), extent, names));
      if (!found) return Reason("not in the files to match");
    }
    if (not_match_.empty()) return Reason();
    PTEEDIT_ASSIGN(const bool found, not_match_.Contains(*program_.source(), extent, names));
    return found ? Reason("in a file not to match") : Reason();
  }

  Users UsersOf(const Constant& constant) const {
    Users users;
    const auto& plans = *program_.state().program_root().execution_plan();
    for (const ConstantUse& use : constant.uses) {
      users.methods.emplace(ViewOf(plans.Get(static_cast<flatbuffers::uoffset_t>(use.method))->name()));
    }
    return users;
  }

  Result<Reason> WhyStays(const Constant& constant) {
    const bool kind = constant.store == Store::kMutable ? select_.mutables : select_.constants;
    std::vector<std::string> names = constant.aliases;
    names.push_back(constant.name);
    Reason reason = WhyNot(kind, constant.extent.size, names, UsersOf(constant));
    if (reason.empty()) reason = WhyWithoutLayout(constant);
    if (!reason.empty()) return reason;
    return WhyContentNot(constant.extent, names);
  }

  Status ChooseConstants() {
    for (Constant& constant : CollectConstants(program_)) {
      PTEEDIT_ASSIGN(const Reason reason, WhyStays(constant));
      if (!reason.empty()) {
        Skip(KindOf(constant), constant.name, constant.extent.size, reason);
      } else {
        choice_.constants.push_back({std::move(constant), {}, {}});
        ListViews(choice_.constants.back());
      }
    }
    return {};
  }

  static void ListViews(MovableConstant& movable) {
    for (const ConstantUse& use : movable.constant.uses) {
      const auto same = [&](const MovableConstant::View& view) { return view.layout == use.layout; };
      const auto found = std::find_if(movable.views.begin(), movable.views.end(), same);
      movable.view_of_use.push_back(static_cast<size_t>(found - movable.views.begin()));
      if (found == movable.views.end()) movable.views.push_back({ByteSize(use.layout).value_or(0), use.layout, {}, {}});
    }
  }

  Status NameContents() {
    std::vector<MovableConstant>& constants = choice_.constants;
    std::vector<Status> statuses(constants.size());
    ParallelFor(constants.size(), options_.threads, [&](size_t i) { statuses[i] = NameContent(constants[i]); });
    for (Status& status : statuses) PTEEDIT_TRY(std::move(status));
    return {};
  }

  Status NameContent(MovableConstant& movable) const {
    std::map<uint64_t, Sha256Digest> by_length;
    for (MovableConstant::View& view : movable.views) {
      const auto [place, is_new] = by_length.try_emplace(view.bytes);
      if (is_new) {
        PTEEDIT_ASSIGN(place->second, Sha256Of(*program_.source(), {movable.constant.extent.offset, view.bytes}));
      }
      view.digest = place->second;
      view.key = ContentKey(view.digest, view.layout);
    }
    return {};
  }

  // Largest first, equal sizes by key, so that all programs of a family decide alike.
  void KeepSmallestInside() {
    const std::vector<MovableConstant>& constants = choice_.constants;
    std::vector<size_t> order(constants.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
      const Extent& first = constants[a].constant.extent;
      const Extent& second = constants[b].constant.extent;
      return first.size != second.size ? first.size > second.size
                                       : constants[a].views[0].key < constants[b].views[0].key;
    });
    std::map<size_t, uint64_t> external = ExternalNow();
    std::vector<bool> stays(constants.size());
    for (const size_t i : order) stays[i] = !TakePlaces(constants[i].constant, external);
    Keep(stays, Text("its method would have more than ", options_.max_external_tensors, " external tensors"));
  }

  // A key of the program and of its data files would mean two things at once.
  void KeepThoseWithTakenKeys() {
    std::set<std::string_view> taken;
    for (const NamedEntry& entry : program_.named_data()) taken.insert(entry.key);
    std::vector<bool> stays;
    for (const MovableConstant& movable : choice_.constants) {
      stays.push_back(std::any_of(movable.views.begin(), movable.views.end(),
                                  [&](const MovableConstant::View& view) { return taken.count(view.key) != 0; }));
    }
    Keep(stays, "its key is also a key of the program's named data");
  }

  void Keep(const std::vector<bool>& stays, const std::string& reason) {
    std::vector<MovableConstant> moving;
    for (size_t i = 0; i < stays.size(); ++i) {
      MovableConstant& movable = choice_.constants[i];
      if (stays[i]) {
        Skip(KindOf(movable.constant), movable.constant.name, movable.constant.extent.size, reason);
      } else {
        moving.push_back(std::move(movable));
      }
    }
    choice_.constants = std::move(moving);
  }

  std::map<size_t, uint64_t> ExternalNow() const {
    const schema::Program& root = program_.state().program_root();
    std::map<size_t, uint64_t> external;
    ForEachTensor(root, [&](size_t method, size_t, const schema::Tensor& tensor) {
      if (StoreOf(root, tensor) == Store::kExternal) ++external[method];
    });
    return external;
  }

  bool TakePlaces(const Constant& constant, std::map<size_t, uint64_t>& external) const {
    std::map<size_t, uint64_t> more;
    for (const ConstantUse& use : constant.uses) ++more[use.method];
    for (const auto& [method, count] : more) {
      if (external[method] + count > options_.max_external_tensors) return false;
    }
    for (const auto& [method, count] : more) external[method] += count;
    return true;
  }

  Result<std::vector<Users>> UsersOfKeys() const {
    std::vector<std::string_view> keys;
    for (const NamedEntry& entry : program_.named_data()) keys.push_back(entry.key);
    PTEEDIT_ASSIGN(const auto mentioned, KeysOfDelegates(program_, keys));
    std::vector<Users> users(keys.size());
    const auto& plans = OrEmpty(program_.state().program_root().execution_plan());
    for (size_t method = 0; method < mentioned.size(); ++method) {
      const schema::ExecutionPlan& plan = *plans.Get(static_cast<flatbuffers::uoffset_t>(method));
      for (size_t i = 0; i < mentioned[method].size(); ++i) {
        const auto* delegate = plan.delegates()->Get(static_cast<flatbuffers::uoffset_t>(i));
        for (const size_t key : mentioned[method][i]) {
          users[key].methods.emplace(ViewOf(plan.name()));
          users[key].backends.emplace(ViewOf(delegate->id()));
        }
      }
    }
    return users;
  }

  Result<Reason> WhyStays(const NamedEntry& entry, const Users& users) {
    const std::vector<std::string> names{std::string(entry.key)};
    if (select_.named_data && users.backends.empty())
      return Reason("no delegate mentions the key; the app may read it");
    const Reason reason = WhyNot(select_.named_data, entry.extent.size, names, users);
    if (!reason.empty()) return reason;
    return WhyContentNot(entry.extent, names);
  }

  Status ChooseKeys() {
    PTEEDIT_ASSIGN(const std::vector<Users> users, UsersOfKeys());
    const std::vector<NamedEntry>& entries = program_.named_data();
    for (size_t i = 0; i < entries.size(); ++i) {
      PTEEDIT_ASSIGN(const Reason reason, WhyStays(entries[i], users[i]));
      if (reason.empty()) {
        choice_.keys.push_back({i});
      } else {
        Skip("named-data", std::string(entries[i].key), entries[i].extent.size, reason);
      }
    }
    return {};
  }

  const Container& program_;
  const SplitOptions& options_;
  const SplitSelection& select_;
  ContentMatch match_, not_match_;
  SplitChoice choice_;
};

}  // namespace

const char* KindOf(const Constant& constant) { return constant.store == Store::kMutable ? "mutable" : "constant"; }

Result<SplitChoice> ChooseForSplit(const Container& program, const SplitOptions& options) {
  return Chooser(program, options).Choose();
}

}  // namespace pteedit
