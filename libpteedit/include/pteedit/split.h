// Moving weights out of a program into a data file that several programs can share, and back. Both operations only
// plan: they return the outputs as PlannedFiles with a report, and never write. What they return has been opened and
// checked like any foreign file: references, layouts, keys.
#ifndef PTEEDIT_SPLIT_H_
#define PTEEDIT_SPLIT_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "pteedit/binding.h"
#include "pteedit/container.h"
#include "pteedit/export.h"
#include "pteedit/match.h"
#include "pteedit/planned_file.h"
#include "pteedit/program_set.h"
#include "pteedit/result.h"
#include "pteedit/rewrite_report.h"

namespace pteedit {

// Which constants and keys move. Several entries of one list are alternatives; different members must all agree. An
// empty list asks nothing. A constant of which one use is selected moves for all its users.
struct SplitSelection {
  bool constants = true;
  bool named_data = true;  // of which only keys that a delegate mentions ever move
  bool mutables = false;   // initial values of mutable buffers
  std::function<bool(const std::string& name)>
      name_matches;  // of any of a constant's names, or the key; unset asks nothing
  uint64_t min_bytes = 0;
  std::vector<std::string> methods;
  std::vector<std::string> backends;  // of a delegate that mentions the key; no constant has one
  // Contents under 64 bytes occur everywhere and match only under the same name.
  MatchFiles match, not_match;
};

struct SplitOptions {
  SplitSelection selection;
  // The runtime loads a method in time quadratic in its external tensors, so beyond this many in one method the
  // smallest constants stay inside. Keys of delegates do not count.
  uint64_t max_external_tensors = 1000;
  uint64_t min_alignment = 16;     // of segments in both outputs; a power of two; larger ones are kept
  unsigned threads = 1;            // for hashing; the result is the same with any number
  std::string data_name = "data";  // how the report calls the new data file
  // What devices have already, see MergeOptions::bases: what moves is referred to there, and only what none of them has
  // goes into the new data file.
  std::vector<Container> bases;
  bool new_data = true;                     // false: what no base has stays inside
  std::optional<uint64_t> max_shard_bytes;  // the new data file is cut into such files; unset: it is one
  // Keys of constants without a name in the program are what ContentNames called them, where that is one content. A key
  // that is a name does not tell its content, so the program is bound.
  bool name_keys = false;
  // A base that has nothing to bind to stays as it is: the program is not bound to it and the report says so, but
  // Bind::kAlways fails.
  Bind bind = Bind::kWhereNames;
  // Plans from a few KiB of each content, for WriteOptions::settle, which tells the true plan while this one is
  // written: keys are wrong, and what differs elsewhere alone is held equal. What `match` and `bases` ask for is
  // compared whole.
  bool foretell = false;
};

struct SplitResult {
  PlannedFile program;            // the input as it was where nothing moved; a bundle where the input is one
  std::vector<PlannedFile> data;  // none where nothing moved or everything was in a data file already; several shards
  std::set<size_t> bases;         // those of SplitOptions::bases that the program is to be loaded with
  RewriteReport report;
  bool foretold = false;  // the true plan may be another; only where SplitOptions::foretell
};

// Of a .pte or .bpte with all data files that it has, which stay as they are. Keys of constants without a name are 40
// hex digits of the SHA-256 of their bytes, '.', and 8 of their layout; keys of delegates stay. Fails with kUnsupported
// where the file cannot be rewritten without loss or keys lack that the program needs, kMalformed where program
// and data contradict each other, kInvalidArgument where the file is no program, one of the others no data file, a key
// in two bases or in a base and a data file, a shard is too small or an option asks for what cannot be, kIo where
// contents cannot be read.
PTEEDIT_API Result<SplitResult> SplitProgram(const ProgramSet& set, const SplitOptions& options);

struct JoinOptions {
  uint64_t min_alignment = 16;
  std::string program_name = "program";  // how the report calls the output
  unsigned threads = 1;                  // for hashing; the result is the same with any number
  bool foretell = false;                 // take keys that promise contents at their word, see SplitOptions
};

struct JoinResult {
  PlannedFile program;
  RewriteReport report;
};

// Puts what the program refers to in its data files back into it: constants into the constant segment (inline, where
// the program has inline constants), initial values into mutable data, keys that delegates ask for into named data.
// What only other programs refer to stays where it is; where a delegate may ask for keys unseen, those without a layout
// that do not tell their content come along. Names that constants have in the data files are kept, unless they are
// content keys. Fails as SplitProgram does, and with kMalformed where a key that promises its content (a content key,
// or the SHA-256 that XNNPACK goes by) has other bytes.
PTEEDIT_API Result<JoinResult> JoinProgram(const ProgramSet& set, const JoinOptions& options);

}  // namespace pteedit

#endif  // PTEEDIT_SPLIT_H_
