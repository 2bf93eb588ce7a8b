#include "pteedit/container.h"

#include <algorithm>

#include "base/checked.h"
#include "base/damage.h"
#include "base/text.h"
#include "program/container_state.h"
#include "program/content_size.h"
#include "program/extended_header.h"
#include "program/layout.h"
#include "program/listing_size.h"
#include "program/program_checks.h"
#include "pteedit/try.h"

namespace pteedit {
namespace {

using State = Container::State;

constexpr size_t kIdentifierOffset = 4;
constexpr size_t kIdentifierSize = 4;
constexpr uint64_t kProbedBytes = 64;             // enough for headers and for the name of an archive's first member
constexpr std::string_view kUnreleased = "NFAT";  // of the native backend's later days
constexpr uint64_t kSmallestFile = 12;            // root offset, identifier, and a root table's offset to its vtable
constexpr uint64_t kTableBytes = 8;        // what one table takes at least: its vtable offset and a reference to it
constexpr uint64_t kFreeTables = 1 << 16;  // tiny files may share a few
constexpr uint32_t kMaxDepth = 64;         // real programs nest seven deep
constexpr uint32_t kNewestVersion = 0;     // of .pte and .ptd, in all releases
constexpr uint32_t kNewestBundleVersion = 2;
constexpr uint32_t kMax06TensorAlignment = 1 << 16;

Result<std::vector<uint8_t>> ReadHead(const Source& source) {
  std::vector<uint8_t> head(static_cast<size_t>(std::min(source.size(), kProbedBytes)));
  PTEEDIT_TRY(source.Read(0, {head.data(), head.size()}));
  return head;
}

Result<FileKind> KindOf(ByteSpan head, uint64_t file_size) {
  if (head.size < kSmallestFile) {
    return NotUnderstood("identifier", {}, Text("not a .pte, .ptd or .bpte file: only ", file_size, " bytes"));
  }
  const std::string_view text(reinterpret_cast<const char*>(head.data), head.size);
  const std::string_view identifier = text.substr(kIdentifierOffset, kIdentifierSize);
  if (LooksLikePackage(head)) return FileKind::kNative;
  if (text.starts_with(kUnreleased) || identifier == kUnreleased)
    return NotUnderstood("unsupported", {},
                         Text("is a file ", Quoted(kUnreleased), ", which no release writes or reads"));
  if (identifier == "ET12") return FileKind::kProgram;
  if (identifier == "FT01") return FileKind::kData;
  if (identifier == "BP08") return FileKind::kBundle;
  return NotUnderstood("identifier", {},
                       Text("not a .pte, .ptd or .bpte file: identifier is ", Quoted(identifier),
                            ", 'ET12', 'FT01' or 'BP08' expected"));
}

bool IsAligned(const uint8_t* tables) { return reinterpret_cast<uintptr_t>(tables) % kMemoryAlignment == 0; }

// "9437184", or what cannot be added up.
std::string EndWords(uint64_t begin, uint64_t size) {
  const std::optional<uint64_t> end = CheckedAdd(begin, size);
  return end ? std::to_string(*end) : Text(begin, " + ", size);
}

// Where the tables end, from a header whose numbers are checked here against the file and each other.
Result<uint64_t> CheckHeader(const ExtendedHeader& header, uint32_t shortest, uint64_t file_size) {
  if (header.length < shortest) {
    return Damaged("header-damaged",
                   Text("extended header says it has ", header.length, " bytes, at least ", shortest, " expected"));
  }
  if (!Fits(header.tables_offset, header.tables_size, file_size)) {
    return Damaged("header-damaged", Text("tables end at byte ", EndWords(header.tables_offset, header.tables_size),
                                          ", after the end of the file (", file_size, " bytes)"));
  }
  const uint64_t end = header.tables_offset + header.tables_size;
  const uint64_t head_end = kExtendedHeaderOffset + header.length;
  if (end < head_end)
    return Damaged("header-damaged", Text("tables end at byte ", end, ", inside the header (", head_end, " bytes)"));
  if (header.segment_base_offset == 0 && header.segment_data_size == 0) return end;  // no segments
  if (header.segment_base_offset < end) {
    return Damaged("header-damaged", Text("segments begin at byte ", header.segment_base_offset,
                                          ", inside the tables (", end, " bytes)"));
  }
  if (!Fits(header.segment_base_offset, header.segment_data_size, file_size)) {
    return Damaged("file-cut",
                   Text("segments end at byte ", EndWords(header.segment_base_offset, header.segment_data_size),
                        ", after the end of the file (", file_size, " bytes)"));
  }
  return end;
}

class Opener {
 public:
  Opener(std::shared_ptr<const Source> source, const ParseLimits& limits, bool takes_packages)
      : limits_(limits), takes_packages_(takes_packages) {
    state_->source = std::move(source);
    state_->limits = limits;
  }

