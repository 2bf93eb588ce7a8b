// What the user asked to see.
#ifndef PTEEDIT_TOOLS_PTEINSPECT_REQUEST_H_
#define PTEEDIT_TOOLS_PTEINSPECT_REQUEST_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "diff_view.h"
#include "input_files.h"
#include "pteedit/target.h"
#include "text/style.h"
#include "views/inspection.h"

namespace pteedit::cli {

// A file with the data files that belong to it.
struct Input {
  std::string file;
  std::vector<std::string> data;
};

struct Request {
  bool summary = false;  // the default
  bool list = false;
  std::vector<std::string> components;  // to look into
  ViewRequest views;
  bool verify = false;
  bool has_findings = false;  // of a page that shows them; unlike with verify they do not make it fail

  // Across the files:
  bool duplicates = false;
  // The other file and its data files; empty where none is asked for.
  std::vector<std::string> same_as, diff;
  std::optional<GrowthLimit> max_growth;  // with diff: what makes it fail, instead of any difference
  DiffDetail diff_detail;

  std::vector<std::string> data;      // all files that belong to programs, see FindInputs
  std::vector<std::string> adapters;  // with verify: data files that go in as inputs
  std::vector<std::string> names;     // files that know what contents are called
  std::optional<Target> runtime;      // of verify: the release to say more of
  bool strict = false;                // warnings count like errors
  bool no_hashes = false;             // of contents that say their own hash, for which they are read
  bool json = false;
  bool sarif = false;  // of verify, and nothing else
  std::string html;    // the page to write; empty where none is asked for
  bool yaml = false;   // the requirements as an operator listing
  // The graphs for other viewers: Graphviz, Model Explorer, or a figure of each node for that, "macs".
  bool dot = false, model_explorer = false;
  std::string node_data;
  Style style;
  std::vector<Target> targets;        // runtimes that should have what FILE needs
  std::string check;                  // a list of hashes to compare with; empty where none is asked for
  std::optional<uint64_t> max_bytes;  // of each file with its data
  std::string extract, output;        // a component, and where its bytes go
  bool force = false;                 // replace what is written
  std::vector<std::string> metadata_files, decoder_commands;  // what the user knows about blobs
  std::string emit_metadata;                                  // where what is known about them goes

  // Whether what the views show becomes JSON instead of text.
  bool as_json() const { return json || !html.empty(); }
  bool has_graph_form() const { return dot || model_explorer || !node_data.empty(); }
  // What to look for in a file, with what follows from the other options.
  ViewRequest Wanted() const {
    ViewRequest wanted = views;
    wanted.sizes = sizes();
    wanted.inside = !components.empty();
    wanted.whole_tree = as_json() || style.format == Format::kCsv || !extract.empty();
    wanted.blobs = !emit_metadata.empty();
    wanted.names = !names.empty();
    wanted.work = has_graph_form();
    return wanted;
  }
  // How many of the files to read, with `files`, are standard input.
  size_t inputs(std::vector<std::string> files) const {
    for (const auto* more : {&data, &adapters, &names, &metadata_files, &same_as, &diff})
      files.insert(files.end(), more->begin(), more->end());
    return static_cast<size_t>(std::count(files.begin(), files.end(), kStandardInput));
  }
  bool sizes() const { return summary || list || !components.empty(); }
  int of_each_file() const { return sizes() + static_cast<int>(views.selected.size()); }
  int gates() const { return max_bytes.has_value() + !targets.empty() + !check.empty(); }
  int across_files() const { return !same_as.empty() + duplicates + !diff.empty(); }
  // How many sections the text has, at most one for each file and view.
  int count() const { return of_each_file() + across_files(); }
};

}  // namespace pteedit::cli

#endif  // PTEEDIT_TOOLS_PTEINSPECT_REQUEST_H_
