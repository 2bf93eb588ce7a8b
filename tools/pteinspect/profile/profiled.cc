#include "profile/profiled.h"

#include "file_names.h"
#include "inspection.h"
#include "pteedit/stored_reads.h"

namespace pteedit::inspect {
namespace {

// Reads the dump and the files beside it, one after the other. The first error is that of the whole.
class ProfileReader {
 public:
  ProfileReader(const ProfileOptions& options, const JoinedFiles& joined) : options_(options), joined_(joined) {}

  Result<Profiled> Read() && {
    for (const auto step : {&ProfileReader::AddBlocks, &ProfileReader::AddProgram, &ProfileReader::AddRecord,
                            &ProfileReader::AddValues, &ProfileReader::AddBaseline, &ProfileReader::AddGap}) {
      if (const Status status = (this->*step)(); !status) return status.error();
    }
    if (options_.has_costs()) result_.costs = CostsOf(result_.blocks, reads_ ? &*reads_ : nullptr);
    return std::move(result_);
  }

 private:
  Status AddBlocks() {
    result_.scales = {*TimeScaleCalled(options_.source_scale), *TimeScaleCalled(options_.target_scale)};
    const Result<std::shared_ptr<const Source>> dump = OpenSource(options_.etdump);
    if (!dump) return dump.error();
    result_.bytes = (*dump)->size();
    Result<std::vector<EventBlock>> blocks = ReadEventBlocks(*dump, result_.scales);
    if (!blocks) return Error(blocks.error()).In(options_.etdump);
    result_.blocks = *std::move(blocks);
    return {};
  }

  Status AddProgram() {
    if (joined_.program.empty()) return {};
    const Result<Container> program = OpenFile(joined_.program);
    if (!program) return program.error();
    if (const Status status = JoinProgram(result_.blocks, *program); !status) return status;
    if (!joined_.record.empty()) {
      const Result<std::shared_ptr<const Source>> record = OpenSource(joined_.record);
      if (!record) return record.error();
      if (const Status status = CheckRecordOf(*program, *record); !status) return status;
    }
    return options_.has_costs() ? AddReads(*program) : Status();
  }

  Status AddReads(const Container& program) {
    std::vector<Container> data;
    for (const std::string& file : joined_.data) {
      Result<Container> one = OpenFile(file);
      if (!one) return one.error();
      data.push_back(*std::move(one));
    }
    Result<StoredReads> reads = FindStoredReads(program, data);
    if (!reads) return reads.error();
    reads_ = *std::move(reads);
    return {};
  }

  Status AddRecord() {
    if (joined_.record.empty()) return {};
    const Result<std::shared_ptr<const Source>> record = OpenSource(joined_.record);
    if (!record) return record.error();
    if (const Status status = JoinRecord(result_.blocks, *record); !status)
      return Error(status.error()).In(joined_.record);
    Result<ReferenceOutputs> references = ReadReferenceOutputs(result_.blocks, *record);
    if (!references) return Error(references.error()).In(joined_.record);
    result_.references = *std::move(references);
    result_.record = *record;
    return {};
  }

  Status AddValues() {
    if (options_.debug_buffer.empty()) return {};
    const Result<std::shared_ptr<const Source>> buffer = OpenSource(options_.debug_buffer);
    if (!buffer) return buffer.error();
    Result<std::vector<BlockValues>> values = ReadDebugValues(result_.blocks, *buffer);
    if (!values) return Error(values.error()).In(options_.etdump);
    result_.values = *std::move(values);
    return {};
  }

  Status AddBaseline() {
    if (options_.baseline.empty()) return {};
    Baseline baseline;
    baseline.file = options_.baseline;
    baseline.scale = result_.scales.target;
    if (!options_.max_slowdown.empty()) {
      const Result<double> most = ParseSlowdown(options_.max_slowdown);
      if (!most) return most.error();
      baseline.max_slowdown = *most;
    }
    ProfileOptions old = TimesOnly(options_.baseline);
    const Result<Profiled> before = ProfileReader(old, {}).Read();
    if (!before) return before.error();
    baseline.blocks = CompareProfiles(before->blocks, result_.blocks);
    if (const Status status = CheckComparable(baseline.blocks); !status)
      return Error(status.error()).In(options_.baseline);
    result_.baseline = std::move(baseline);
    return {};
  }

  // OTHER is the reference.
  Status AddGap() {
    if (options_.gap.empty()) return {};
    const Result<std::vector<std::string>> names = cli::SplitFileNames(options_.gap);
    if (!names) return names.error();
    if (names->size() < 2 || names->size() > 3)
      return InvalidArgument("--gap takes OTHER,BUFFER or OTHER,BUFFER,RECORD");
    ProfileOptions other = TimesOnly((*names)[0]);
    other.debug_buffer = (*names)[1];
    JoinedFiles beside;
    if (names->size() == 3) beside.record = names->back();
    const Result<Profiled> reference = ProfileReader(other, beside).Read();
    if (!reference) return reference.error();
    Result<NumericGap> gap = CompareRuns({reference->blocks, *reference->values, reference->record},
                                         {result_.blocks, *result_.values, result_.record});
    if (!gap) return Error(gap.error()).In(other.etdump);
    result_.gap = *std::move(gap);
    return {};
  }

  // To read another dump, in the same scales.
  ProfileOptions TimesOnly(const std::string& dump) const {
    ProfileOptions options;
    options.etdump = dump;
    options.source_scale = options_.source_scale;
    options.target_scale = options_.target_scale;
    return options;
  }

  const ProfileOptions& options_;
  const JoinedFiles& joined_;
  std::optional<StoredReads> reads_;  // of the program
  Profiled result_;
};

}  // namespace

Result<Profiled> ReadProfile(const ProfileOptions& options, const JoinedFiles& joined) {
  return ProfileReader(options, joined).Read();
}

}  // namespace pteedit::inspect