  Result<std::shared_ptr<const State>> Open() {
    PTEEDIT_ASSIGN(const std::vector<uint8_t> head, ReadHead(*state_->source));
    PTEEDIT_ASSIGN(state_->kind, KindOf({head.data(), head.size()}, file_size()));
    if (state_->kind == FileKind::kNative) return OpenNative();
    state_->header.identifier.assign(reinterpret_cast<const char*>(head.data()) + kIdentifierOffset, kIdentifierSize);
    PTEEDIT_ASSIGN(const uint64_t tables_end, TablesEnd({head.data(), head.size()}));
    PTEEDIT_TRY(ReadTables(tables_end));
    switch (state_->kind) {
      case FileKind::kProgram:
        PTEEDIT_TRY(OpenProgram());
        break;
      case FileKind::kData:
        PTEEDIT_TRY(OpenData());
        break;
      case FileKind::kBundle:
        PTEEDIT_TRY(OpenBundle());
        break;
      case FileKind::kNative:
        break;
    }
    return Finish();
  }

 private:
  uint64_t file_size() const { return state_->source->size(); }

  Result<std::shared_ptr<const State>> Finish() {
    if (state_->problems.empty()) PTEEDIT_TRY(Within(CheckContentSize(*state_)));
    return std::shared_ptr<const State>(std::move(state_));
  }

  Result<std::shared_ptr<const State>> OpenNative() {
    if (!takes_packages_)
      return Unsupported("is a package of the native backend (.ptn), which can be looked at, and merged with packages");
    PTEEDIT_ASSIGN(OpenedPackage opened, OpenPackage(state_->source));
    for (const ZipEntry& member : opened.package->members) state_->segments.push_back(member.stored);
    state_->package = std::move(opened.package);
    state_->named_data = std::move(opened.named_data);
    state_->problems = std::move(opened.problems);
    state_->header.identifier = "NPTG";
    return Finish();
  }

  Result<uint64_t> TablesEnd(ByteSpan head) {
    std::optional<ExtendedHeader> header;
    if (state_->kind == FileKind::kProgram) header = ParseProgramHeader(head);
    if (state_->kind == FileKind::kData) {
      header = ParseDataHeader(head);
      if (!header) return Damaged("header-missing", "has no 'FH01' header at byte 8");
    }
    if (!header) return file_size();
    state_->header.has_extended_header = true;
    state_->header.extended_header_length = header->length;
    state_->header.tables_offset = header->tables_offset;
    state_->header.tables_size = header->tables_size;
    state_->header.segment_base_offset = header->segment_base_offset;
    state_->header.segment_data_size = header->segment_data_size;
    const bool is_data = state_->kind == FileKind::kData;
    return CheckHeader(*header, is_data ? kDataHeaderLength : kShortProgramHeaderLength, file_size());
  }

  Status ReadTables(uint64_t size) {
    if (size > limits_.max_tables_bytes || size >= FLATBUFFERS_MAX_BUFFER_SIZE) {
      return NotUnderstood(
          "tables-too-large", {},
          Text("tables have ", size, " bytes, at most ",
               std::min<uint64_t>(limits_.max_tables_bytes, FLATBUFFERS_MAX_BUFFER_SIZE - 1), " are supported"));
    }
    std::shared_ptr<const uint8_t[]> bytes = state_->source->InMemory({0, size});
    if (bytes == nullptr || !IsAligned(bytes.get())) {
      std::shared_ptr<uint8_t[]> copy(new uint8_t[size]);
      PTEEDIT_TRY(state_->source->Read(0, {copy.get(), static_cast<size_t>(size)}));
      bytes = std::move(copy);
    }
    state_->tables = {bytes.get(), static_cast<size_t>(size)};
    state_->table_bytes = std::move(bytes);
    return {};
  }

