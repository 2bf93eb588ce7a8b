#include "edit/base_files.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <tuple>

#include "base/text.h"
#include "program/binding_key.h"
#include "program/constants.h"
#include "program/container_state.h"
#include "program/content_key.h"
#include "program/layout.h"
#include "pteedit/try.h"

namespace pteedit {

Result<BaseFiles> BaseFiles::Open(const std::vector<Container>& files) {
  BaseFiles bases;
  bases.files_ = files;
  for (const Container& file : files) {
    if (file.kind() == FileKind::kData && file.header().layout_06)
      return Unsupported("is in the layout of release 0.6, which no release reads together with today's")
          .In(file.name());
  }
  for (size_t file = 0; file < files.size(); ++file) bases.List(file);
  for (size_t i = 0; i < bases.held_.size(); ++i) {
    const Held& held = bases.held_[i];
    if (held.entry == nullptr) continue;
    const auto [first, is_new] = bases.by_key_.try_emplace(held.entry->key, i);
    if (is_new) continue;
    const std::string& other = bases.files_[bases.held_[first->second].file].name();
    return InvalidArgument(Text("key ", Quoted(held.entry->key), " also exists in ", other,
                                "; the runtime refuses such files together"))
        .In(bases.files_[held.file].name());
  }
  return bases;
}

void BaseFiles::List(size_t file) {
  const Container& base = files_[file];
  const bool is_data = base.kind() == FileKind::kData;
  const Container& inside = ProgramIn(base);
  for (const NamedEntry& entry : inside.named_data()) {
    if (IsBindingEntry(entry)) continue;
    held_.push_back(
        {file, is_data ? &entry : nullptr, {inside.source(), ContentOf(entry)}, {inside.source(), entry.extent}});
  }
  if (is_data) return;
  for (const Constant& constant : CollectConstants(inside))
    held_.push_back({file, nullptr, {inside.source(), constant.extent}});
}

const Container* BaseFiles::FileWith(std::string_view key) const {
  const auto found = by_key_.find(key);
  return found == by_key_.end() ? nullptr : &files_[held_[found->second].file];
}

// Contents of the program and of the bases are compared in one go, and only those of a size that occurs on both sides,
// so a base of gigabytes costs little where nothing matches. Three rules then decide. A base that has one of the
// program's keys with other bytes or another layout would hide them on the device, so it serves nothing at all. A
// tensor may be told another key, so any entry of its layout serves it; a delegate's key is inside its blob, so only
// that very key does. Of several that serve, the least by rank is taken, never the first by order of the arguments.

// One program's search.
class BaseFiles::Search {
 public:
  Search(const BaseFiles& bases, const std::vector<WantedContent>& wanted)
      : bases_(bases), wanted_(wanted), why_unusable_(bases.files_.size()) {}

  Result<std::vector<BaseAnswer>> Find(unsigned threads) {
    PTEEDIT_TRY(Compare(threads));
    for (size_t i = 0; i < wanted_.size(); ++i) LookForClash(i);
    std::vector<BaseAnswer> answers;
    for (size_t i = 0; i < wanted_.size(); ++i) answers.push_back(wanted_[i].stays ? BaseAnswer() : AnswerTo(i));
    return answers;
  }

 private:
  using Place = std::tuple<const Source*, uint64_t, uint64_t>;

  static Place PlaceOf(const ContentPlace& place) {
    return {place.source.get(), place.extent.offset, place.extent.size};
  }

  // Reads only what has a size that occurs on both sides, and each place once.
  Status Compare(unsigned threads) {
    std::set<uint64_t> wanted_sizes, held_sizes;
    for (const WantedContent& wanted : wanted_) wanted_sizes.insert(wanted.place.extent.size);
    for (const Held& held : bases_.held_) held_sizes.insert({held.place.extent.size, held.whole.extent.size});
    std::map<Place, size_t> numbers;
    std::vector<ContentPlace> places;
    const auto number = [&](const ContentPlace& place) {
      const auto [found, is_new] = numbers.try_emplace(PlaceOf(place), places.size());
      if (is_new) places.push_back(place);
      return found->second;
    };
    std::vector<std::pair<size_t, size_t>> held, whole, wanted;  // index and place
    for (size_t i = 0; i < bases_.held_.size(); ++i) {
      const auto add = [&](const ContentPlace& place, std::vector<std::pair<size_t, size_t>>& to) {
        if (wanted_sizes.count(place.extent.size) != 0) to.emplace_back(i, number(place));
      };
      const Held& one = bases_.held_[i];
      add(one.whole, whole);
      add(one.place, held);
      if (one.whole.extent.size != one.place.extent.size) add(one.whole, held);
    }
    for (size_t i = 0; i < wanted_.size(); ++i) {
      if (held_sizes.count(wanted_[i].place.extent.size) != 0) wanted.emplace_back(i, number(wanted_[i].place));
    }
    PTEEDIT_ASSIGN(const std::vector<uint32_t> first, GroupByContent(places, threads));
    for (const auto& [index, place] : held) holders_[first[place]].push_back(index);
    whole_contents_.assign(bases_.held_.size(), kNone);
    for (const auto& [index, place] : whole) whole_contents_[index] = first[place];
    contents_.assign(wanted_.size(), kNone);
    for (const auto& [index, place] : wanted) contents_[index] = first[place];
    return {};
  }

