#include "pteedit/merge_packages.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <tuple>
#include <utility>

#include "base/text.h"
#include "delegates/native.h"
#include "delegates/native_join.h"
#include "formats/crc32.h"
#include "formats/json_text.h"
#include "formats/safetensors.h"
#include "formats/zip_plan.h"
#include "io/content_index.h"
#include "io/streaming.h"
#include "program/container_state.h"
#include "pteedit/program_set.h"
#include "pteedit/try.h"
#include "pteedit/verify.h"

namespace pteedit {
namespace {

constexpr char kWhatMoves[] = "named-data";

// A key of a variant, whose tensor may be that of others.
struct Tensor {
  SafetensorsEntry entry;  // under its new name, with its place in the package that it comes from
  std::string old_key;
  const Container* file = nullptr;
  bool is_state = false;   // some method changes it
  bool was_alias = false;  // of another key in its own package
};

Result<std::vector<uint8_t>> BytesOf(const Container& file, Extent place) { return ReadBytes(*file.source(), place); }

// What it takes to put a package into another one: all of it is known and right.
Status CheckPackage(const Container& file) {
  if (file.kind() != FileKind::kNative)
    return InvalidArgument("is no package of the native backend (.ptn), which are merged with none but packages");
  PTEEDIT_ASSIGN(const std::vector<FileFindings> found, VerifyOpened(ProgramSet(file)));
  for (const Finding& finding : found.front().findings) {
    if (finding.severity == Severity::kError) return Malformed(Text(finding.where, " ", finding.message));
    if (finding.id == "blob-unknown-fields") return Unsupported(Text(finding.where, ": ", finding.message));
  }
  return {};
}

class PackageMerger {
 public:
  PackageMerger(const std::vector<PackageVariant>& variants, const std::string& output, unsigned threads)
      : variants_(variants), output_(output), threads_(threads) {}

  Result<MergedPackage> Merge() && {
    std::set<std::string_view> names;
    for (const PackageVariant& variant : variants_) {
      if (!names.insert(variant.name).second)
        return InvalidArgument(Text("is the second variant of the name ", Quoted(variant.name), ", give NAME=FILE"))
            .In(variant.file.name());
      if (Status added = Add(variant); !added) return std::move(added).error().In(variant.file.name());
    }
    PTEEDIT_TRY(FindOwners());
    PTEEDIT_TRY(PlanPackage());
    return std::move(merged_);
  }

 private:
  Status Add(const PackageVariant& variant) {
    const Container& file = variant.file;
    PTEEDIT_TRY(CheckPackage(file));
    NativePart& part = parts_.emplace_back();
    part.prefix = variant.name + ".";
    PTEEDIT_ASSIGN(part.graph, BytesOf(file, file.state().package->graph));
    // The very bytes that are followed, whatever became of the file since it was verified.
    const ByteSpan graph{part.graph.data(), part.graph.size()};
    PTEEDIT_TRY(ReadNativeGraph({MakeViewSource("graph", graph), {0, graph.size}, {}, nullptr}));
    return AddTensors(file, part);
  }

  // The list of named data has each tensor, and then the aliases with the tensors that they lead to.
  Status AddTensors(const Container& file, const NativePart& part) {
    const NativePackage& package = *file.state().package;
    const std::set<std::string> states = ChangedKeys(part);
    std::map<std::tuple<uint64_t, uint64_t>, SafetensorsEntry> owners;
    if (package.tensor_head.size == 0) return {};
    PTEEDIT_ASSIGN(const std::shared_ptr<const Source> window, MemberOf(file, package.tensor_head.offset));
    PTEEDIT_ASSIGN(const SafetensorsHeader header, ReadSafetensorsHeader(*window));
    for (size_t i = 0; i < file.named_data().size(); ++i) {
      const NamedEntry& named = file.named_data()[i];
      const std::tuple place(named.extent.offset, named.extent.size);
      const bool is_alias = i >= header.entries.size();
      if (!is_alias) owners.emplace(place, header.entries[i]);
      Tensor& tensor = tensors_.emplace_back();
      tensor.entry = is_alias ? owners.at(place) : header.entries[i];
      tensor.old_key = named.key;
      tensor.file = &file;
      tensor.was_alias = is_alias;
      tensor.entry.name = part.prefix + tensor.old_key;
      tensor.entry.place = named.extent;
      tensor.is_state = states.contains(tensor.old_key);
    }
    return {};
  }

  static Result<std::shared_ptr<const Source>> MemberOf(const Container& file, uint64_t offset) {
    const std::vector<ZipEntry>& members = file.state().package->members;
    const auto member = std::ranges::find(members, offset, [](const ZipEntry& one) { return one.stored.offset; });
    return MakeWindowSource(file.source(), member->stored);
  }

