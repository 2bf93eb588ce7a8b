#include "program/file_set.h"

#include <set>

#include "base/damage.h"
#include "base/text.h"
#include "io/digest.h"
#include "program/binding_key.h"
#include "program/container_state.h"
#include "program/layout.h"
#include "pteedit/try.h"

namespace pteedit {
namespace {

class Examiner {
 public:
  explicit Examiner(const ProgramSet& set) : given_(set), program_(set.program()), data_(set.data()) {}

  Result<FileSet> Examine() {
    FindKeysTwice();
    const schema::Program& root = program_.state().program_root();
    ForEachTensor(root, [&](size_t, size_t, const schema::Tensor& tensor) {
      if (StoreOf(root, tensor) == Store::kExternal) CheckExternal(tensor);
    });
    PTEEDIT_TRY(CompareKeysInBoth());
    return std::move(set_);
  }

 private:
  static std::string KeyWords(std::string_view key) { return Text("key ", Quoted(key)); }

  void Keep(std::vector<Error>& list, Error error, const std::string& file) const {
    if (list.size() < kMaxProblems) list.push_back(std::move(error).In(file));
  }

  void FindKeysTwice() {
    for (size_t file = 0; file < data_.size(); ++file) {
      for (const NamedEntry& entry : data_[file].named_data()) {
        const DataPlace& place = *given_.FindInData(entry.key);
        if (place.file == file && place.entry == &entry) continue;
        const size_t first = place.file;
        const std::string what =
            first == file ? "occurs twice"
                          : Text("also exists in ", data_[first].name(), "; the runtime refuses such files together");
        Keep(set_.problems, Damaged("key-twice", KeyWords(entry.key), what), data_[file].name());
      }
    }
  }

  void CheckExternal(const schema::Tensor& tensor) {
    const std::string_view key = ViewOf(tensor.extra_tensor_info()->fully_qualified_name());
    const DataPlace* found = given_.FindInData(key);
    if (found == nullptr) return MissesKey(key);
    const NamedEntry& entry = *found->entry;
    const std::string& file = data_[found->file].name();
    const auto wrong = [&](const char* finding, const std::string& what) {
      Keep(set_.problems, Damaged(finding, KeyWords(key), what), file);
    };
    if (!entry.layout) return wrong("layout-missing", "of a tensor has no layout; the runtime crashes on it");
    if (!(*entry.layout == LayoutOf(tensor))) {
      return wrong("layout-differs", Text("has another element type, size or dim order than in ", program_.name()));
    }
    const std::optional<uint64_t> bytes = ByteSize(*entry.layout);
    if (!bytes) {
      return Keep(set_.problems, NotUnderstood("scalar-type", KeyWords(key), "has an unknown element type"), file);
    }
    if (*bytes <= entry.extent.size) return;
    wrong("segment-too-short", Text("has ", entry.extent.size, " bytes, its tensor needs ", *bytes));
  }

  void MissesKey(std::string_view key) {
    if (!missing_.insert(key).second) return;
    Keep(set_.problems, IsBindingKey(key) && !data_.empty() ? OtherBase(key) : MissingKey(key, {}, data_),
         program_.name());
  }

  // A data file that has nothing to bind to may be the right one before it was bound to, or a wrong one.
  Error OtherBase(std::string_view key) const {
    const auto id_of = [](const Container& file) {
      const std::vector<std::string_view> keys = BindingsIn(file);
      return Text(file.name(), keys.empty() ? " has none" : " is ", Joined(keys, ", ", Quoted));
    };
    return NotUnderstood("base-missing", {},
                         Text("is bound to data file ", Quoted(key), ", but ", Joined(data_, ", ", id_of)));
  }

  Status CompareKeysInBoth() {
    for (const NamedEntry& entry : program_.named_data()) {
      const DataPlace* found = given_.FindInData(entry.key);
      if (found == nullptr) continue;
      const Container& file = data_[found->file];
      PTEEDIT_ASSIGN(const bool same,
                     SameBytes(*program_.source(), entry.extent, *file.source(), found->entry->extent));
      Error error = Damaged(same ? "key-in-both" : "key-shadowed", KeyWords(entry.key),
                            Text("also exists in ", program_.name(), same ? "" : " with different contents"));
      Keep(same ? set_.remarks : set_.problems, std::move(error), file.name());
    }
    return {};
  }

  const ProgramSet& given_;
  const Container& program_;
  const std::vector<Container>& data_;
  std::set<std::string_view> missing_;
  FileSet set_;
};

}  // namespace

Result<FileSet> ExamineTogether(const ProgramSet& set) { return Examiner(set).Examine(); }

Error MissingKey(std::string_view key, const std::string& where, const std::vector<Container>& data) {
  const char* from = data.empty() ? "a data file, and none is given" : "a data file, and none of the given has it";
  return NotUnderstood("key-missing", where, Text("needs key ", Quoted(key), " from ", from));
}

Status CheckTogether(const ProgramSet& set) {
  PTEEDIT_ASSIGN(FileSet found, ExamineTogether(set));
  if (!found.problems.empty()) return std::move(found.problems.front());
  return {};
}

}  // namespace pteedit
