#include "pteedit/profile/profile.h"

#include "profile/record_joins.h"
#include "profile/stack_trace_join.h"
#include "pteedit/debug_file.h"
#include "pteedit/stored_reads.h"
#include "pteedit/try.h"
#include "record/method_record.h"

namespace pteedit {
namespace {

Status Blaming(Status status, const std::shared_ptr<const Source>& file) {
  return status ? Status() : Status(std::move(status).error().In(file->name()));
}

template <class T>
Result<T> Blaming(Result<T> result, const std::shared_ptr<const Source>& file) {
  if (result) return result;
  return std::move(result).error().In(file->name());
}

// Methods that the program may have lost since it ran, for MatchProgram: those of its record that it lacks. Without a
// record any, but only where one of its own is chosen.
std::optional<std::vector<std::string>> OtherMethods(const Container& program, const std::optional<Etrecord>& record,
                                                     bool is_chosen) {
  std::vector<std::string> others;
  if (record) others = MethodsBeyond(program, *record);
  if (others.empty() && (record || !is_chosen)) return std::nullopt;
  return others;
}

}  // namespace

Result<Profile> Profile::Read(ProfileFiles files, const EventScales& scales, const RunSelection& selection) {
  Profile profile(std::move(files), scales);
  PTEEDIT_TRY(profile.ReadBlocks());
  PTEEDIT_TRY(profile.JoinFiles(selection.method));
  PTEEDIT_TRY(Blaming(SelectRuns(profile.blocks_, {selection.first, selection.last}), profile.files_.dump));
  PTEEDIT_TRY(profile.ReadValues());
  return profile;
}

Status Profile::ReadBlocks() {
  PTEEDIT_ASSIGN(blocks_, Blaming(ReadEventBlocks(files_.dump, scales_), files_.dump));
  return {};
}

// Which method ran is known with the program, else with the record. What may have been several is joined once one is
// chosen.
Status Profile::JoinFiles(const std::string& method) {
  const auto choose = [&] { return Blaming(SelectRuns(blocks_, {1, {}, method}), files_.dump); };
  std::optional<Etrecord> record;
  if (files_.record != nullptr) {
    PTEEDIT_ASSIGN(record, Blaming(Etrecord::Open(files_.record), files_.record));
  }
  if (files_.set) {
    PTEEDIT_TRY(CheckIsProgram(files_.set->file()));
    PTEEDIT_TRY(CheckAreData(files_.set->data()));
    const std::optional<std::vector<std::string>> others = OtherMethods(files_.set->file(), record, !method.empty());
    PTEEDIT_TRY(MatchProgram(blocks_, files_.set->file(), others));
    if (!method.empty()) {
      PTEEDIT_TRY(choose());
      PTEEDIT_TRY(MatchProgram(blocks_, files_.set->file(), others));
    }
    if (files_.debug_file) PTEEDIT_TRY(CheckDebugFile(*files_.debug_file, files_.set->file()));
    PTEEDIT_TRY(JoinStackTraces(blocks_, files_.debug_file ? *files_.debug_file : files_.set->file()));
  }
  if (!record) return method.empty() || files_.set ? Status() : choose();
  if (files_.set) PTEEDIT_TRY(Blaming(CheckOpenRecord(files_.set->file(), *record), files_.record));
  PTEEDIT_TRY(Blaming(JoinRecord(blocks_, *record, files_.graph), files_.record));
  if (!method.empty() && !files_.set) {
    PTEEDIT_TRY(choose());
    PTEEDIT_TRY(Blaming(JoinRecord(blocks_, *record, files_.graph), files_.record));
  }
  PTEEDIT_ASSIGN(ExpectedOutputs expected, Blaming(ReadReferenceOutputs(blocks_, *record), files_.record));
  references_ = std::move(expected.blocks);
  unread_references_ = std::move(expected.why_unread);
  return {};
}

Status Profile::ReadValues() {
  if (files_.debug_buffer == nullptr) return {};
  PTEEDIT_ASSIGN(values_, Blaming(ReadDebugValues(blocks_, files_.debug_buffer), files_.debug_buffer));
  return {};
}

Result<std::vector<BlockCosts>> Profile::Costs() const {
  if (!files_.set) return CostsOf(blocks_);
  PTEEDIT_ASSIGN(const StoredReads reads, FindStoredReads(*files_.set));
  PTEEDIT_ASSIGN(const std::vector<InstructionWork> work, MeasureWork(*files_.set));
  return CostsOf(blocks_, &reads, work);
}

std::vector<BlockChange> Profile::ChangesSince(const Profile& before) const {
  return CompareProfiles(before.blocks_, blocks_);
}

Result<NumericGap> Profile::GapTo(const Profile& reference) const {
  if (!values_ || !reference.values_) return InvalidArgument("has no values: they are in a debug buffer");
  return CompareRuns({reference.blocks_, *reference.values_, reference.files_.record},
                     {blocks_, *values_, files_.record});
}

}  // namespace pteedit
