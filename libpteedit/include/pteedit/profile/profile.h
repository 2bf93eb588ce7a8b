// What is known of one run of programs: a dump, joined with the program that ran, the exporter's record of it and the
// debug buffer, as far as they are given.
#ifndef PTEEDIT_PROFILE_PROFILE_H_
#define PTEEDIT_PROFILE_PROFILE_H_

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "pteedit/export.h"
#include "pteedit/profile/debug_values.h"
#include "pteedit/profile/event_blocks.h"
#include "pteedit/profile/numeric_gap.h"
#include "pteedit/profile/operator_costs.h"
#include "pteedit/profile/profile_changes.h"
#include "pteedit/program_set.h"
#include "pteedit/result.h"
#include "pteedit/source.h"

namespace pteedit {

struct ProfileFiles {
  std::shared_ptr<const Source> dump;
  std::optional<ProgramSet> set = {};                    // the program that ran
  std::shared_ptr<const Source> record = nullptr;        // of that program; null where there is none
  std::shared_ptr<const Source> debug_buffer = nullptr;  // what tensors were logged into; null where there is none
  // Of the record, whose operators events get, "edge_after_transform/forward"; empty for those in the edge dialect.
  std::string graph = "";
  // Has the stack traces that were stripped from the program; without it they are looked for in the program itself.
  std::optional<Container> debug_file = {};
};

// A value: of the files only the bytes of tensors are read later, and what Costs() needs of the program.
class PTEEDIT_API Profile {
 public:
  // Opens each file once. A dump names no methods; where a record has several, a block is joined where it can be a run
  // of one only. Fails as ReadEventBlocks, MatchProgram, CheckRecordOf, ReadDebugValues and SelectRuns do; with
  // kUnsupported where the record is of another program; and with kInvalidArgument as CheckDebugFile does, and where a
  // data file of the set is none, or the record has no such graph. Blames the file.
  static Result<Profile> Read(ProfileFiles files, const EventScales& scales = {}, const RunSelection& selection = {});

  const ProfileFiles& files() const { return files_; }
  const EventScales& scales() const { return scales_; }
  const std::vector<EventBlock>& blocks() const { return blocks_; }
  // By block. Nothing without a debug buffer.
  const std::optional<std::vector<BlockValues>>& values() const { return values_; }
  // By block. Nothing without a record.
  const std::optional<ReferenceOutputs>& references() const { return references_; }
  // Why the outputs that the record expects are not there, though it has some: values that are none of DebugValue.
  // Empty where nothing is missing.
  const std::string& unread_references() const { return unread_references_; }

  // Time and, with a program, stored bytes by type and operator. Fails where a file can no longer be read.
  Result<std::vector<BlockCosts>> Costs() const;
  // From an earlier profile to this one.
  std::vector<BlockChange> ChangesSince(const Profile& before) const;
  // Of two profiles with values. Fails as CompareRuns.
  Result<NumericGap> GapTo(const Profile& reference) const;

 private:
  Profile(ProfileFiles files, const EventScales& scales) : files_(std::move(files)), scales_(scales) {}
  Status ReadBlocks();
  Status JoinFiles(const std::string& method);
  Status ReadValues();

  ProfileFiles files_;
  EventScales scales_;
  std::vector<EventBlock> blocks_;
  std::optional<std::vector<BlockValues>> values_;
  std::optional<ReferenceOutputs> references_;
  std::string unread_references_;
};

}  // namespace pteedit

#endif  // PTEEDIT_PROFILE_PROFILE_H_
