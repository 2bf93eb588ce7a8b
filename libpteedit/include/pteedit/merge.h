// Letting variants of one model share what they have in common: equal weights of several programs go into one data
// file, and each program keeps what only it has. Like split, it only plans, and what it returns has been opened and
// checked like any foreign file.
#ifndef PTEEDIT_MERGE_H_
#define PTEEDIT_MERGE_H_

#include <cstdint>
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

// A .pte and all data files that it is loaded with. Sets that use the same file should hold the same Source, so that
// its bytes count once.
struct MergeSet {
  ProgramSet files;
  std::string program_name = "program";  // how the report calls what becomes of the program
  std::string data_name = "data";        // and its own data file
};

enum class VariantData {
  kProgram,   // what a set shares with no other is in its program, which so is whole but for the shared data
  kDataFile,  // large contents that it shares with no other are in a data file of its own
};

// What a merge before wrote, which devices have.
struct PreviousRelease {
  std::vector<Container> shared;  // the shared file, or all its shards in order
  std::vector<ProgramSet> variants;
};

struct MergeOptions {
  VariantData variant_data = VariantData::kProgram;
  // Contents of at least so many bytes leave the programs, whatever that costs or saves. Unset: those that it pays two
  // sets to share, and no more external tensors than `max_external_tensors`; what a set has alone leaves its program
  // only where the set's files do not grow by more than a quarter of what it shares.
  std::optional<uint64_t> min_bytes;
  uint64_t max_external_tensors = 1000;  // in one method, as for a split: the smallest contents stay inside
  uint64_t min_alignment = 16;           // of segments in all outputs; a power of two; larger ones are kept
  unsigned threads = 1;                  // the result is the same with any number
  std::string shared_name = "shared.ptd";
  // What devices have already: what a data file of these holds is referred to and never copied, and it stays as it is.
  // Of a program it is only told what it holds, since no other program can be given that.
  std::vector<Container> bases;
  Bind bind = Bind::kWhereNames;  // as for a split; whatever else bound a program binds it no more
  // What of its shared file some set still uses stays shared, and where it is, in its order; what is new comes behind.
  // What only variants of it have stays with them, and so does what is new where only one of them and its hotfixes have
  // it: not everybody who has the shared file should get that.
  std::optional<PreviousRelease> previous;
  std::optional<uint64_t> max_shard_bytes;  // the shared file is cut into such files; unset: it is one
  // The foundation. Unless this is empty, what is new in the shared file is what these hold and nothing else, also
  // where one set alone has it; contents under 64 bytes match none.
  MatchFiles match;
};

struct MergedProgram {
  PlannedFile program;              // the input as it was where nothing changed
  std::optional<PlannedFile> data;  // its own data file, if it needs one
  std::set<size_t> shared;          // those of MergeResult::shared that it is to be loaded with
  std::set<size_t> bases;           // those of MergeOptions::bases that it is to be loaded with
};

// How much of the previous release's shared file is where it was.
struct KeptPlaces {
  uint64_t entries = 0, kept_entries = 0, new_entries = 0;  // before, of those, and now beside those
  uint64_t kept_bytes = 0, new_bytes = 0;                   // of contents, each counted once
  uint64_t cost_bytes = 0;                                  // by which the files are larger than laid out anew
};

struct MergeResult {
  std::vector<MergedProgram> programs;  // in the order of the sets
  std::vector<PlannedFile> shared;  // none where the sets have nothing to share; several where one would be too large
  KeptPlaces kept;                  // with a previous release
  std::vector<Container> unused_data;  // of the sets: no program refers to their keys, so they stay as they are
  RewriteReport report;                // min_runtime and data_files are the most that any program needs
};

// Contents that two or more sets have are stored once, in the shared file: constants under their content key, data of
// delegates under the key by which the delegate asks for it, what is in a data file already under its key. A key that
// means different bytes or layouts in two sets is never in the shared file, and no key is both in a program and in a
// file that is loaded with it. Everything else stays with its set; equal contents inside one program are stored once.
// The bytes of the outputs depend neither on the order of the sets, or of the data files in one, nor on names, and
// merging them again gives the same. A further set takes nothing out of the shared file, unless it uses one of the keys
// otherwise; where it brings nothing new there, the files of the others stay as they are. A data file of which no
// program refers to a key is no part of them, such as an adapter that an application gives a program as inputs.
// A content of a base is neither shared nor kept by a set: its tensors read an entry of the base with their layout, its
// delegates the one under their key. A base that has one of a set's keys with another meaning serves nothing of it, nor
// does one of whose entries its program needs none.
// Merging the same sets again, with what came of it as the previous release, gives the same files.
// Fails with kUnsupported where a file cannot be rewritten without loss or the data files lack keys that the program
// needs, kMalformed where program and data contradict each other, kInvalidArgument where a set's program is a data
// file, one of its data files or the previous shared files none, a key in two bases or a shard too small for an entry.
PTEEDIT_API Result<MergeResult> MergePrograms(const std::vector<MergeSet>& sets, const MergeOptions& options);

}  // namespace pteedit

#endif  // PTEEDIT_MERGE_H_
