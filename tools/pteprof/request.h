// What the user asked of pteprof.
#ifndef PTEEDIT_TOOLS_PTEPROF_REQUEST_H_
#define PTEEDIT_TOOLS_PTEPROF_REQUEST_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "roofline.h"
#include "text/style.h"

namespace pteedit::cli {

// Texts are empty where nothing is asked for or given.
struct Request {
  // What is read: a dump, and what it is joined with.
  std::string dump, program, record, debug_buffer, debug_file;
  std::vector<std::string> more_dumps;  // beside the first
  std::vector<std::string> data;        // of the program
  std::vector<std::string> names;       // files that know what their contents are called
  std::string source_scale = "ns", target_scale = "ms";

  // Views.
  std::vector<std::string> modules, module_paths;
  bool by_type = false, by_operator = false, by_module = false, folded = false, node_data = false;
  std::optional<uint64_t> top;  // rows of these
  std::string roofline;         // GMAC/s,GB/s
  std::optional<Peak> peak;     // that it says
  std::string runs, method;     // that count: "2-5"; all where these are empty
  std::optional<uint64_t> skip;
  std::string baseline, max_slowdown;  // an earlier dump, and how much slower this one may be
  std::string gap;                     // OTHER.etdp,BUFFER[,RECORD]
  std::string graph;                   // of the record, to be listed
  bool table = false;                  // also on a terminal
  bool dataframe = false, tsv = false, no_units = false, delegate_data = false;

  // Outputs.
  std::string html, trace;
  bool force = false, json = false;
  Style style;

  bool has_totals() const { return !modules.empty() || !module_paths.empty(); }
  bool has_costs() const { return by_type || by_operator || by_module || folded || node_data; }
  // How many views are asked for; without any the table is shown.
  int views() const {
    return dataframe + by_type + by_operator + by_module + folded + node_data + has_totals() + !baseline.empty() +
           !gap.empty();
  }
  // What the Inspector prints, as a script expects it.
  bool shows_table() const {
    return table || dataframe || (views() == 0 && trace.empty() && html.empty() && graph.empty());
  }
};

// All files that are read for it.
std::vector<std::string> FilesOf(const Request& request);

}  // namespace pteedit::cli

#endif  // PTEEDIT_TOOLS_PTEPROF_REQUEST_H_
