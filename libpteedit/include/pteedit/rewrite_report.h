// What a rewrite did or, in a dry run, would do: exact sizes, every item that moved, every one that stayed and why.
#ifndef PTEEDIT_REWRITE_REPORT_H_
#define PTEEDIT_REWRITE_REPORT_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "pteedit/binding.h"
#include "pteedit/shared_text.h"

namespace pteedit {

struct MovedItem {
  std::string_view what;  // one of a few words, such as "constant", "mutable" and "named-data"
  SharedText name;        // of a constant; of named data its key
  SharedText key;         // what names the bytes in data files; empty where they went into the constant segment
  uint64_t bytes = 0;
  SharedText from, to;  // names of the files, as the caller gave them
};

struct SkippedItem {
  std::string_view what;  // as above
  std::string name;
  uint64_t bytes = 0;
  SharedText reason;
};

struct RewriteReport {
  std::vector<MovedItem> items;
  std::vector<SkippedItem> skipped;
  std::vector<BoundTo> bindings;
  std::vector<std::string> notes;  // what else changed or could surprise
  std::string min_runtime;         // oldest release, "0.7", that can load program and data files together
  uint64_t data_files = 0;         // how many the program then needs
};

}  // namespace pteedit

#endif  // PTEEDIT_REWRITE_REPORT_H_
