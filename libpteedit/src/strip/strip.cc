// Strip: read the tables, edit them option by option, lay out, check, and prefer the very same bytes.
#include "pteedit/strip.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <utility>

#include "base/checked.h"
#include "base/text.h"
#include "edit/dedupe.h"
#include "edit/model.h"
#include "edit/plan.h"
#include "edit/report_notes.h"
#include "edit/segment_hosts.h"
#include "edit/stored_tensors.h"
#include "needs/releases.h"
#include "program/container_state.h"
#include "program/extended_header.h"
#include "program/file_set.h"
#include "program/found_names.h"
#include "pteedit/debug_file.h"
#include "pteedit/try.h"
#include "strip/overlap.h"
#include "strip/prune.h"
#include "verify/check_rewrite.h"

namespace pteedit {
namespace {

struct Stripped {
  PlannedFile file;
  bool changed = false;
  RewriteReport report;
};

// `places` as PlanAnew gives them, where it is no copy.
template <class Tables>
Result<PlannedFile> LayOut(const Model<Tables>& model, bool changed, uint64_t alignment,
                           std::vector<Extent>* places = nullptr) {
  if (!changed && model.origin) return PlanCopy(*model.origin);
  return PlanAnew(model, alignment, places);
}

bool IsAligned(const Container& file, uint64_t alignment) {
  return std::all_of(file.segments().begin(), file.segments().end(),
                     [&](const Extent& segment) { return segment.size == 0 || segment.offset % alignment == 0; });
}

bool HasToMove(const Container& file, const StripOptions& options) {
  return options.min_alignment > StripOptions().min_alignment && !IsAligned(file, options.min_alignment);
}

// What a planned file says of its layout: opening it would check all of its tables, which takes far longer.
Result<ExtendedHeader> HeaderOf(const PlannedFile& planned, const Container& file) {
  std::array<uint8_t, kHeadBytes> head{};
  const auto size = static_cast<size_t>(std::min<uint64_t>(head.size(), planned.size()));
  PTEEDIT_TRY(planned.AsSource(file.name())->Read(0, {head.data(), size}));
  const auto parse = file.kind() == FileKind::kData ? ParseDataHeader : ParseProgramHeader;
  ExtendedHeader without;
  without.tables_size = planned.size();
  return parse({head.data(), size}).value_or(without);
}

Result<uint64_t> TablesSize(const PlannedFile& planned, const Container& file) {
  PTEEDIT_ASSIGN(const ExtendedHeader header, HeaderOf(planned, file));
  return header.tables_offset + header.tables_size;
}

// The planned file from its first segment on. What lies before has the size of the tables, rounded up by chance.
Result<uint64_t> SegmentBytes(const PlannedFile& planned, const Container& file) {
  PTEEDIT_ASSIGN(const ExtendedHeader header, HeaderOf(planned, file));
  const uint64_t base = header.segment_base_offset;
  return planned.size() - (base == 0 ? header.tables_offset + header.tables_size : base);
}

// What leaving out gaps changes of a model.
struct GapParts {
  std::optional<tables::SubsegmentOffsets> constants;
  tables::Children<tables::SubsegmentOffsets> mutables;
  std::vector<std::pair<size_t, Segment>> segments;  // by index
};

void PutBack(GapParts parts, ProgramModel& model) {
  model.tables.constant_segment = std::move(parts.constants);
  model.tables.mutable_data_segments = std::move(parts.mutables);
  for (auto& [index, segment] : parts.segments) model.segments[index] = std::move(segment);
}

// Leaves out the bytes between the buffers of a part.
void DropGaps(ProgramModel& model, const BufferStore& store, const SegmentsInside& inside,
              tables::SubsegmentOffsets& part, GapParts& before) {
  if (part.offsets.size() == 0 || !IsSegmentOfItsOwn(model, part)) return;
  std::vector<BufferUse> uses = UsesOf(model.tables, store, part.offsets.size());
  for (BufferUse& use : uses) use.wanted = true;
  tables::SubsegmentOffsets tight = part;
  Segment segment = model.segments[part.segment_index];
  uses = WithAlignmentsInside(std::move(uses), inside.AlignmentsIn(part));
  TakeOutBuffers(tight, segment, uses);  // of which none goes, so that all keep their indices
  if (segment.bytes.size() >= model.segments[part.segment_index].bytes.size()) return;
  part = std::move(tight);
  before.segments.emplace_back(part.segment_index,
                               std::exchange(model.segments[part.segment_index], std::move(segment)));
}

// Returns what was there before.
GapParts LeaveOutGaps(ProgramModel& model) {
  GapParts before{model.tables.constant_segment, model.tables.mutable_data_segments, {}};
  const SegmentsInside inside(model.segments);
  if (model.tables.constant_segment)
    DropGaps(model, {Store::kSegment, 0}, inside, *model.tables.constant_segment, before);
  for (uint32_t i = 0; i < model.tables.mutable_data_segments.items.size(); ++i)
    DropGaps(model, {Store::kMutable, i}, inside, model.tables.mutable_data_segments.items[i], before);
  return before;
}

// Data files have none.
void PutBack(const GapParts&, DataModel&) {}
GapParts LeaveOutGaps(DataModel&) { return {}; }

// Takes a layout without gaps where it makes what lies behind the tables smaller; also where it is merely no larger and
// the file changes anyway, since a later strip might find it smaller. Returns whether it became smaller; where it is
// not taken, the plan is gone, and the model is as it was. There is one plan at a time, each as large as the tables.
// `places` are those of its segments.
template <class Tables>
Result<bool> Tighten(const Container& file, Model<Tables>& model, bool takes_equal, uint64_t alignment,
                     Stripped& stripped, std::vector<Extent>& places) {
  const uint64_t size = stripped.file.size();
  PTEEDIT_ASSIGN(const uint64_t before, SegmentBytes(stripped.file, file));
  stripped.file = {};
  GapParts with_gaps = LeaveOutGaps(model);
  PTEEDIT_ASSIGN(PlannedFile tight, LayOut(model, true, alignment, &places));
  PTEEDIT_ASSIGN(const uint64_t after, SegmentBytes(tight, file));
  const bool smaller = after < before && tight.size() < size;
  if (smaller || (takes_equal && tight.size() == size)) {
    stripped.file = std::move(tight);
  } else {
    PutBack(std::move(with_gaps), model);
  }
  return smaller;
}

// Segments that moved may show a smaller alignment at their new places, so it goes on until a strip of the output would
// find nothing.
template <class Tables>
Status DropPadding(const Container& file, Model<Tables> model, const StripOptions& options, Stripped& stripped) {
  const uint64_t before = stripped.file.size();
  std::vector<Extent> places;        // of the plan's segments
  std::vector<uint64_t> alignments;  // that it was made with, where not the model's
  const auto align = [&] {
    for (size_t i = 0; i < alignments.size(); ++i) std::swap(model.segments[i].alignment, alignments[i]);
  };
  for (bool as_shown = !stripped.changed;; as_shown = true) {
    PTEEDIT_ASSIGN(const bool smaller, Tighten(file, model, !as_shown, options.min_alignment, stripped, places));
    if (stripped.file.size() == 0) {
      align();
      PTEEDIT_ASSIGN(stripped.file, LayOut(model, stripped.changed, options.min_alignment, &places));
    }
    if (as_shown && !smaller) break;
    stripped.changed = true;
    PTEEDIT_ASSIGN(const uint64_t tables_size, TablesSize(stripped.file, file));
    alignments = ShownAlignments(places, tables_size);
    // A plan may have one more, so that constants are readable: it is aligned as the others are.
    alignments.resize(model.segments.size());
    for (size_t i = 0; i < alignments.size(); ++i) {
      if (model.segments[i].inside) alignments[i] = AlignmentOf(places[i].offset, alignments[i]);
    }
    align();
  }
  const uint64_t saved = before - stripped.file.size();
  if (saved != 0) stripped.report.items.push_back({"padding", {}, {}, saved, file.name(), {}});
  return {};
}

template <class Tables>
Status Plan(const Container& file, Model<Tables> model, const StripOptions& options, Stripped& stripped) {
  stripped.changed = model.changed || HasToMove(file, options);
  PTEEDIT_ASSIGN(stripped.file, LayOut(model, stripped.changed, options.min_alignment));
  return options.padding ? DropPadding(file, std::move(model), options, stripped) : Status();
}

template <class Tables>
Status Dedupe(const Container& file, Model<Tables>& model, const StripOptions& options, Stripped& stripped) {
  if (!options.dedupe) return {};
  PTEEDIT_ASSIGN(std::vector<Duplicate> copies, DedupeModel(model, options.threads));
  if (copies.empty()) return {};
  for (const Duplicate& copy : copies) {
    const std::string key = copy.what == std::string("named-data") ? copy.name : std::string();
    stripped.report.items.push_back({copy.what, ShownName(file, copy.name), key, copy.bytes, file.name(), {}});
  }
  const bool one = copies.size() == 1;
  stripped.report.notes.push_back(Text(copies.size(), one ? " content was a copy" : " contents were copies",
                                       " of another and ", one ? "is" : "are", " now stored once"));
  return {};
}

// Lets keys lie inside constants where that makes the file smaller.
Status Overlap(const Container& program, ProgramModel& model, const StripOptions& options, Stripped& stripped) {
  ProgramModel overlapped = model;
  PTEEDIT_ASSIGN(const std::vector<Duplicate> keys, PutKeysInside(overlapped, options.min_alignment, options.threads));
  if (keys.empty()) return {};
  const bool moves = model.changed || HasToMove(program, options);
  PTEEDIT_ASSIGN(const PlannedFile apart, LayOut(model, moves, options.min_alignment));
  PTEEDIT_ASSIGN(const PlannedFile inside, LayOut(overlapped, true, options.min_alignment));
  if (inside.size() >= apart.size()) return {};
  model = std::move(overlapped);
  for (const Duplicate& key : keys)
    stripped.report.items.push_back({key.what, ShownName(program, key.name), key.name, key.bytes, program.name(), {}});
  stripped.report.notes.push_back(
      Text(keys.size() == 1 ? "1 key lies" : Text(keys.size(), " keys lie"),
           " inside constants from now on; the runtime accepts segments inside others today and promises it nowhere"));
  return {};
}

void ShareTables(ProgramModel& model) { model.tables.shares_tables = true; }
void ShareTables(DataModel&) {}

// Has the tables written with what is equal in them once; anew where that alone makes them smaller.
template <class Tables>
Status Repack(const Container& file, Model<Tables>& model, const StripOptions& options, Stripped& stripped) {
  if (!options.repack) return {};
  const bool moves = model.changed || HasToMove(file, options);
  // One plan at a time: each is as large as the tables.
  const auto tables_size = [&](bool anew) -> Result<uint64_t> {
    PTEEDIT_ASSIGN(const PlannedFile planned, LayOut(model, anew, options.min_alignment));
    return TablesSize(planned, file);
  };
  PTEEDIT_ASSIGN(const uint64_t before, tables_size(moves));
  ShareTables(model);
  PTEEDIT_ASSIGN(const uint64_t after, tables_size(true));
  if (after >= before) return {};
  model.changed = true;
  stripped.report.items.push_back({"tables", {}, {}, before - after, file.name(), {}});
  return {};
}

Result<Stripped> StripOnce(const Container& program, const StripOptions& options) {
  Stripped stripped;
  PTEEDIT_ASSIGN(ProgramModel model, ReadProgramModel(program));
  if (options.debug) PruneStackTraces(model, stripped.report);
  if (options.unreferenced) PTEEDIT_TRY(Prune(model, options.min_alignment, stripped.report));
  PTEEDIT_TRY(Dedupe(program, model, options, stripped));
  if (options.dedupe && options.overlap) PTEEDIT_TRY(Overlap(program, model, options, stripped));
  PTEEDIT_TRY(Repack(program, model, options, stripped));
  PTEEDIT_TRY(Plan(program, std::move(model), options, stripped));
  return stripped;
}

void Append(Stripped again, Stripped& stripped) {
  stripped.file = std::move(again.file);
  std::move(again.report.items.begin(), again.report.items.end(), std::back_inserter(stripped.report.items));
  std::move(again.report.notes.begin(), again.report.notes.end(), std::back_inserter(stripped.report.notes));
  stripped.report.skipped = std::move(again.report.skipped);
}

// Segments with bytes in common keep each other's. Where the new places took them apart, more may go.
Result<Stripped> StripProgram(const Container& program, const StripOptions& options) {
  PTEEDIT_ASSIGN(Stripped stripped, StripOnce(program, options));
  for (bool goes_on = stripped.changed && SharesBytes(program); goes_on;) {
    PTEEDIT_ASSIGN(const Container planned, Container::Open(stripped.file.AsSource(program.name())));
    PTEEDIT_ASSIGN(Stripped again, StripOnce(planned, options));
    goes_on = !again.report.items.empty();
    if (goes_on) Append(std::move(again), stripped);
  }
  return stripped;
}

Result<Stripped> StripData(const Container& data, const StripOptions& options) {
  Stripped stripped;
  PTEEDIT_ASSIGN(DataModel model, ReadDataModel(data));
  if (!options.programs.empty()) PTEEDIT_TRY(PruneKeysFor(options.programs, model, stripped.report));
  if (options.unreferenced || !options.programs.empty()) Prune(model, stripped.report);
  PTEEDIT_TRY(Dedupe(data, model, options, stripped));
  PTEEDIT_TRY(Repack(data, model, options, stripped));
  PTEEDIT_TRY(Plan(data, std::move(model), options, stripped));
  return stripped;
}

// A layout of ours may need more than what was removed gives back. Then the file stays as it is.
void RefuseToGrow(const Container& file, const StripOptions& options, Stripped& stripped) {
  const uint64_t before = file.source()->size();
  if (!stripped.changed || stripped.file.size() <= before) return;
  if (options.min_alignment > StripOptions().min_alignment) {
    stripped.report.notes.push_back(Text("alignment to ", options.min_alignment, " makes the file larger by ",
                                         stripped.file.size() - before, " bytes"));
    return;
  }
  const SharedText reason = Text("the file would become larger, by ", stripped.file.size() - before, " bytes");
  for (MovedItem& item : stripped.report.items)
    stripped.report.skipped.push_back({item.what, item.name, item.bytes, reason});
  stripped.report.items.clear();
  stripped.report.notes.clear();
  stripped.file = PlanCopy(file);
  stripped.changed = false;
}

// Opens what was planned, as anybody would, and verifies it, unless it is a copy; says what it needs.
Status Finish(const Container& before, Stripped& stripped) {
  Container after = before;
  if (stripped.changed) {
    PTEEDIT_ASSIGN(after, Container::Open(stripped.file.AsSource(before.name())));
    PTEEDIT_TRY(CheckRewrite(before, after));
    NoteTrailingBytes(before, stripped.report);
  }
  if (after.kind() == FileKind::kData) {
    stripped.report.min_runtime = OldestOf(RuntimeNeedsOfData(after));
    return {};
  }
  PTEEDIT_TRY(ReportRuntime(after, stripped.report));
  const schema::Program& root = after.state().program_root();
  ForEachTensor(root, [&](size_t, size_t, const schema::Tensor& tensor) {
    if (StoreOf(root, tensor) == Store::kExternal) stripped.report.data_files = 1;
  });
  return {};
}

// The program of a bundle without the bundle.
Result<Stripped> Unwrap(const Container& bundle, const StripOptions& options) {
  const Container& program = *bundle.program();
  PTEEDIT_ASSIGN(Stripped stripped, StripProgram(program, options));
  RefuseToGrow(program, options, stripped);
  PTEEDIT_TRY(Finish(program, stripped));
  const uint64_t around = bundle.source()->size() - program.source()->size();
  stripped.report.items.insert(stripped.report.items.begin(), {"bundle", {}, {}, around, bundle.name(), {}});
  return stripped;
}

Result<Stripped> StripInside(const Container& bundle, const StripOptions& options) {
  PTEEDIT_ASSIGN(Stripped stripped, StripProgram(*bundle.program(), options));
  PTEEDIT_TRY(Finish(*bundle.program(), stripped));
  PTEEDIT_ASSIGN(stripped.file, PlanAround(bundle, stripped.file, stripped.changed));
  RefuseToGrow(bundle, options, stripped);
  return stripped;
}

Result<Stripped> StripPlain(const Container& file, const StripOptions& options) {
  PTEEDIT_ASSIGN(Stripped stripped,
                 file.kind() == FileKind::kData ? StripData(file, options) : StripProgram(file, options));
  RefuseToGrow(file, options, stripped);
  PTEEDIT_TRY(Finish(file, stripped));
  return stripped;
}

Status CheckPrograms(const Container& file, const std::vector<Container>& programs) {
  for (const Container& program : programs) PTEEDIT_TRY(CheckIsProgram(program));
  if (programs.empty() || file.kind() == FileKind::kData) return {};
  return InvalidArgument(Text("is no data file; only one of these can be stripped for programs such as ",
                              Quoted(programs.front().name())))
      .In(file.name());
}

}  // namespace

Result<StripResult> Strip(const Container& file, const StripOptions& options) {
  const bool is_bundle = file.kind() == FileKind::kBundle;
  if (options.unwrap && !is_bundle)
    return InvalidArgument("is no bundled program, so there is nothing to unwrap").In(file.name());
  PTEEDIT_TRY(CheckPrograms(file, options.programs));
  const auto strip = !is_bundle ? StripPlain : options.unwrap ? Unwrap : StripInside;
  PTEEDIT_ASSIGN(Stripped stripped, strip(file, options));
  const FileKind kind = options.unwrap ? FileKind::kProgram : file.kind();
  StripResult result{
      std::move(stripped.file), {}, kind, options.unwrap || stripped.changed, std::move(stripped.report)};
  if (options.keep_debug && options.debug && file.kind() != FileKind::kData) {
    PTEEDIT_ASSIGN(result.debug, PlanDebugFile(file));
  }
  return result;
}

}  // namespace pteedit