  // Asks the flatbuffers verifier, and lets the walk tell what is wrong, also what the verifier does not look for.
  template <class Root>
  Status Verify(const char* identifier, const char* root_name) {
    const uint64_t max_tables = state_->tables.size / kTableBytes + kFreeTables;
    flatbuffers::Verifier verifier(state_->tables.data, state_->tables.size, kMaxDepth,
                                   static_cast<flatbuffers::uoffset_t>(max_tables));
    const bool is_verified = verifier.VerifyBuffer<Root>(identifier);
    const uint64_t most = state_->tables.size * limits_.max_unfold_factor + limits_.unfold_base_bytes;
    Result<TableWalk> walk =
        WalkTables(state_->tables, *Root::MiniReflectTypeTable(), root_name, {most, limits_.max_unknown_fields});
    if (!walk) {
      Error error = std::move(walk).error();
      error.finding = error.code == ErrorCode::kUnsupported ? "unsupported" : "tables-damaged";
      return error;
    }
    if (!is_verified) {
      return Damaged("tables-damaged", Text("tables (", state_->tables.size, " bytes) are no ", root_name,
                                            ", or one of more than ", max_tables, " tables"));
    }
    state_->walk = *std::move(walk);
    return {};
  }

  Status CheckVersion(uint32_t version, uint32_t newest = kNewestVersion) {
    state_->header.version = version;
    if (version <= newest) return {};
    return NotUnderstood("version", {}, Text("version is ", version, ", ", newest, " is the newest known"));
  }

  void Keep(Error error) {
    if (state_->problems.size() < kMaxProblems) state_->problems.push_back(std::move(error));
  }

  // Turns the stored offsets, which count from the header's base, into places in the file.
  template <class Segments>
  void LocateSegments(const Segments& segments) {
    state_->segments.reserve(segments.size());
    for (flatbuffers::uoffset_t i = 0; i < segments.size(); ++i) {
      const Extent stored{segments.Get(i)->offset(), segments.Get(i)->size()};
      if (Status status = CheckSegment(i, stored); !status) Keep(std::move(status).error());
      state_->segments.push_back({state_->header.segment_base_offset + stored.offset, stored.size});
    }
  }

  Status CheckSegment(flatbuffers::uoffset_t index, Extent stored) const {
    const uint64_t base = state_->header.segment_base_offset;
    if (stored.size != 0 && base == 0) {
      return Damaged("header-missing", Text("segment ", index),
                     Text("has ", stored.size, " bytes, but no extended header says where segments begin"));
    }
    if (Fits(stored, file_size() - base)) return {};
    const std::string end = EndWords(CheckedAdd(base, stored.offset).value_or(stored.offset), stored.size);
    return Damaged("segment-outside-file", Text("segment ", index),
                   Text("ends at byte ", end, ", after the end of the file (", file_size(), " bytes)"));
  }

  Status OpenProgram() {
    PTEEDIT_TRY(Verify<schema::Program>("ET12", "program"));
    const schema::Program& program = state_->program_root();
    PTEEDIT_TRY(CheckVersion(program.version()));
    LocateSegments(OrEmpty(program.segments()));
    for (Error& problem : FindProgramProblems(program, state_->segments)) Keep(std::move(problem));
    if (OrEmpty(program.mutable_data_segments()).size() > limits_.max_mutable_segments) {
      return NotUnderstood(
          "unsupported", {},
          Text("program has ", program.mutable_data_segments()->size(), " mutable data segments, at most ",
               limits_.max_mutable_segments, " are supported (ParseLimits::max_mutable_segments)"));
    }
    if (state_->problems.empty()) {
      PTEEDIT_TRY(Within(CheckListingSize(program, MostListedBytes(state_->tables.size, limits_))));
    }
    state_->named_data.reserve(OrEmpty(program.named_data()).size());
    for (const schema::NamedData* entry : OrEmpty(program.named_data())) {
      if (state_->problems.empty()) AddEntry(ViewOf(entry->key()), entry->segment_index(), std::nullopt);
    }
    return {};
  }

  // A limit that is exceeded, as a finding.
  static Status Within(Status status) {
    return status ? std::move(status) : NotUnderstood("unsupported", {}, status.error().message);
  }

