// Edits of a program or data file after export: methods, what constant methods return, named data, and the bytes of
// weights. The operation only plans: it returns the output as a PlannedFile with a report, and never writes.
#ifndef PTEEDIT_COPY_H_
#define PTEEDIT_COPY_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "pteedit/container.h"
#include "pteedit/export.h"
#include "pteedit/names.h"
#include "pteedit/planned_file.h"
#include "pteedit/result.h"
#include "pteedit/rewrite_report.h"
#include "pteedit/source.h"

namespace pteedit {

// A method that takes nothing, runs nothing and returns what is stored, as the exporter makes of `constant_methods`.
struct NewConstantMethod {
  using Item = std::variant<int64_t, double, bool, std::string>;
  std::string name;
  std::vector<Item> items;
  bool is_list = false;  // otherwise there is one item
};

struct NewData {
  std::string key;
  std::shared_ptr<const Source> bytes;
  bool replace = false;  // what is there under the key; otherwise that is an error
};

struct AddedMethods {
  Container program;
  std::string method;  // the only one that is added; empty: all
  std::string name;    // what it is called then; empty: as it is
};

// Bytes for what is stored under a name: that of a constant or initial state, as everything that shows it calls it, or
// a key. A .npy of its type and sizes, in C or Fortran order, or the bytes as they are stored.
struct NewContent {
  std::string name;
  std::shared_ptr<const Source> file;
};

// Numbers instead of weights: random ones where there is a seed, otherwise zeros.
struct Splat {
  std::optional<uint64_t> seed;
};

// The edits, in the order in which they are applied. Names of methods and keys are whole names.
struct CopyOptions {
  bool upgrade = false;                   // inline constants to a segment, a header of 24 bytes to one of 32
  std::vector<std::string> keep_methods;  // and constant methods: all others go. Empty: all stay
  std::vector<std::string> remove_methods;
  std::vector<std::pair<std::string, std::string>> rename_methods;  // from, to
  std::vector<AddedMethods> add_methods;       // with all that they use; contents that are equal then are stored once
  std::vector<NewConstantMethod> set_methods;  // new, or in the place of a constant method
  std::vector<std::string> remove_keys;
  std::function<bool(const std::string& key)> remove_data;       // of the other keys; unset: none
  std::vector<std::pair<std::string, std::string>> rename_keys;  // from, to; also of tensors
  std::vector<NewData> add_data;
  std::vector<ContentName> names;  // what contents are called in the next three, beside their names in the file
  std::vector<NewContent> replace;
  std::vector<std::shared_ptr<const Source>> refit;  // .safetensors: all contents that are in there, by name
  std::optional<Splat> splat;                        // all contents, scales of quantized weights excepted
  uint64_t min_alignment = 16;                       // of all segments; a power of two; larger ones are kept
  unsigned threads = 1;                              // for comparing contents; the result is the same with any number
  std::string output_name = "program";               // how the report calls the output
};

struct CopyResult {
  PlannedFile file;
  FileKind kind = FileKind::kProgram;
  bool changed = false;  // whether `file` is anything but the very bytes of the input
  // Items: what came (`from` is empty, or the file that it is from) and went (`to` is empty). Skipped: contents that a
  // checkpoint or Splat did not change, and why.
  RewriteReport report;
};

// `file` is a .pte, or a .ptd, which has no methods; the key that binds programs to a .ptd (binding.h) follows its new
// contents, so that they refuse it. What only removed methods used goes with them: all that nothing in
// the program refers to any more, as Strip removes it. Fails with kInvalidArgument where a name is not there or taken,
// no method would be left, a method that is to be set runs something, a key that is to go is read by a tensor or
// delegate, one that is to be called otherwise by a delegate, or other bytes do not fit or their key cannot follow;
// kMalformed where a .npy or .safetensors is none; kUnsupported where the file cannot be rewritten without loss or is a
// bundle, and where methods cannot be added because a name would stand for the bytes of the wrong program; kIo where
// contents cannot be read.
PTEEDIT_API Result<CopyResult> Copy(const Container& file, const CopyOptions& options);

}  // namespace pteedit

#endif  // PTEEDIT_COPY_H_
