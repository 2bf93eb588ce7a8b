// One side of a diff: what bytes are attributed to, with what tells which row of the other side it is.
#ifndef PTEEDIT_SRC_INSPECT_DIFF_ROWS_H_
#define PTEEDIT_SRC_INSPECT_DIFF_ROWS_H_

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "inspect/element_changes.h"
#include "pteedit/delegates.h"
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
};

// A leaf that bytes are attributed to: a row of the size tree, or a component that has no rows.
struct DiffRow {
  std::string_view what;  // among DiffSide::components
  std::string name;
  std::string module;
  std::string given_name;  // that people or exporters gave; empty where it is a number or a hash
  std::optional<WeightType> type;
  std::vector<std::string> keys;   // of the bytes, where they are named data or in a data file
  std::optional<size_t> delegate;  // index among the descriptions
  uint64_t bytes = 0;
  std::optional<ContentPlace> place;
  size_t content = 0;  // equal for equal bytes, where there is a place
};

struct DiffSide {
  Description description;  // of the file
  std::vector<DelegateDescription> delegates;
  std::set<std::string, std::less<>> components;
  std::vector<DiffRow> rows;
  std::map<std::string, size_t> row_of_key;
};

Result<DiffSide> CollectDiffSide(const ProgramSet& set, const std::vector<BlobDecoder>& decoders);

// Numbers the contents of both.
Status FindContents(DiffSide& before, DiffSide& after, unsigned threads);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_INSPECT_DIFF_ROWS_H_