  // Nothing and a problem where the entry makes no sense.
  NamedEntry* AddEntry(std::string_view key, uint32_t segment, SharedOptional<TensorLayout> layout) {
    const std::string where = Text("key ", Quoted(key));
    if (segment >= state_->segments.size()) {
      Keep(Damaged("segment-index", where,
                   Text("uses segment ", segment, ", which does not exist: there are ", state_->segments.size())));
      return nullptr;
    }
    if (layout) {
      if (Status status = CheckLayout(*layout); !status) {
        Keep(Damaged("tensor-layout", where, status.error().message));
        return nullptr;
      }
    }
    state_->named_data.push_back({key, segment, state_->segments[segment], std::move(layout)});
    return &state_->named_data.back();
  }

  Status OpenData() {
    // Both layouts have the same identifier, header and version; only one of them makes sense of a given file.
    Status today = Verify<schema::flat::FlatTensor>("FT01", "data file");
    const bool looks_like_06 = LooksLike06();
    if (today && !looks_like_06) return OpenDataToday();
    Status old = Verify<schema::flat06::FlatTensor>("FT01", "data file");
    if (old) return OpenData06();
    return looks_like_06 ? std::move(old) : std::move(today);
  }

  // Slot 1 is a power of two in the 0.6 layout and the place of a vector, never that small and round, since 0.7; an 0.6
  // file must also verify as one.
  bool LooksLike06() const {
    flatbuffers::Verifier verifier(
        state_->tables.data, state_->tables.size, kMaxDepth,
        static_cast<flatbuffers::uoffset_t>(state_->tables.size / kTableBytes + kFreeTables));
    if (!verifier.VerifyBuffer<schema::flat06::FlatTensor>("FT01")) return false;
    const schema::flat06::FlatTensor& root = state_->data06_root();
    const uint32_t alignment = root.tensor_alignment();
    return IsPowerOfTwo(alignment) && alignment <= kMax06TensorAlignment && root.tensors() != nullptr &&
           root.segments() != nullptr;
  }

  Status OpenDataToday() {
    const schema::flat::FlatTensor& root = state_->data_root();
    PTEEDIT_TRY(CheckVersion(root.version()));
    LocateSegments(OrEmpty(root.segments()));
    const auto& entries = OrEmpty(root.named_data());
    state_->named_data.reserve(entries.size());
    SharedLayouts layouts;
    for (flatbuffers::uoffset_t i = 0; i < entries.size(); ++i) {
      const schema::flat::NamedData& entry = *entries.Get(i);
      if (entry.key() == nullptr) Keep(Damaged("field-missing", Text("named data ", i), "has no key"));
      SharedOptional<TensorLayout> layout;
      if (const auto* stored = entry.tensor_layout())
        layout = layouts(LayoutFrom(static_cast<int8_t>(stored->scalar_type()), stored->sizes(), stored->dim_order()));
      AddEntry(ViewOf(entry.key()), entry.segment_index(), std::move(layout));
    }
    return {};
  }

  Status OpenData06() {
    state_->header.layout_06 = true;
    const schema::flat06::FlatTensor& root = state_->data06_root();
    PTEEDIT_TRY(CheckVersion(root.version()));
    LocateSegments(OrEmpty(root.segments()));
    for (const schema::flat06::TensorMetadata* tensor : OrEmpty(root.tensors())) {
      if (Status status = Add06Tensor(*tensor); !status) Keep(std::move(status).error());
    }
    for (const schema::flat06::NamedData* entry : OrEmpty(root.named_data())) {
      if (entry->key() == nullptr) Keep(Damaged("field-missing", "named data", "has an entry without a key"));
      AddEntry(ViewOf(entry->key()), entry->segment_index(), std::nullopt);
    }
    return {};
  }

  Status Add06Tensor(const schema::flat06::TensorMetadata& tensor) {
    const std::string_view key = ViewOf(tensor.fully_qualified_name());
    NamedEntry* entry =
        AddEntry(key, tensor.segment_index(),
                 LayoutFrom(static_cast<int8_t>(tensor.scalar_type()), tensor.sizes(), tensor.dim_order()));
    if (entry == nullptr) return {};
    const std::string where = Text("key ", Quoted(key));
    const std::optional<uint64_t> bytes = ByteSize(*entry->layout);
    if (!bytes) return NotUnderstood("scalar-type", where, "has an unknown element type");
    if (!Fits(tensor.offset(), *bytes, entry->extent.size)) {
      return Damaged("segment-too-short", where,
                     Text("needs ", *bytes, " bytes from byte ", tensor.offset(), " of segment ",
                          tensor.segment_index(), ", which has ", entry->extent.size, " bytes"));
    }
    entry->extent = {entry->extent.offset + tensor.offset(), *bytes};
    return {};
  }

