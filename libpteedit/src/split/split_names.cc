#include "split/split_names.h"

#include <map>
#include <set>

#include "delegates/listed_keys.h"
#include "io/digest.h"
#include "program/container_state.h"
#include "pteedit/try.h"

namespace pteedit {
namespace {

using View = MovableConstant::View;

class Clashes {
 public:
  Clashes(const ProgramSet& set, const std::vector<MovableConstant>& constants) : set_(set), constants_(constants) {
    for (const NamedEntry& entry : set_.program().named_data()) taken_.insert(entry.key);
  }

  Result<std::vector<std::string>> Find() {
    PTEEDIT_TRY(FindAsked());
    FindAmbiguous();
    std::vector<std::string> reasons;
    for (const MovableConstant& movable : constants_) {
      std::string reason;
      for (const View& view : movable.views) {
        if (reason.empty()) {
          PTEEDIT_ASSIGN(reason, WhyNot(movable, view));
        }
      }
      reasons.push_back(std::move(reason));
    }
    return reasons;
  }

 private:
  Status FindAsked() {
    std::vector<std::string_view> names;
    for (const MovableConstant& movable : constants_) {
      for (const View& view : movable.views) {
        if (!view.name.empty()) names.push_back(view.name);
      }
    }
    if (names.empty()) return {};
    PTEEDIT_ASSIGN(AskedKeys asked, FindAskedKeys(set_, names));
    asked_ = std::move(asked.keys);
    return {};
  }

  void FindAmbiguous() {
    std::map<std::string_view, std::pair<const MovableConstant*, const View*>> first;
    for (const MovableConstant& movable : constants_) {
      for (const View& view : movable.views) {
        const auto& [owner, known] = first.try_emplace(view.key, &movable, &view).first->second;
        const bool is_same = known->digest == view.digest && owner->LayoutOf(*known) == movable.LayoutOf(view);
        if (!is_same) ambiguous_.insert(view.key);
      }
    }
  }

  Result<std::string> WhyNot(const MovableConstant& movable, const View& view) const {
    if (taken_.count(view.key) != 0) return std::string("its key is also a key of the program's named data");
    if (view.name.find('\0') != std::string::npos)
      return std::string("its name has a zero byte, where runtimes end it");
    if (asked_.count(view.name) != 0) return std::string("its name is a key that a delegate asks for");
    if (ambiguous_.count(view.key) != 0) return std::string("its name stands for several contents");
    PTEEDIT_ASSIGN(const bool elsewhere, MeansOtherInData(movable, view));
    return std::string(elsewhere ? "its name is a key of other contents in a data file" : "");
  }

  Result<bool> MeansOtherInData(const MovableConstant& movable, const View& view) const {
    const DataPlace* place = set_.FindInData(view.key);
    if (view.name.empty() || place == nullptr) return false;
    const NamedEntry& entry = *place->entry;
    if (entry.layout != movable.LayoutOf(view) || entry.extent.size < view.bytes) return true;
    PTEEDIT_ASSIGN(const bool same, SameBytes(*set_.program().source(), {movable.constant.extent.offset, view.bytes},
                                              *set_.data()[place->file].source(), {entry.extent.offset, view.bytes}));
    return !same;
  }

  const ProgramSet& set_;
  const std::vector<MovableConstant>& constants_;
  std::set<std::string_view> taken_, asked_, ambiguous_;
};

}  // namespace

std::string_view NameOf(const ConstantUse& use) {
  const auto* extra = use.tensor->extra_tensor_info();
  return extra == nullptr ? std::string_view() : ViewOf(extra->fully_qualified_name());
}

Result<std::vector<std::string>> WhyKeysClash(const ProgramSet& set, const std::vector<MovableConstant>& constants) {
  return Clashes(set, constants).Find();
}

}  // namespace pteedit