  // By name, as the exporter does it: the first one owns what it shares.
  Status FindOwners() {
    std::ranges::sort(tensors_, {}, [](const Tensor& tensor) -> const std::string& { return tensor.entry.name; });
    std::vector<ContentPlace> places;
    for (const Tensor& tensor : tensors_) places.push_back({tensor.file->source(), tensor.entry.place});
    PTEEDIT_ASSIGN(const std::vector<uint32_t> first, GroupByContent(places, threads_));
    std::map<std::tuple<size_t, std::string, std::vector<uint64_t>>, const Tensor*> owners;
    for (size_t i = 0; i < tensors_.size(); ++i) {
      const Tensor& tensor = tensors_[i];
      const auto kind = std::tuple(first[i], tensor.entry.dtype, tensor.entry.sizes);
      const auto owner = tensor.is_state ? owners.end() : owners.find(kind);
      if (owner != owners.end()) {
        AddAlias(tensor, *owner->second);
      } else {
        owners_.push_back(&tensor);
        if (!tensor.is_state) owners.emplace(kind, &tensor);
      }
    }
    return {};
  }

  void AddAlias(const Tensor& tensor, const Tensor& owner) {
    aliases_.push_back("\n  " + JsonText(tensor.entry.name) + ": " + JsonText(owner.entry.name));
    if (tensor.was_alias || tensor.file == owner.file) return;
    merged_.report.items.push_back(
        {kWhatMoves, tensor.old_key, owner.entry.name, tensor.entry.place.size, tensor.file->name(), output_});
  }

  Status PlanPackage() {
    PTEEDIT_ASSIGN(std::vector<uint8_t> graph, JoinNativeGraphs(parts_));
    PTEEDIT_TRY(AddMember("program.ptg", InMemory(std::move(graph))));
    if (!owners_.empty()) {
      PTEEDIT_ASSIGN(const PlannedFile tensors, PlanTensors());
      PTEEDIT_TRY(AddMember("program.safetensors", tensors));
    }
    if (!aliases_.empty()) {
      const std::string text = "{" + Joined(aliases_, ",") + "\n}";
      PTEEDIT_TRY(AddMember("aliases.json", InMemory({text.begin(), text.end()})));
    }
    merged_.package = std::move(zip_).Finish({});
    return CheckMerged();
  }

  Result<PlannedFile> PlanTensors() const {
    std::vector<SafetensorsEntry> entries;
    PlannedFile bytes;
    for (const Tensor* owner : owners_) {
      entries.push_back(owner->entry);
      entries.back().place.offset = bytes.size();
      bytes.Append(owner->file->source(), owner->entry.place);
    }
    PTEEDIT_ASSIGN(std::vector<uint8_t> head, SafetensorsHead(entries, {}));
    PlannedFile file = InMemory(std::move(head));
    file.Append(bytes);
    return file;
  }

  static PlannedFile InMemory(std::vector<uint8_t> bytes) {
    PlannedFile file;
    const uint64_t size = bytes.size();
    file.Append(MakeMemorySource("", std::move(bytes)), {0, size});
    return file;
  }

  // Stored as it is, with a checksum, for which all of it is read.
  Status AddMember(const char* name, const PlannedFile& member) {
    Crc32 sum;
    for (const PlannedPiece& piece : member.pieces()) {
      PTEEDIT_TRY(ForEachPiece(*piece.source, piece.extent, [&](ByteSpan bytes) -> Status {
        sum.Update(bytes);
        return {};
      }));
    }
    const std::vector<uint8_t> listed = NewZipEntry(name);
    zip_.Add({listed.data(), listed.size()}, {member, member.size(), sum.value(), 0});
    return {};
  }

  Status CheckMerged() const {
    PTEEDIT_ASSIGN(const Container opened, Container::OpenToLook(merged_.package.AsSource(output_)));
    return CheckPackage(opened);
  }

  const std::vector<PackageVariant>& variants_;
  const std::string& output_;
  unsigned threads_;
  std::vector<NativePart> parts_;
  std::vector<Tensor> tensors_;
  std::vector<const Tensor*> owners_;  // of those, what is stored
  std::vector<std::string> aliases_;   // lines of JSON
  ZipPlan zip_;
  MergedPackage merged_;
};

}  // namespace

Result<MergedPackage> MergePackages(const std::vector<PackageVariant>& variants, const std::string& output,
                                    unsigned threads) {
  return PackageMerger(variants, output, threads).Merge();
}

}  // namespace pteedit