  Status OpenBundle() {
    PTEEDIT_TRY(Verify<schema::bundle::BundledProgram>("BP08", "bundled program"));
    const schema::bundle::BundledProgram& bundle = state_->bundle_root();
    PTEEDIT_TRY(CheckVersion(bundle.version(), kNewestBundleVersion));
    if (OrEmpty(bundle.program()).size() == 0) return Damaged("bundle-program", "bundle holds no program");
    state_->inner_extent = {static_cast<uint64_t>(bundle.program()->data() - state_->tables.data),
                            bundle.program()->size()};
    PTEEDIT_ASSIGN(std::shared_ptr<const Source> window, MakeWindowSource(state_->source, state_->inner_extent));
    // Looked at before it is opened: a bundle in a bundle would be one more of as many as the file has room for.
    PTEEDIT_ASSIGN(const std::vector<uint8_t> head, ReadHead(*window));
    PTEEDIT_ASSIGN(const FileKind kind, KindOf({head.data(), head.size()}, window->size()));
    if (kind != FileKind::kProgram) {
      return Damaged("bundle-program", "bundle holds something that is not a program");
    }
    PTEEDIT_ASSIGN(Container inner, State::OpenWithProblems(std::move(window), limits_));
    state_->problems = inner.state().problems;
    state_->inner = std::move(inner);
    return {};
  }

  ParseLimits limits_;
  bool takes_packages_;
  std::shared_ptr<State> state_ = std::make_shared<State>();
};

}  // namespace

const char* KindName(FileKind kind) {
  switch (kind) {
    case FileKind::kProgram:
      return "pte";
    case FileKind::kData:
      return "ptd";
    case FileKind::kBundle:
      return "bpte";
    case FileKind::kNative:
      return "ptn";
  }
  return "";
}

Result<Container> State::OpenWithProblems(std::shared_ptr<const Source> source, const ParseLimits& limits,
                                          bool takes_packages) {
  const std::string name = source->name();
  Result<std::shared_ptr<const State>> state = Opener(std::move(source), limits, takes_packages).Open();
  if (!state) return std::move(state).error().In(name);
  return Container(*std::move(state));
}

Container State::Named(const Container& file, std::shared_ptr<const FoundNames> names, std::optional<Container> inner) {
  auto state = std::make_shared<State>(file.state());
  state->names = std::move(names);
  state->inner = std::move(inner);
  return Container(std::move(state));
}

Container State::Unnamed(const Container& file) {
  const std::optional<Container>& inner = file.state().inner;
  if (file.state().names == nullptr && (!inner || inner->state().names == nullptr)) return file;
  return Named(file, nullptr, inner ? std::optional(Unnamed(*inner)) : std::nullopt);
}

static Result<Container> WithoutProblems(Result<Container> file) {
  if (!file || file->state().problems.empty()) return file;
  return Error(file->state().problems.front()).In(file->name());
}

Result<Container> Container::Open(std::shared_ptr<const Source> source, const ParseLimits& limits) {
  return WithoutProblems(State::OpenWithProblems(std::move(source), limits));
}

Result<Container> Container::OpenToLook(std::shared_ptr<const Source> source, const ParseLimits& limits) {
  return WithoutProblems(State::OpenWithProblems(std::move(source), limits, /*takes_packages=*/true));
}

FileKind Container::kind() const { return state_->kind; }
const std::shared_ptr<const Source>& Container::source() const { return state_->source; }
const FileHeader& Container::header() const { return state_->header; }
ByteSpan Container::tables() const { return state_->tables; }
const std::vector<Extent>& Container::segments() const { return state_->segments; }
const std::vector<NamedEntry>& Container::named_data() const { return state_->named_data; }
const std::vector<std::string>& Container::unknown_fields() const { return state_->walk.unknown; }
const Container* Container::program() const { return state_->inner ? &*state_->inner : nullptr; }
Extent Container::program_extent() const { return state_->inner_extent; }

}  // namespace pteedit
