#include "split/split_choice.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "base/parallel.h"
#include "base/renumber.h"
#include "base/shared_texts.h"
#include "base/text.h"
#include "diff/content_match.h"
#include "program/container_state.h"
#include "program/content_key.h"
#include "program/file_set.h"
#include "program/found_names.h"
#include "program/key_search.h"
#include "pteedit/near_matches.h"
#include "pteedit/try.h"
#include "split/split_names.h"

namespace pteedit {
namespace {

constexpr size_t kNearNames = 3;

// Who uses a constant or mentions a key.
struct Users {
  bool delegate = false, selected_method = false, selected_backend = false;
};

bool IsOneOf(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// As GroupByContent, but looks at a few KiB of each.
Result<std::vector<uint32_t>> GroupBySample(const std::vector<ContentPlace>& places) {
  std::map<Sha256Digest, uint32_t> known;
  std::vector<uint32_t> first;
  for (uint32_t i = 0; i < places.size(); ++i) {
    PTEEDIT_ASSIGN(const Sha256Digest sample, SampleOf(*places[i].source, places[i].extent));
    first.push_back(known.try_emplace(sample, i).first->second);
  }
  return first;
}

class Chooser {
 public:
  Chooser(const ProgramSet& set, const SplitOptions& options)
      : set_(set),
        program_(set.program()),
        options_(options),
        select_(options.selection),
        match_(options.selection.match),
        not_match_(options.selection.not_match) {}

  Result<SplitChoice> Choose() {
    PTEEDIT_TRY(FindSelected());
    std::vector<Constant> constants = CollectConstants(program_);
    std::vector<Verdict> verdicts;
    verdicts.reserve(constants.size() + program_.named_data().size());  // what grows by itself is there twice
    for (const Constant& constant : constants) {
      PTEEDIT_ASSIGN(Verdict verdict, Judge(constant));
      verdicts.push_back(std::move(verdict));
    }
    PTEEDIT_TRY(JudgeKeys(verdicts));
    PTEEDIT_TRY(JudgeContents(match_, true, "not in the files to match", verdicts));
    PTEEDIT_TRY(JudgeContents(not_match_, false, "in a file not to match", verdicts));
    ChooseConstants(std::move(constants), verdicts);
    PTEEDIT_TRY(AskBases(verdicts));
    PTEEDIT_TRY(NameContents());
    PTEEDIT_TRY(KeepThoseWithTakenKeys());
    KeepSmallestInside();
    ChooseKeys(verdicts);
    PTEEDIT_TRY(NumberContents());
    return std::move(choice_);
  }

 private:
  // A method or backend that is not there is a slip of the pen.
  Status FindSelected() {
    std::set<std::string> methods, backends;  // that are there
    for (const schema::ExecutionPlan* plan : OrEmpty(program_.state().program_root().execution_plan())) {
      methods.emplace(ViewOf(plan->name()));
      for (const schema::BackendDelegate* delegate : OrEmpty(plan->delegates()))
        backends.emplace(ViewOf(delegate->id()));
    }
    PTEEDIT_TRY(FindAll("method", {methods.begin(), methods.end()}, select_.methods));
    return FindAll("backend", {backends.begin(), backends.end()}, select_.backends);
  }

  // Each of `selected` as the program has it.
  Status FindAll(const char* what, const std::vector<std::string>& known, std::vector<std::string>& selected) const {
    for (std::string& name : selected) {
      if (const std::string* found = FindName(known, name)) {
        name = *found;
        continue;
      }
      const bool is_near = !NearMatches(known, name, 1).empty();
      const std::string all = known.empty() ? "none" : Joined(known, ", ", Quoted);
      return InvalidArgument(
                 Text("has no ", what, " ", DidYouMean(name, known, kNearNames), is_near ? "" : "; it has " + all))
          .In(program_.name());
    }
    return {};
  }

  void Skip(const char* what, std::string name, uint64_t bytes, const std::string& reason) {
    choice_.skipped.push_back({what, std::move(name), bytes, reasons_(reason)});
  }

  // Why something stays inside; empty where it is selected.
  using Reason = std::string;

  struct Verdict {
    Reason reason;
    NamedContent content;
  };

  Reason WhyNot(bool kind_selected, uint64_t bytes, const std::vector<std::string>& names, const Users& users) const {
    if (!kind_selected) return "kind not selected";
    if (bytes < select_.min_bytes) return Text("smaller than ", select_.min_bytes, " bytes");
    const bool named = !select_.name_matches || std::any_of(names.begin(), names.end(), select_.name_matches);
    if (!named) return "name not selected";
    if (!select_.methods.empty() && !users.selected_method) return "not used by a selected method";
    if (!select_.backends.empty() && !users.selected_backend) return "not used by a selected backend";
    return {};
  }

  // Of those that are selected so far, whose bytes are compared all at once, the others stay.
  Status JudgeContents(const ContentMatch& others, bool wanted, const char* reason,
                       std::vector<Verdict>& verdicts) const {
    if (others.empty()) return {};
    std::vector<NamedContent> contents;
    std::vector<Verdict*> open;
    for (Verdict& verdict : verdicts) {
      if (!verdict.reason.empty()) continue;
      contents.push_back(verdict.content);
      open.push_back(&verdict);
    }
    PTEEDIT_ASSIGN(const std::vector<bool> found, others.Find(contents, {program_}, options_.threads));
    for (size_t i = 0; i < open.size(); ++i) {
      if (found[i] != wanted) open[i]->reason = reason;
    }
    return {};
  }

  Users UsersOf(const Constant& constant) const {
    Users users;
    const auto& plans = *program_.state().program_root().execution_plan();
    users.selected_method = std::any_of(constant.uses.begin(), constant.uses.end(), [&](const ConstantUse& use) {
      return IsOneOf(select_.methods, ViewOf(plans.Get(use.method)->name()));
    });
    return users;
  }

  bool ComparesContents() const { return !match_.empty() || !not_match_.empty(); }

  Result<Verdict> Judge(const Constant& constant) const {
    const bool kind = constant.store == Store::kMutable ? select_.mutables : select_.constants;
    Verdict verdict{{}, {{program_.source(), constant.extent}, {}}};
    verdict.reason = WhyNot(kind, constant.extent.size, AllNames(constant), UsersOf(constant));
    if (verdict.reason.empty()) verdict.reason = WhyWithoutLayout(constant);
    if (verdict.reason.empty() && ComparesContents()) {
      verdict.content.names = OwnNames(constant);
      PTEEDIT_TRY(AddContentKeys(constant, verdict.content.names));
    }
    return verdict;
  }

  // What a small constant is called in a data file into which one like it has moved.
  Status AddContentKeys(const Constant& constant, std::vector<std::string>& names) const {
    if (constant.extent.size >= kMinTellingBytes) return {};
    PTEEDIT_ASSIGN(const Sha256Digest digest, Sha256Of(*program_.source(), constant.extent));
    for (const ConstantUse& use : constant.uses) names.push_back(ContentKey(digest, use.layout()));
    return {};
  }

  void ChooseConstants(std::vector<Constant> constants, std::vector<Verdict>& verdicts) {
    const auto is_chosen = [](const Verdict& verdict) { return verdict.reason.empty(); };
    const auto end = verdicts.begin() + static_cast<std::ptrdiff_t>(constants.size());
    const auto chosen = static_cast<size_t>(std::count_if(verdicts.begin(), end, is_chosen));
    choice_.constants.reserve(chosen);
    choice_.skipped.reserve(constants.size() - chosen);
    for (size_t i = 0; i < constants.size(); ++i) {
      Constant& constant = constants[i];
      if (!verdicts[i].reason.empty()) {
        Skip(KindOf(constant), std::move(constant.name), constant.extent.size, verdicts[i].reason);
      } else {
        choice_.constants.push_back({std::move(constant), {}, {}});
        ListViews(choice_.constants.back());
      }
    }
  }

  std::string_view KeyNameOf(const Constant& constant, const ConstantUse& use) const {
    const std::string_view name = NameOf(use);
    const std::vector<std::string>* found =
        name.empty() && options_.name_keys ? FoundNamesAt(program_, constant.extent) : nullptr;
    return found != nullptr ? std::string_view(found->front()) : name;
  }

  void ListViews(MovableConstant& movable) const {
    for (const ConstantUse& use : movable.constant.uses) {
      const TensorLayout layout = use.layout();
      const std::string_view name = KeyNameOf(movable.constant, use);
      const auto same = [&](const MovableConstant::View& view) {
        return movable.LayoutOf(view) == layout && view.name == name;
      };
      const auto found = std::find_if(movable.views.begin(), movable.views.end(), same);
      movable.view_of_use.push_back(static_cast<size_t>(found - movable.views.begin()));
      if (found != movable.views.end()) continue;
      const auto first_use = static_cast<size_t>(&use - movable.constant.uses.data());
      movable.views.push_back({ByteSize(layout).value_or(0), first_use, std::string(name), {}, {}, 0, {}});
    }
  }

  // Which constants and keys bases serve. Where there is no new data file, all others stay.
  Status AskBases(std::vector<Verdict>& verdicts) {
    PTEEDIT_ASSIGN(bases_, BaseFiles::Open(options_.bases));
    PTEEDIT_TRY(CheckBasesAndData());
    const size_t keys = program_.named_data().size();
    key_answers_.resize(keys);
    if (options_.bases.empty() && options_.new_data) return {};
    const std::vector<WantedContent> wanted = WantedContents(verdicts);
    std::vector<BaseAnswer> answers(wanted.size());
    if (!options_.bases.empty()) {
      PTEEDIT_ASSIGN(answers, bases_.Find(wanted, options_.threads));
    }
    key_answers_.assign(answers.begin(), answers.begin() + static_cast<std::ptrdiff_t>(keys));
    Serve(answers.begin() + static_cast<std::ptrdiff_t>(keys));
    for (size_t i = 0; i < keys; ++i) {
      Reason& reason = VerdictOf(verdicts, i).reason;
      if (reason.empty() && key_answers_[i].entry == nullptr) reason = WhyUnserved(key_answers_[i]);
    }
    return {};
  }

  // The keys, then the views.
  std::vector<WantedContent> WantedContents(std::vector<Verdict>& verdicts) {
    std::vector<WantedContent> wanted;
    for (const NamedEntry& entry : program_.named_data()) {
      const bool stays = !VerdictOf(verdicts, wanted.size()).reason.empty();
      wanted.push_back({{program_.source(), entry.extent}, std::nullopt, entry.key, true, stays});
    }
    ForEachView([&](const MovableConstant& movable, const MovableConstant::View& view) {
      const bool stays = movable.constant.store == Store::kMutable;
      const Extent extent{movable.constant.extent.offset, view.bytes};
      wanted.push_back({{program_.source(), extent}, movable.LayoutOf(view), {}, false, stays});
    });
    return wanted;
  }

  // Of the key of this entry; those of keys are the last.
  Verdict& VerdictOf(std::vector<Verdict>& verdicts, size_t entry) const {
    return verdicts[verdicts.size() - program_.named_data().size() + entry];
  }

  // The runtime refuses a key in two files.
  Status CheckBasesAndData() const {
    for (const DataPlace& place : set_.data_keys()) {
      const Container* base = bases_.FileWith(place.key());
      const Container& data = set_.data()[place.file];
      if (base == nullptr || base->source() == data.source()) continue;
      return InvalidArgument(Text("key ", Quoted(place.key()), " also exists in ", data.name(),
                                  "; the runtime refuses such files together"))
          .In(base->name());
    }
    return {};
  }

  // A constant is served where all its views are.
  void Serve(std::vector<BaseAnswer>::iterator answer) {
    std::vector<Reason> reasons;
    for (MovableConstant& movable : choice_.constants) {
      const auto end = answer + static_cast<std::ptrdiff_t>(movable.views.size());
      const auto missing = std::find_if(answer, end, [](const BaseAnswer& one) { return one.entry == nullptr; });
      reasons.push_back(missing != end ? WhyUnserved(*missing) : "");
      if (missing != end) movable.views.front().base.Edit().reason = missing->reason;
      for (MovableConstant::View& view : movable.views) {
        if (missing == end) {
          view.base.Edit() = *answer;
          view.name.clear();
          view.key = std::string(answer->entry->key);
        }
        ++answer;
      }
    }
    Keep(std::move(reasons));
  }

  Reason WhyUnserved(const BaseAnswer& answer) const {
    if (options_.new_data) return {};
    return answer.reason.empty() ? "no base has it" : answer.reason;
  }

  Status NameContents() {
    std::vector<MovableConstant>& constants = choice_.constants;
    choice_.foretold =
        options_.foretell && std::any_of(constants.begin(), constants.end(),
                                         [](const MovableConstant& movable) { return !movable.is_served(); });
    return ParallelFor(constants.size(), options_.threads, [&](size_t i) { return NameContent(constants[i]); });
  }

  Status NameContent(MovableConstant& movable) const {
    if (movable.is_served()) return {};
    std::map<uint64_t, Sha256Digest> by_length;
    for (MovableConstant::View& view : movable.views) {
      const auto [place, is_new] = by_length.try_emplace(view.bytes);
      if (is_new) {
        const Extent content{movable.constant.extent.offset, view.bytes};
        PTEEDIT_ASSIGN(place->second, options_.foretell ? SampleOf(*program_.source(), content)
                                                        : Sha256Of(*program_.source(), content));
      }
      view.digest = place->second;
      view.key = view.name.empty() ? ContentKey(view.digest, movable.LayoutOf(view)) : view.name;
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
    std::vector<Reason> reasons(constants.size());
    for (const size_t i : order) {
      if (TakePlaces(constants[i].constant, external)) continue;
      reasons[i] = Text("its method would have more than ", options_.max_external_tensors, " external tensors");
    }
    Keep(std::move(reasons));
  }

  Status KeepThoseWithTakenKeys() {
    PTEEDIT_ASSIGN(std::vector<Reason> reasons, WhyKeysClash(set_, choice_.constants));
    for (size_t i = 0; i < reasons.size(); ++i) {
      const MovableConstant& movable = choice_.constants[i];
      for (const MovableConstant::View& view : movable.views) {
        const Container* base = movable.is_served() ? nullptr : bases_.FileWith(view.key);
        if (base != nullptr) reasons[i] = Text("its key is also in ", base->name());
      }
    }
    Keep(std::move(reasons));
    return {};
  }

  // Those with a reason to stay.
  void Keep(std::vector<Reason> reasons) {
    std::vector<bool> moves;
    for (const Reason& reason : reasons) moves.push_back(reason.empty());
    const auto stay = static_cast<size_t>(std::count(moves.begin(), moves.end(), false));
    choice_.skipped.reserve(choice_.skipped.size() + stay);
    for (size_t i = 0; i < reasons.size(); ++i) {
      Constant& constant = choice_.constants[i].constant;
      if (!moves[i]) Skip(KindOf(constant), std::move(constant.name), constant.extent.size, reasons[i]);
    }
    pteedit::Keep(choice_.constants, moves);
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
      const bool is_selected = IsOneOf(select_.methods, ViewOf(plan.name()));
      for (size_t i = 0; i < mentioned[method].size(); ++i) {
        const auto* delegate = plan.delegates()->Get(static_cast<flatbuffers::uoffset_t>(i));
        const bool is_of_selected = IsOneOf(select_.backends, ViewOf(delegate->id()));
        for (const size_t key : mentioned[method][i]) {
          users[key].delegate = true;
          users[key].selected_method |= is_selected;
          users[key].selected_backend |= is_of_selected;
        }
      }
    }
    return users;
  }

  Verdict Judge(const NamedEntry& entry, const Users& users) const {
    Verdict verdict{{}, {{program_.source(), entry.extent}, {}}};
    if (ComparesContents()) verdict.content.names = {std::string(entry.key)};
    verdict.reason =
        select_.named_data && !users.delegate
            ? "no delegate mentions the key; the app may read it"
            : WhyNot(select_.named_data, entry.extent.size, NamesAndKeys(program_, {std::string(entry.key)}), users);
    return verdict;
  }

  // Adds those of the keys, in file order.
  Status JudgeKeys(std::vector<Verdict>& verdicts) const {
    PTEEDIT_ASSIGN(const std::vector<Users> users, UsersOfKeys());
    for (size_t i = 0; i < users.size(); ++i) verdicts.push_back(Judge(program_.named_data()[i], users[i]));
    return {};
  }

  // Theirs are the last.
  void ChooseKeys(const std::vector<Verdict>& verdicts) {
    const std::vector<NamedEntry>& entries = program_.named_data();
    choice_.keys.reserve(entries.size());  // what grows by itself is there twice
    for (size_t i = 0; i < entries.size(); ++i) {
      const Reason& reason = verdicts[verdicts.size() - entries.size() + i].reason;
      if (reason.empty()) {
        choice_.keys.push_back({i, 0, key_answers_[i]});
      } else {
        Skip("named-data", ShownName(program_, entries[i].key), entries[i].extent.size, reason);
      }
    }
  }

  // Digests tell which constants are equal. Keys keep their names, so nothing needs to be known of their bytes but
  // which are equal, to each other or to constants of their size.
  Status NumberContents() {
    std::map<std::pair<Sha256Digest, uint64_t>, size_t> by_digest;
    std::vector<ContentPlace> places;
    ForEachView([&](const MovableConstant& movable, MovableConstant::View& view) {
      if (view.base->entry != nullptr) return;
      view.content = by_digest.try_emplace({view.digest, view.bytes}, places.size()).first->second;
      const Extent extent{movable.constant.extent.offset, view.bytes};
      if (view.content == places.size()) places.push_back({program_.source(), extent});
    });
    std::set<uint64_t> sizes;
    for (MovableKey& key : choice_.keys) {
      if (key.base.entry != nullptr) continue;
      key.content = places.size();
      places.push_back({program_.source(), program_.named_data()[key.entry].extent});
      sizes.insert(places.back().extent.size);
    }
    PTEEDIT_ASSIGN(const std::vector<size_t> first, FirstWithEqualBytes(places, sizes));
    for (size_t i = 0; i < first.size(); ++i) {
      if (options_.foretell && first[i] != i) choice_.foretold = true;  // they only look alike
    }
    ForEachView([&](const MovableConstant&, MovableConstant::View& view) {
      if (view.base->entry == nullptr) view.content = first[view.content];
    });
    for (MovableKey& key : choice_.keys) {
      if (key.base.entry == nullptr) key.content = first[key.content];
    }
    return {};
  }

  template <class Visit>
  void ForEachView(Visit visit) {
    for (MovableConstant& movable : choice_.constants) {
      for (MovableConstant::View& view : movable.views) visit(movable, view);
    }
  }

  // Reads only those of the given sizes; the others are their own first.
  Result<std::vector<size_t>> FirstWithEqualBytes(const std::vector<ContentPlace>& places,
                                                  const std::set<uint64_t>& sizes) const {
    std::vector<size_t> first(places.size());
    std::iota(first.begin(), first.end(), size_t{0});
    std::vector<size_t> compared;
    std::vector<ContentPlace> list;
    for (size_t i = 0; i < places.size(); ++i) {
      if (sizes.count(places[i].extent.size) == 0) continue;
      compared.push_back(i);
      list.push_back(places[i]);
    }
    PTEEDIT_ASSIGN(const std::vector<uint32_t> found,
                   options_.foretell ? GroupBySample(list) : GroupByContent(list, options_.threads));
    for (size_t i = 0; i < compared.size(); ++i) first[compared[i]] = compared[found[i]];
    return first;
  }

  const ProgramSet& set_;
  const Container& program_;
  const SplitOptions& options_;
  SplitSelection select_;
  const ContentMatch match_, not_match_;
  BaseFiles bases_;
  std::vector<BaseAnswer> key_answers_;  // by entry of the program's named data
  SplitChoice choice_;
  SharedTexts reasons_;
};

}  // namespace

Result<SplitChoice> ChooseForSplit(const ProgramSet& set, const SplitOptions& options) {
  return Chooser(set, options).Choose();
}

}  // namespace pteedit
