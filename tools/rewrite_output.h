// How every writing tool tells what it did: the same report as text and as JSON, before and after, to the byte.
#ifndef PTEEDIT_TOOLS_REWRITE_OUTPUT_H_
#define PTEEDIT_TOOLS_REWRITE_OUTPUT_H_

#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "json.h"
#include "pteedit/merge.h"
#include "pteedit/rewrite_report.h"

namespace pteedit::cli {

// Of an output that stays with who wrote it, so that it counts nowhere.
inline constexpr char kDebugRole[] = "debug";

struct ReportedFile {
  std::string file;
  uint64_t bytes = 0;
  std::string role;    // of outputs: "program", "shared", "manifest"
  std::string sha256;  // of outputs, where it was asked for; empty in a dry run
  // Of programs, where the tool knows them: the data files that they need, in the order of loading.
  std::optional<std::vector<std::string>> data = std::nullopt;
};

// The release before, whose shared files keep their places.
struct ReportedPrevious {
  std::string folder;
  KeptPlaces kept;
};

struct RewriteOutput {
  std::string tool;
  bool dry_run = false;
  bool with_sha256 = false;
  std::vector<ReportedFile> inputs;  // what is read and replaced
  std::vector<ReportedFile> outputs;
  std::vector<ReportedFile> kept;  // data files that stay as they are and count before and after
  std::vector<std::string> bases;  // of those, by name: what devices have already, which serves what would be a copy
  std::string nothing;             // what to say where no item moved; empty: that the output is a copy of the input
  RewriteReport report;
  std::optional<ReportedPrevious> previous = std::nullopt;
  std::string release = {};  // of which these are the files; empty where they are of none

  uint64_t BytesBefore() const;
  uint64_t BytesAfter() const;
  int64_t SavedBytes() const;
};

// Which of the runtime's own loaders cannot take that many data files; null where all can.
const char* LoadersThatTakeFewer(uint64_t data_files);

// Files and sums, then what moved: the ten largest, or `all`.
std::string RewriteText(const RewriteOutput& output, bool all);
// The same as plain data, and printed: then no more than a row of the items is in memory once more.
Json RewriteJson(const RewriteOutput& output);
void PrintRewriteJson(const RewriteOutput& output, std::ostream& out);

}  // namespace pteedit::cli

#endif  // PTEEDIT_TOOLS_REWRITE_OUTPUT_H_
