// What the user asked to see of each file, and what was found in it.
#ifndef PTEEDIT_TOOLS_PTEINSPECT_VIEWS_H_
#define PTEEDIT_TOOLS_PTEINSPECT_VIEWS_H_

#include <string>
#include <vector>

#include "pteedit/container.h"
#include "pteedit/describe.h"
#include "pteedit/result.h"
#include "pteedit/sizes.h"

namespace pteedit::inspect {

struct Views {
  bool list = false;
  std::vector<std::string> components;  // to look into
  bool headers = false;
  bool methods = false;
  bool tensors = false;
  bool segments = false;
  bool named_data = false;
  bool operators = false;
  bool verify = false;

  // Across the files:
  std::string same_as;  // the other file; empty where none is asked for
  bool duplicates = false;

  std::vector<std::string> data;  // files that belong to each program
  bool strict = false;            // warnings count like errors
  bool json = false;
  bool exact_bytes = false;  // instead of units

  bool sizes() const { return list || !components.empty(); }
  int descriptions() const { return headers + methods + tensors + segments + named_data + operators; }
  int of_each_file() const { return sizes() + descriptions(); }
  int across_files() const { return !same_as.empty() + duplicates; }
  // How many sections the text has, at most one for each file and view.
  int count() const { return of_each_file() + across_files(); }
};

struct Inspection {
  std::string file;  // as the user called it
  Container container;
  SizeNode sizes;
  Description description;  // empty where no view needs it
};

// Opens and measures a file. Fails as Container::Open does.
Result<Inspection> Inspect(const std::string& file, const Views& views);

// The alignment that all of a file's segments with bytes share; 0 where there are none.
uint64_t CommonAlignment(const Description& description);

}  // namespace pteedit::inspect

#endif  // PTEEDIT_TOOLS_PTEINSPECT_VIEWS_H_
