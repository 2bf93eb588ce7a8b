#include "profiled.h"

#include "file_names.h"
#include "pteedit/profile/etrecord.h"
#include "pteedit/stored_reads.h"
#include "text/inputs.h"

namespace pteedit::inspect {
namespace {

// Reads the dump and the files beside it, one after the other. The first error is that of the whole.
class ProfileReader {
 public:
  explicit ProfileReader(const Request& request) : request_(request) {}

  Result<Profiled> Read() && {
    for (const auto step :
         {&ProfileReader::AddBlocks, &ProfileReader::AddProgram, &ProfileReader::AddRecord, &ProfileReader::AddValues,
          &ProfileReader::AddBaseline, &ProfileReader::AddGap, &ProfileReader::AddCosts}) {
      if (const Status status = (this->*step)(); !status) return status.error();
    }
    return std::move(result_);
  }

 private:
  Status AddBlocks() {
    result_.scales = {*TimeScaleCalled(request_.source_scale), *TimeScaleCalled(request_.target_scale)};
    const Result<std::shared_ptr<const Source>> dump = OpenSource(request_.dump);
    if (!dump) return dump.error();
    result_.bytes = (*dump)->size();
    Result<std::vector<EventBlock>> blocks = ReadEventBlocks(*dump, result_.scales);
    if (!blocks) return Error(blocks.error()).In(request_.dump);
    result_.blocks = *std::move(blocks);
    return {};
  }

  Status AddProgram() {
    if (request_.program.empty()) return {};
    Result<Container> program = OpenFile(request_.program);
    if (!program) return program.error();
    result_.program = *std::move(program);
    if (const Status status = MatchProgram(result_.blocks, *result_.program); !status) return status;
    for (const std::string& file : request_.data) {
      Result<Container> data = OpenFile(file);
      if (!data) return data.error();
      if (data->kind() != FileKind::kData) return InvalidArgument("is no data file").In(file);
      result_.data.push_back(*std::move(data));
    }
    if (request_.record.empty()) return {};
    const Result<std::shared_ptr<const Source>> record = OpenSource(request_.record);
    if (!record) return record.error();
    return CheckRecordOf(*result_.program, *record);
  }

  Status AddRecord() {
    if (request_.record.empty()) return {};
    const Result<std::shared_ptr<const Source>> record = OpenSource(request_.record);
    if (!record) return record.error();
    if (const Status status = JoinRecord(result_.blocks, *record); !status)
      return Error(status.error()).In(request_.record);
    Result<ReferenceOutputs> references = ReadReferenceOutputs(result_.blocks, *record);
    if (!references) return Error(references.error()).In(request_.record);
    result_.references = *std::move(references);
    result_.record = *record;
    return {};
  }

  Status AddValues() {
    if (request_.debug_buffer.empty()) return {};
    const Result<std::shared_ptr<const Source>> buffer = OpenSource(request_.debug_buffer);
    if (!buffer) return buffer.error();
    Result<std::vector<BlockValues>> values = ReadDebugValues(result_.blocks, *buffer);
    if (!values) return Error(values.error()).In(request_.dump);
    result_.values = *std::move(values);
    return {};
  }

  Status AddBaseline() {
    if (request_.baseline.empty()) return {};
    Baseline baseline;
    baseline.file = request_.baseline;
    baseline.scale = result_.scales.target;
    if (!request_.max_slowdown.empty()) {
      const Result<double> most = ParseSlowdown(request_.max_slowdown);
      if (!most) return most.error();
      baseline.max_slowdown = *most;
    }
    const Request old = TimesOnly(request_.baseline);
    const Result<Profiled> before = ProfileReader(old).Read();
    if (!before) return before.error();
    baseline.blocks = CompareProfiles(before->blocks, result_.blocks);
    if (const Status status = CheckComparable(baseline.blocks); !status)
      return Error(status.error()).In(request_.baseline);
    result_.baseline = std::move(baseline);
    return {};
  }

  Status AddCosts() {
    if (!request_.has_costs()) return {};
    std::optional<StoredReads> reads;
    if (result_.program) {
      Result<StoredReads> found = FindStoredReads({*result_.program, result_.data});
      if (!found) return found.error();
      reads = *std::move(found);
    }
    result_.costs = CostsOf(result_.blocks, reads ? &*reads : nullptr);
    return {};
  }

  // OTHER is the reference.
  Status AddGap() {
    if (request_.gap.empty()) return {};
    const Result<std::vector<std::string>> names = cli::SplitFileNames(request_.gap);
    if (!names) return names.error();
    if (names->size() < 2 || names->size() > 3)
      return InvalidArgument("--gap takes OTHER,BUFFER or OTHER,BUFFER,RECORD");
    Request other = TimesOnly((*names)[0]);
    other.debug_buffer = (*names)[1];
    if (names->size() == 3) other.record = names->back();
    const Result<Profiled> reference = ProfileReader(other).Read();
    if (!reference) return reference.error();
    Result<NumericGap> gap = CompareRuns({reference->blocks, *reference->values, reference->record},
                                         {result_.blocks, *result_.values, result_.record});
    if (!gap) return Error(gap.error()).In(other.dump);
    result_.gap = *std::move(gap);
    return {};
  }

  // To read another dump, in the same scales.
  Request TimesOnly(const std::string& dump) const {
    Request times;
    times.dump = dump;
    times.source_scale = request_.source_scale;
    times.target_scale = request_.target_scale;
    return times;
  }

  const Request& request_;
  Profiled result_;
};

}  // namespace

Result<Profiled> ReadProfile(const Request& request) { return ProfileReader(request).Read(); }

}  // namespace pteedit::inspect
