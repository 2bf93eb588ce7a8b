#include "pteedit/verify.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>

#include "base/text.h"
#include "program/container_state.h"
#include "program/extended_header.h"
#include "pteedit/packed_cache.h"
#include "pteedit/try.h"
#include "verify/findings.h"
#include "verify/verify_adapter.h"
#include "verify/verify_bundle.h"
#include "verify/verify_calls.h"
#include "verify/verify_memory.h"
#include "verify/verify_package.h"
#include "verify/verify_places.h"
#include "verify/verify_program.h"
#include "verify/verify_set.h"

namespace pteedit {
namespace {

// Before a file's end the exporter pads at most to the next multiple of this.
constexpr uint64_t kMaxEndPadding = 16;

bool HasOurName(std::string_view name) {
  return name.ends_with(".pte") || name.ends_with(".ptd") || name.ends_with(".bpte") || name.ends_with(".ptn") ||
         name.ends_with(".etdp") || name.ends_with(".etrecord");
}

// Opened, or why not.
struct Opened {
  std::optional<Container> file;
  FileFindings found;
};

Result<Opened> OpenToVerify(const std::shared_ptr<const Source>& source) {
  Opened opened{std::nullopt, {source->name(), {}}};
  Result<Container> file = Container::State::OpenWithProblems(source, {}, /*takes_packages=*/true);
  if (!file) {
    const Error& error = file.error();
    const bool is_none_of_ours = std::string_view(error.finding) == "identifier" && !HasOurName(source->name());
    if (error.code == ErrorCode::kIo || is_none_of_ours) return std::move(file).error();
    opened.found.findings.push_back(FindingOf(error));
    return opened;
  }
  for (const Error& problem : file->state().problems) opened.found.findings.push_back(FindingOf(problem));
  if (file->state().problems.empty()) opened.file = *std::move(file);
  return opened;
}

// Past the last byte that tables or segments take.
uint64_t UsedEnd(const Container& file) {
  uint64_t end = file.header().has_extended_header ? file.tables().size : file.state().walk.end_byte;
  for (const Extent& segment : file.segments()) {
    if (segment.size != 0) end = std::max(end, segment.offset + segment.size);
  }
  return end;
}

// What the file as such says and is not.
void VerifyShell(const Container& file, Findings& found) {
  for (const std::string& field : file.unknown_fields()) {
    found.AddWarning("unknown-field", "", Text(field, ", which this version does not know"));
  }
  const FileHeader& header = file.header();
  const uint64_t end = UsedEnd(file);
  const uint64_t promised = header.segment_base_offset + header.segment_data_size;
  const bool says_size = header.has_extended_header && header.segment_base_offset != 0 &&
                         (file.kind() == FileKind::kData || header.segment_data_size != 0 ||
                          header.extended_header_length > kShortProgramHeaderLength);
  if (says_size && promised < end) {
    const std::string what = Text("header promises segments up to byte ", promised, ", they end at byte ", end);
    if (file.kind() == FileKind::kData) {
      found.AddError("header-field", "", what);
    } else {
      found.AddWarning("header-field", "", what);
    }
  }
  const uint64_t size = file.source()->size();
  const uint64_t told = std::max(end, promised);
  if (size > told && size - told >= (header.has_extended_header ? 1 : kMaxEndPadding)) {
    found.AddWarning("trailing-bytes", "", Text(size - told, " bytes behind the last segment belong to nothing"));
  }
}

// One finding of a kind a place.
std::vector<Finding> WithoutRepeats(const std::vector<Finding>& list) {
  std::set<std::pair<std::string, std::string>> seen;
  std::vector<Finding> kept;
  for (const Finding& finding : list) {
    const std::string& place = finding.where.empty() ? finding.message : finding.where;
    if (seen.insert({finding.id, place}).second) kept.push_back(finding);
  }
  return kept;
}

class Verifier {
 public:
  Verifier(const ProgramSet& set, const VerifyOptions& options)
      : set_(set), file_(set.file()), data_(set.data()), options_(options) {}

  Result<std::vector<FileFindings>> Verify() {
    all_.push_back({file_.name(), {}});
    for (const Container& data : data_) all_.push_back({data.name(), {}});
    AddShell(file_, 0);
    const Container& program = set_.program();
    if (file_.kind() == FileKind::kBundle) {
      AddShell(*file_.program(), 0);
      Append(0, VerifyBundle(file_));
    }
    for (size_t i = 0; i < data_.size(); ++i) {
      AddShell(data_[i], 1 + i);
      PTEEDIT_TRY(AddData(data_[i], 1 + i, {/*hash_keys=*/false, options_.threads}));
    }
    if (program.kind() == FileKind::kData) {
      PTEEDIT_TRY(AddData(program, 0, options_));
    } else {
      Append(0, VerifyProgram(program));
      Append(0, VerifyCalls(program));
      Append(0, VerifyMemory(program));
      PTEEDIT_ASSIGN(const auto together, VerifySet(set_.Inside(), options_));
      for (size_t i = 0; i < together.size(); ++i) Append(i, together[i]);
    }
    for (FileFindings& found : all_) found.findings = WithoutRepeats(found.findings);
    return std::move(all_);
  }

