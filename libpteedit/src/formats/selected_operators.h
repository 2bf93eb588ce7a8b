// The listing of a selective build, selected_operators.yaml: which kernels are in it, and for which types.
#ifndef PTEEDIT_SRC_FORMATS_SELECTED_OPERATORS_H_
#define PTEEDIT_SRC_FORMATS_SELECTED_OPERATORS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "pteedit/result.h"

namespace pteedit {

struct SelectedOperators {
  struct Kernel {
    bool has_all_overloads = false;
    std::optional<std::set<int8_t>> scalar_types;  // of all its kernel keys; nothing where it takes all types
  };
  bool has_all = false;
  std::map<std::string, Kernel, std::less<>> kernels;
};

// Of YAML only what such a listing is written in: mappings and lists, an entry a line. Fails with kMalformed, and the
// line in the message, where it is written otherwise or is the listing of something else.
Result<SelectedOperators> ReadSelectedOperators(std::string_view yaml);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_FORMATS_SELECTED_OPERATORS_H_
