// One side of a diff: what bytes are attributed to, with what tells which row of the other side it is.
#ifndef PTEEDIT_SRC_DIFF_DIFF_ROWS_H_
#define PTEEDIT_SRC_DIFF_DIFF_ROWS_H_

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "base/kept_texts.h"
#include "diff/element_changes.h"
#include "program/native_package.h"
#include "pteedit/describe.h"
#include "pteedit/program_set.h"

namespace pteedit {

// Of size trees, and those of a bundle around a program.
inline constexpr std::array<std::string_view, 15> kDiffComponents = {
    "Bundled Data", "Program Flatbuffer", "Constant Tensors", "Mutable Tensors", "Delegate Blobs",
    "Named Data",   "Data Flatbuffer",    kProgramGraph,      "Tensors",         "Tensor Header",
    "Aliases",      "Other Members",      "Archive",          "Padding",         "Unattributed"};

// How the elements of a weight are to be read.
struct WeightType {
  std::string name;   // one spelling for all backends, of what we do not know the backend's own
  std::string sizes;  // "[16,4]"
  std::optional<int8_t> scalar_type;

  std::string Text() const { return name + sizes; }
  bool operator<(const WeightType& other) const {
    return std::tie(name, sizes, scalar_type) < std::tie(other.name, other.sizes, other.scalar_type);
  }
};

// A leaf that bytes are attributed to: a row of the size tree, or a component that has no rows. There may be as many as
// tables in the file: texts are views of what the side or the file has, and numbers no larger than they need to be (of
// 2^32 rows nobody has the memory).
struct DiffRow {
  static constexpr uint32_t kNone = ~uint32_t{0};

  std::string_view name;
  const WeightType* type = nullptr;  // null where it is not known
  Extent place;                      // of the bytes, where they are one piece
  uint64_t bytes = 0;
  uint32_t file = kNone;        // the side's, that has the bytes in one piece
  uint32_t content = 0;         // equal for equal bytes, where there is a place
  uint32_t module_length = 0;   // of what the name begins with
  uint32_t number = 0;          // of a delegate its own, of others that of the first key
  uint32_t key_count = 0;       // where the bytes are named data or in a data file
  uint8_t component = 0;        // of kDiffComponents
  bool has_given_name = false;  // that people or exporters gave, no number and no hash

  std::string_view what() const { return kDiffComponents[component]; }
  std::string_view module() const { return name.substr(0, module_length); }
  std::string_view given_name() const { return has_given_name ? name : std::string_view(); }
  bool has_place() const { return file != kNone; }
  bool has_bytes() const { return has_place() && place.size != 0; }
  bool is_delegate() const { return what() == "Delegate Blobs"; }
  bool is_weight() const {
    return what() == "Constant Tensors" || what() == "Mutable Tensors" || what() == "Named Data" || what() == "Tensors";
  }
};

// What tells a delegate from others.
struct DiffDelegate {
  std::string_view name, method, backend;
  bool decoded = false;
  std::vector<std::string_view> operators;
  std::vector<std::string_view> keys;  // that it asks for
  struct Constant {
    std::string_view key;
    std::string_view type;  // element type and sizes as the backend tells them, as one text
  };
  std::vector<Constant> constants;
};

// What a file says beside its weights and calls: each member one kind of MeaningChange, by name.
struct DiffWords {
  using Words = std::map<std::string, std::string>;
  Words versions, release, needs, data_files, external_keys, bound_to, backends, specs, targets, values, inputs,
      outputs;
};

struct DiffSide {
  DiffWords words;
  std::vector<MethodDescription> methods;  // of the file
  std::vector<OperatorDescription> operators;
  std::vector<DiffDelegate> delegates;
  std::vector<DiffRow> rows;

  // What those point into.
  std::vector<const Container*> files;
  std::set<std::string, std::less<>>
      terms;  // methods, backends, operators and types of delegates, keys that no file has
  std::set<WeightType> types;
  std::vector<const NamedEntry*> keys;  // of all files, those of one place beside each other
  KeptTexts texts;                      // other names

  const DiffDelegate* DelegateOf(const DiffRow& row) const {
    return row.is_delegate() ? &delegates[row.number] : nullptr;
  }
  std::span<const NamedEntry* const> KeysOf(const DiffRow& row) const {
    return std::span(keys).subspan(row.key_count == 0 ? 0 : row.number, row.key_count);
  }
  ContentPlace ContentOf(const DiffRow& row) const { return {files[row.file]->source(), row.place}; }
};

// The set must outlive the side.
Result<DiffSide> CollectDiffSide(const ProgramSet& set, const std::vector<BlobDecoder>& decoders);

// Numbers the contents of both.
Status FindContents(DiffSide& before, DiffSide& after, unsigned threads);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_DIFF_DIFF_ROWS_H_
