// One side of a diff: what bytes are attributed to, with what tells which row of the other side it is.
#ifndef PTEEDIT_SRC_DIFF_DIFF_ROWS_H_
#define PTEEDIT_SRC_DIFF_DIFF_ROWS_H_

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "diff/element_changes.h"
#include "pteedit/describe.h"
#include "pteedit/program_set.h"

namespace pteedit {

inline constexpr std::string_view kDelegateBlobs = "Delegate Blobs";

bool IsWeightComponent(std::string_view component);

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
// tables in the file: texts are views of what the side or the file has.
struct DiffRow {
  std::string_view what;
  std::string_view name;
  bool has_given_name = false;  // that people or exporters gave, no number and no hash
  uint32_t module_length = 0;   // of what the name begins with
  std::optional<uint32_t> delegate;
  const WeightType* type = nullptr;        // null where it is not known
  std::span<const std::string_view> keys;  // of the bytes, where they are named data or in a data file
  uint64_t bytes = 0;
  const Container* file = nullptr;  // that has the bytes in one piece; else null
  Extent place;                     // there
  size_t content = 0;               // equal for equal bytes, where there is a place

  std::string_view module() const { return name.substr(0, module_length); }
  std::string_view given_name() const { return has_given_name ? name : std::string_view(); }
  ContentPlace Content() const { return {file->source(), place}; }
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
  std::set<std::string, std::less<>> terms;  // components, methods, backends, operators and types of delegates, keys
                                             // that no file has
  std::set<WeightType> types;
  std::vector<std::string_view> keys;  // of all files, those of one place beside each other
  std::deque<std::string> texts;       // other names that no file has as they are
};

// The set must outlive the side.
Result<DiffSide> CollectDiffSide(const ProgramSet& set, const std::vector<BlobDecoder>& decoders);

// Numbers the contents of both.
Status FindContents(DiffSide& before, DiffSide& after, unsigned threads);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_DIFF_DIFF_ROWS_H_