  const std::vector<size_t>& HoldersOf(size_t wanted) const {
    static const std::vector<size_t> kNobody;
    const auto found = holders_.find(contents_[wanted]);
    return found == holders_.end() ? kNobody : found->second;
  }

  // A tensor reads what its layout says, a delegate or an app all that is under the key.
  bool Holds(size_t held, size_t wanted) const {
    const bool is_for_tensors = wanted_[wanted].layout && !wanted_[wanted].needs_key;
    if (!is_for_tensors) return contents_[wanted] != kNone && contents_[wanted] == whole_contents_[held];
    const std::vector<size_t>& holders = HoldersOf(wanted);
    return std::binary_search(holders.begin(), holders.end(), held);
  }

  static bool FitsLayout(const NamedEntry& entry, const WantedContent& wanted) {
    return !wanted.layout || (entry.layout && *entry.layout == *wanted.layout);
  }

  void LookForClash(size_t i) {
    const WantedContent& wanted = wanted_[i];
    const auto found = bases_.by_key_.find(wanted.key);
    if (wanted.key.empty() || found == bases_.by_key_.end()) return;
    const Held& held = bases_.held_[found->second];
    const bool same = Holds(found->second, i);
    if (same && (wanted.stays || FitsLayout(*held.entry, wanted))) return;
    std::string& why = why_unusable_[held.file];
    if (why.empty())
      why = Text("key ", Quoted(wanted.key), " has another ", same ? "layout" : "content", " in ", NameOf(held),
                 ", which would hide it");
  }

  const std::string& NameOf(const Held& held) const { return bases_.files_[held.file].name(); }

  bool Serves(const Held& held, const WantedContent& wanted) const {
    if (held.entry == nullptr || !why_unusable_[held.file].empty()) return false;
    if (held.entry->key == wanted.key) return true;  // what does not fit would be a clash
    return wanted.layout && !wanted.needs_key && FitsLayout(*held.entry, wanted);
  }

  // The same whatever the order of the bases: the very key, else a content key, else the least.
  BaseAnswer AnswerTo(size_t i) const {
    const WantedContent& wanted = wanted_[i];
    const auto rank = [&](const NamedEntry& entry) {
      return std::tuple(entry.key != wanted.key, !IsContentKey(entry.key), entry.key);
    };
    BaseAnswer answer;
    for (const size_t holder : HoldersOf(i)) {
      const Held& held = bases_.held_[holder];
      if (!Holds(holder, i) || !Serves(held, wanted)) continue;
      if (answer.entry != nullptr && rank(*answer.entry) < rank(*held.entry)) continue;
      answer.file = held.file;
      answer.entry = held.entry;
    }
    if (answer.entry == nullptr) answer.reason = WhyNot(i);
    return answer;
  }

  // The least of all, so that the order of the bases says nothing.
  std::string WhyNot(size_t i) const {
    std::string reason;
    for (const size_t holder : HoldersOf(i)) {
      std::string why = WhyNot(bases_.held_[holder], wanted_[i]);
      if (reason.empty() || why < reason) reason = std::move(why);
    }
    return reason;
  }

  std::string WhyNot(const Held& held, const WantedContent& wanted) const {
    if (held.entry == nullptr) return Text("only inside ", NameOf(held), ", which is no data file");
    if (!why_unusable_[held.file].empty()) return why_unusable_[held.file];
    if (wanted.needs_key || !wanted.layout) return Text(NameOf(held), " has it under another key only");
    return Text(NameOf(held), held.entry->layout ? " has it with another layout only" : " has it without a layout");
  }

  static constexpr size_t kNone = ~size_t{0};
  const BaseFiles& bases_;
  const std::vector<WantedContent>& wanted_;
  std::vector<std::string> why_unusable_;          // by base; empty where it can be loaded with the program
  std::map<size_t, std::vector<size_t>> holders_;  // by content, ascending
  std::vector<size_t> contents_;                   // by what is wanted
  std::vector<size_t> whole_contents_;             // by held: of the whole entry
};

Result<std::vector<BaseAnswer>> BaseFiles::Find(const std::vector<WantedContent>& wanted, unsigned threads) const {
  return Search(*this, wanted).Find(threads);
}

}  // namespace pteedit
