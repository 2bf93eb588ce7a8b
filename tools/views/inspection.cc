#include "views/inspection.h"

#include <algorithm>
#include <memory>
#include <type_traits>

#include "freed_memory.h"
#include "input_files.h"
#include "pteedit/profile/compressed_sizes.h"
#include "pteedit/try.h"
#include "views/view.h"

namespace pteedit::cli {
namespace {

// The exporter's record of the program, where the user has it.
Result<std::shared_ptr<const Source>> RecordOf(const Inspection& inspection) {
  if (inspection.request.etrecord.empty()) return std::shared_ptr<const Source>();
  return OpenWhole(inspection.request.etrecord);
}

// How one is met, and let go of.
struct Need {
  unsigned bit;
  unsigned takes;  // what has to be found before
  Status (*find)(Inspection& inspection);
  void (*let_go)(Inspection& inspection);
};

// Not `= {}`, by which a vector keeps its memory.
template <auto Member>
void Clear(Inspection& inspection) {
  inspection.*Member = std::remove_reference_t<decltype(inspection.*Member)>();
}

// What Describe() tells of the file, a kind of rows by itself.
template <unsigned Kind, auto... Members>
constexpr Need Rows() {
  return {Kind, 0,
          [](Inspection& inspection) -> Status {
            Description found = Describe(inspection.container, Kind);
            ((inspection.description.*Members = std::move(found.*Members)), ...);
            return {};
          },
          [](Inspection& inspection) {
            Description none;
            ((inspection.description.*Members = std::move(none.*Members)), ...);
          }};
}

template <class T, class Place>
Status Put(Result<T> found, Place& place) {
  if (!found) return std::move(found).error();
  place = *std::move(found);
  return {};
}

Status Find(unsigned needs, Inspection& inspection);

DelegatesFunction DelegatesIn(Inspection& inspection) {
  return [&]() -> Result<const std::vector<DelegateDescription>*> {
    PTEEDIT_TRY(Find(kNeedsDelegates, inspection));
    return &inspection.delegates;
  };
}

// Those that others take come first.
constexpr Need kAllNeeds[] = {
    {kNeedsAdvice, 0,
     [](Inspection& all) { return Put(Advise(all.set, DelegatesIn(all), all.request.threads), all.advice); },
     Clear<&Inspection::advice>},  // the first, as it plans rewrites before it asks for delegates
    Rows<kNeedsMethods, &Description::methods, &Description::operators>(),
    Rows<kNeedsTensors, &Description::tensors>(),
    {kNeedsDelegates, 0, [](Inspection& all) { return Put(DescribeDelegates(all.set, all.decoders), all.delegates); },
     Clear<&Inspection::delegates>},
    {kNeedsRequirements, kNeedsDelegates,
     [](Inspection& all) -> Status {
       all.requirements = DescribeRequirements(all.set, all.delegates);
       return {};
     },
     Clear<&Inspection::requirements>},
    {kNeedsKeyUses, kNeedsDelegates,
     [](Inspection& all) { return AddKeyUses(all.container, all.delegates, all.key_uses); },
     Clear<&Inspection::key_uses>},
    Rows<kNeedsSegments, &Description::segments>(),
    Rows<kNeedsNamedData, &Description::named_data>(),
    {kNeedsHashes, 0,
     [](Inspection& all) {
       return Put(HashContents(all.container, *all.request.hash, all.request.threads), all.hashes);
     },
     Clear<&Inspection::hashes>},
    {kNeedsPlace, 0, [](Inspection& all) { return Put(LocateByte(all.container, *all.request.at), all.place); },
     Clear<&Inspection::place>},
    {kNeedsLeaks, 0, [](Inspection& all) { return Put(FindLeaks(all.container), all.leaks); },
     Clear<&Inspection::leaks>},
    {kNeedsStackTraces, 0, [](Inspection& all) { return Put(DescribeStackTraces(all.container), all.stack_traces); },
     Clear<&Inspection::stack_traces>},
    {kNeedsGroups, 0,
     [](Inspection& all) -> Status {
       if (all.uses_before != nullptr) return {};
       all.axes = all.request.axes;
       return Put(GroupSizes(all.set, all.axes, all.decoders), all.groups);
     },
     Clear<&Inspection::groups>},
    {kNeedsRetained, 0,
     [](Inspection& all) -> Status {
       if (all.uses_before != nullptr) return {};
       return Put(MeasureRetained(all.set, all.decoders), all.retained);
     },
     Clear<&Inspection::retained>},
    {kNeedsWork, 0, [](Inspection& all) { return Put(MeasureWork(all.set), all.work); }, Clear<&Inspection::work>},
    {kNeedsDelegation, kNeedsDelegates,
     [](Inspection& all) -> Status {
       PTEEDIT_ASSIGN(const std::shared_ptr<const Source> record, RecordOf(all));
       return Put(DescribeDelegation(all.container, all.delegates, record), all.delegation);
     },
     Clear<&Inspection::delegation>},
    {kNeedsGraph, kNeedsDelegates,
     [](Inspection& all) -> Status {
       PTEEDIT_ASSIGN(const std::shared_ptr<const Source> record, RecordOf(all));
       return Put(DescribeGraphs(all.container, all.delegates, record), all.graphs);
     },
     Clear<&Inspection::graphs>}};

// With what has to be there before they can be found.
unsigned WithTaken(unsigned needs, const Inspection& inspection) {
  for (const Need& need : kAllNeeds) {
    if ((needs & need.bit & ~inspection.found) != 0) needs |= need.takes;
  }
  return needs;
}

void KeepOnly(unsigned needs, Inspection& inspection) {
  needs = WithTaken(needs, inspection);
  for (const Need& need : kAllNeeds) {
    if ((inspection.found & need.bit & ~needs) != 0) need.let_go(inspection);
  }
  inspection.found &= needs;
}

// Lets go as soon as it can of what is there and not among `kept`.
Status Find(unsigned needs, unsigned kept, Inspection& inspection) {
  kept = needs | (kept & inspection.found);
  KeepOnly(kept, inspection);
  for (const Need& need : kAllNeeds) {
    if ((WithTaken(needs, inspection) & need.bit & ~inspection.found) == 0) continue;
    GiveBackSmallBlocks();
    PTEEDIT_TRY(need.find(inspection));
    inspection.found |= need.bit;
    KeepOnly(kept, inspection);
  }
  return {};
}

Status Find(unsigned needs, Inspection& inspection) { return Find(needs, inspection.found, inspection); }

// Of the views that are selected, from the one with this number on.
unsigned NeedsFrom(size_t first, const Inspection& inspection) {
  const ViewRequest& request = inspection.request;
  unsigned needs = kNeedsNothing;
  for (size_t i = first; i < request.selected.size(); ++i) {
    if (HasView(inspection.container.kind(), *request.selected[i])) needs |= request.selected[i]->needs;
  }
  return needs;
}

unsigned AllNeeds(const Inspection& inspection) {
  const ViewRequest& request = inspection.request;
  unsigned needs = NeedsFrom(0, inspection);
  // Where users decode blobs themselves, they are told what became of that.
  if (!inspection.decoders.empty() || request.blobs) needs |= kNeedsDelegates;
  if (request.work) needs |= kNeedsWork;
  if (request.whole_tree && !inspection.set.data().empty()) needs |= kNeedsKeyUses;  // for types in data files
  return needs;
}

}  // namespace

bool HasView(FileKind kind, const View& view) {
  constexpr unsigned kOfPackages = unsigned{kAllRows} | kNeedsHashes | kNeedsPlace | kNeedsLeaks;
  return kind != FileKind::kNative || (view.needs != kNeedsNothing && (view.needs & ~kOfPackages) == 0);
}

Result<Inspection> Inspect(const std::string& file, const ProgramSet& set, const std::vector<BlobDecoder>& decoders,
                           const KeyUses* key_uses, const ViewRequest& request) {
  const Container& container = set.file();
  Inspection inspection{file, set, container, request, decoders, key_uses};
  const unsigned needs = AllNeeds(inspection);
  // Traces may be over a limit, and advice asks for delegates itself.
  unsigned first = WithTaken(needs, inspection) & (kNeedsAdvice | kNeedsDelegates | kNeedsLeaks | kNeedsStackTraces);
  if ((first & kNeedsAdvice) != 0) first |= kNeedsDelegates;
  if (key_uses != nullptr) {
    inspection.key_uses = *key_uses;
    inspection.found |= kNeedsKeyUses;
  } else if (!set.data().empty()) {
    first |= needs & kNeedsKeyUses;
  }
  PTEEDIT_TRY(Find(first, inspection));
  return inspection;
}

Result<SizeNode> SizesOf(const Inspection& inspection) {
  const ViewRequest& request = inspection.request;
  if (!request.whole_tree && !request.sizes) return SizeNode();
  const bool look_inside = request.whole_tree || request.inside || request.zstd_level;  // for types of weights
  const SizePieces pieces = request.zstd_level ? SizePieces::kAll : SizePieces::kNone;
  PTEEDIT_ASSIGN(SizeNode sizes, MeasureSizes(inspection.set, {.look_inside = look_inside,
                                                               .decoders = inspection.decoders,
                                                               .key_uses = inspection.uses_before,
                                                               .pieces = pieces}));
  if (!request.zstd_level) return sizes;
  const bool only_top = !request.whole_tree && !request.inside;
  return AddCompressedSizes(*inspection.container.source(), std::move(sizes),
                            {*request.zstd_level, only_top, request.threads});
}

constexpr unsigned kKept = kNeedsAdvice | kNeedsLeaks | kNeedsStackTraces | kNeedsKeyUses;  // as Inspect() found them

void LetGoBeforeSizes(Inspection& inspection) { KeepOnly(AllNeeds(inspection) & kKept & inspection.found, inspection); }

Status FindBeforeSizes(Inspection& inspection) {
  constexpr unsigned kOfRecord = kNeedsDelegation | kNeedsGraph;
  const unsigned before =
      kNeedsGroups | kNeedsRetained | kNeedsPlace | (inspection.request.etrecord.empty() ? 0U : kOfRecord);
  return Find(AllNeeds(inspection) & before, AllNeeds(inspection) & kKept, inspection);
}

Status FindAll(Inspection& inspection) { return Find(AllNeeds(inspection), inspection); }

Status ForEachView(Inspection& inspection, const std::function<void(const View& view)>& show) {
  const std::vector<const View*>& views = inspection.request.selected;
  for (size_t i = 0; i < views.size(); ++i) {
    if (!HasView(inspection.container.kind(), *views[i])) continue;
    PTEEDIT_TRY(Find(views[i]->needs, NeedsFrom(i, inspection), inspection));
    show(*views[i]);
    KeepOnly(NeedsFrom(i + 1, inspection), inspection);
  }
  return {};
}

bool HasRows(const Inspection& inspection) {
  const Description& rows = inspection.description;
  return !(rows.tensors.empty() && rows.segments.empty() && rows.named_data.empty() && inspection.delegates.empty() &&
           inspection.graphs.empty() && inspection.hashes.empty());
}

uint64_t CommonAlignment(const Description& description) {
  uint64_t common = 0;
  for (const SegmentDescription& segment : description.segments) {
    if (segment.extent.size != 0) common = common == 0 ? segment.alignment : std::min(common, segment.alignment);
  }
  return common;
}

}  // namespace pteedit::cli