 private:
  void Append(size_t index, const std::vector<Finding>& more) {
    std::vector<Finding>& list = all_[index].findings;
    list.insert(list.end(), more.begin(), more.end());
  }

  void AddShell(const Container& file, size_t index) {
    Findings found;
    VerifyShell(file, found);
    Append(index, std::move(found).Take());
    Append(index, VerifyPlaces(file));
  }

  Status AddData(const Container& data, size_t index, const VerifyOptions& options) {
    const bool loads_alone =
        std::all_of(data_.begin(), data_.end(), [](const Container& one) { return one.named_data().empty(); });
    PTEEDIT_ASSIGN(const std::vector<Finding> found, VerifyData(data, loads_alone, options));
    Append(index, found);
    return {};
  }

  const ProgramSet& set_;
  const Container& file_;
  const std::vector<Container>& data_;
  const VerifyOptions& options_;
  std::vector<FileFindings> all_;
};

Status CheckKinds(const ProgramSet& set) {
  PTEEDIT_TRY(CheckAreData(set.data()));
  return set.data().empty() ? Status() : CheckIsProgram(set.file());
}

}  // namespace

Result<std::vector<FileFindings>> VerifyOpened(const ProgramSet& set, const VerifyOptions& options) {
  PTEEDIT_TRY(CheckKinds(set));
  if (set.file().kind() == FileKind::kNative) {
    PTEEDIT_ASSIGN(std::vector<Finding> found, VerifyPackage(set.file(), options));
    return std::vector<FileFindings>{{set.name(), std::move(found)}};
  }
  return Verifier(set, options).Verify();
}

// Whether a runtime takes what is in it; what no program reads is no damage.
static Result<FileFindings> VerifyPackedCache(const Source& file) {
  FileFindings found{file.name(), {}};
  const Result<PackedCache> cache = ReadPackedCache(file);
  if (!cache && cache.error().code == ErrorCode::kIo) return cache.error();
  if (!cache) found.findings.push_back(FindingOf(cache.error()));
  return found;
}

Result<std::vector<FileFindings>> Verify(const std::shared_ptr<const Source>& file,
                                         const std::vector<std::shared_ptr<const Source>>& data,
                                         const VerifyOptions& options) {
  PTEEDIT_ASSIGN(const bool is_cache, IsPackedCache(*file));
  if (is_cache && data.empty()) {
    PTEEDIT_ASSIGN(FileFindings found, VerifyPackedCache(*file));
    return std::vector<FileFindings>{std::move(found)};
  }
  PTEEDIT_ASSIGN(Opened opened, OpenToVerify(file));
  std::vector<FileFindings> damaged{opened.found};
  std::vector<Container> data_files;
  for (const std::shared_ptr<const Source>& source : data) {
    PTEEDIT_ASSIGN(Opened one, OpenToVerify(source));
    damaged.push_back(one.found);
    if (one.file) data_files.push_back(*std::move(one.file));
  }
  if (!opened.file || data_files.size() < data.size()) return damaged;
  return VerifyOpened({*opened.file, std::move(data_files)}, options);
}

Result<FileFindings> VerifyAdapter(const std::shared_ptr<const Source>& program,
                                   const std::shared_ptr<const Source>& adapter, const VerifyOptions& options) {
  PTEEDIT_ASSIGN(const Opened opened, OpenToVerify(adapter));
  if (!opened.file) return opened.found;
  PTEEDIT_TRY(CheckAreData({*opened.file}));
  PTEEDIT_ASSIGN(std::vector<FileFindings> found, VerifyOpened(*opened.file, options));
  PTEEDIT_ASSIGN(const Opened whole, OpenToVerify(program));
  if (!whole.file) return std::move(found.front());
  PTEEDIT_TRY(CheckIsProgram(*whole.file));
  const std::vector<Finding> inputs = VerifyAdapterInputs(ProgramIn(*whole.file), *opened.file);
  found.front().findings.insert(found.front().findings.end(), inputs.begin(), inputs.end());
  return std::move(found.front());
}

bool HasErrors(const std::vector<FileFindings>& all) {
  return std::any_of(all.begin(), all.end(), [](const FileFindings& file) {
    return std::any_of(file.findings.begin(), file.findings.end(),
                       [](const Finding& finding) { return finding.severity == Severity::kError; });
  });
}

}  // namespace pteedit
