// Bringing the bytes of data files into a program: the edit behind JoinProgram, for all keys or some.
#ifndef PTEEDIT_SRC_EDIT_JOINER_H_
#define PTEEDIT_SRC_EDIT_JOINER_H_

#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "edit/model.h"
#include "program/file_set.h"
#include "pteedit/container.h"
#include "pteedit/result.h"
#include "pteedit/rewrite_report.h"

namespace pteedit {

struct JoinScope {
  const std::set<std::string_view>* keys = nullptr;  // those that come inside; null: those that the program refers to
  std::set<std::string_view> delegate_keys;          // that delegates need, see FindKeysToJoin
  std::set<std::string_view> hashes;                 // those of them that may be the SHA-256 of their bytes
  uint64_t min_alignment = 16;
  std::string program_name;  // how the report calls the output
  unsigned threads = 1;      // for hashing
  bool foretell = false;     // nothing is hashed
};

// Edits `model` and adds to `report` what came inside. Fails with kMalformed where a key that comes inside promises
// other bytes than it has: a constant loses its key here, and with it nobody would ever find out. `set` is the
// program of `model.origin` with its data files, of which CheckInputs found nothing wrong. Tensors of `model` may
// already differ from those of `model.origin`, but not those that read one of the keys.
Status BringInside(ProgramModel& model, const ProgramSet& set, const JoinScope& scope, RewriteReport& report);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_EDIT_JOINER_H_
