#include "edit/pack.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "base/checked.h"
#include "base/sorted_blocks.h"
#include "base/text.h"
#include "base/text_map.h"
#include "flatbuffers/flatbuffers.h"
#include "program/extended_header.h"
#include "pteedit/try.h"

namespace pteedit {
namespace {

// A flatbuffer grows from its end, so children are packed before their parents, and in the order of the fields, which
// makes the bytes a function of the structs alone. The depth of the recursion is that of our schemas, not of a file.
// An exporter writes equal strings and vectors many times or once, as its serializer likes; here equal leaves of one
// element size are always one, found by their bytes. Equal tables stay several, as every exporter writes them, unless
// they are to be shared; then they are found by their fields, which name what was shared before them.

using Reference = flatbuffers::Offset<void>;

constexpr size_t kMaxFields = 16;  // of any table in our schemas
constexpr uint64_t kMinAlignment = 16;
constexpr uint64_t kTableOverhead = 4 + 4 + 2 * kMaxFields;  // vtable offset, vtable
constexpr uint64_t kFieldBytes = 8;                          // the widest scalar, with padding
constexpr uint64_t kRootBytes = 8 + 4096;  // root offset, identifier, padding of the largest alignment

// An upper bound of what packing takes, so that the builder, which asserts, never meets its limit.
class Estimate {
 public:
  template <class Table>
  uint64_t Of(const Table& table) {
    Add(table);
    return bytes_ + kRootBytes;
  }

 private:
  template <class Table>
  void Add(const Table& table) {
    bytes_ += kTableOverhead;
    Table::Fields(table, [&](int, const auto& field) {
      bytes_ += kFieldBytes;
      AddField(field);
    });
  }
  template <class Number>
    requires std::is_arithmetic_v<Number>
  void AddField(const Number&) {}
  template <class T>
  void AddField(const tables::Vector<T>& leaf) {
    bytes_ += leaf.size() * sizeof(T) + 2 * kFieldBytes;
  }
  void AddField(const tables::Blob& blob) { bytes_ += blob.bytes.size() + blob.alignment + kFieldBytes; }
  template <tables::Optional Child>
  void AddField(const Child& child) {
    if (child) Add(*child);
  }
  template <class Table>
  void AddField(const tables::Children<Table>& children) {
    bytes_ += children.items.size() * sizeof(uint32_t) + kFieldBytes;
    for (const Table& child : children.items) Add(child);
  }
  template <class... Members>
  void AddField(const std::variant<Members...>& value) {
    std::visit(
        [&](const auto& member) {
          if constexpr (!std::is_same_v<std::decay_t<decltype(member)>, std::monostate>) Add(member);
        },
        value);
  }

  uint64_t bytes_ = 0;
};

// The vectors of one element size that are packed already, found by their bytes, which lie in the builder. There may be
// as many as tables, and a file chooses what they are: no hash that it could aim at.
class PackedLeaves {
 public:
  PackedLeaves(const flatbuffers::FlatBufferBuilder& builder, size_t element) : leaves_({builder, element}) {}

  // Null where there is none.
  Reference Find(std::string_view bytes) {
    const flatbuffers::uoffset_t* found = leaves_.Find(bytes);
    return found == nullptr ? Reference(0) : Reference(*found);
  }
  void Add(Reference leaf) { leaves_.Insert(leaf.o); }

 private:
  struct BytesOf {
    const flatbuffers::FlatBufferBuilder& builder;
    size_t element;

    std::string_view operator()(flatbuffers::uoffset_t leaf) const {
      const uint8_t* start = builder.GetCurrentBufferPointer() + builder.GetSize() - leaf;
      return {reinterpret_cast<const char*>(start + sizeof(flatbuffers::uoffset_t)),
              flatbuffers::ReadScalar<flatbuffers::uoffset_t>(start) * element};
    }
  };

  SortedBlocks<flatbuffers::uoffset_t, BytesOf> leaves_;
};

class Packer {
 public:
  // `most`: more than all will take, which is up to half of that where little is shared. What is not written takes no
  // memory.
  explicit Packer(uint64_t most, bool shares_tables = false)
      : shares_tables_(shares_tables), builder_(static_cast<size_t>(most / 2)) {}

  // Before the first table: makes the buffer's end aligned, for what will follow it.
  void AlignEnd(uint32_t alignment) {
    NoteAlignment(alignment);
    builder_.Align(alignment);
  }

  template <class Table>
  PackedTables Pack(const Table& root, const char* identifier, size_t header_size = 0) {
    const Reference reference = PackTable(root);
    builder_.Pad(static_cast<size_t>(AlignUp(header_size, alignment_)));
    builder_.Finish(flatbuffers::Offset<flatbuffers::Table>(reference.o), identifier);
    size_t capacity = 0, offset = 0;
    const std::shared_ptr<uint8_t[]> buffer(builder_.ReleaseRaw(capacity, offset));
    uint8_t* bytes = buffer.get() + offset;
    if (const size_t shift = offset % kMemoryAlignment; shift != 0)
      bytes = static_cast<uint8_t*>(std::memmove(bytes - shift, bytes, capacity - offset));
    return {{buffer, bytes}, capacity - offset};
  }

 private:
  static flatbuffers::voffset_t Slot(int field) {
    return flatbuffers::FieldIndexToOffset(static_cast<flatbuffers::voffset_t>(field));
  }

  // The builder tells it only once it has finished.
  void NoteAlignment(uint32_t alignment) { alignment_ = std::max<uint64_t>(alignment_, alignment); }

  // Children first, since a flatbuffer grows from its end; then the fields, widest first, so that none needs padding.
  template <class Table>
  Reference PackTable(const Table& table) {
    std::array<Reference, kMaxFields> references{};
    Table::Fields(table,
                  [&](int field, const auto& value) { references[static_cast<size_t>(field)] = PackField(value); });
    const std::string fields = shares_tables_ ? FieldsOf(table, references) : std::string();
    if (shares_tables_) {
      if (const Reference* shared = SharedOf<Table>().Find(fields); shared != nullptr) return *shared;
    }
    const flatbuffers::uoffset_t start = builder_.StartTable();
    for (size_t width = sizeof(uint64_t); width != 0; width /= 2) {
      Table::Fields(table, [&](int field, const auto& value) {
        AddField(width, field, value, references[static_cast<size_t>(field)]);
      });
    }
    const Reference packed = builder_.EndTable(start);
    if (shares_tables_) SharedOf<Table>().Add(fields, packed);
    return packed;
  }

  template <class Table>
  TextMap<Reference>& SharedOf() {
    static const char kKind = 0;  // one for each kind
    return tables_[&kKind].tables;
  }

  // What a table says: numbers, and what its references lead to. Each is its length and its bytes without the zeros at
  // the end, so that most texts are short enough to need no memory of their own.
  template <class Table>
  static std::string FieldsOf(const Table& table, const std::array<Reference, kMaxFields>& references) {
    std::string fields;
    const auto add = [&](const auto& value) {
      std::string_view bytes(reinterpret_cast<const char*>(&value), sizeof(value));
      bytes = bytes.substr(0, bytes.find_last_not_of('\0') + 1);
      fields += static_cast<char>(bytes.size());
      fields += bytes;
    };
    Table::Fields(table, [&](int field, const auto& value) {
      if constexpr (std::is_arithmetic_v<std::decay_t<decltype(value)>>) {
        add(value);
      } else {
        add(references[static_cast<size_t>(field)].o);
      }
      if constexpr (requires { value.index(); }) add(value.index());
    });
    return fields;
  }

  template <class Number>
    requires std::is_arithmetic_v<Number>
  Reference PackField(const Number&) {
    return 0;
  }

  Reference PackField(const tables::Blob& blob) {
    if (!blob.bytes.present()) return 0;
    const bool may_be_shared = blob.bytes.size() != 0;
    Reference unshared,
        &reference = may_be_shared ? blobs_[{blob.bytes.data(), blob.bytes.size(), blob.alignment}] : unshared;
    if (!reference.IsNull()) return reference;
    NoteAlignment(blob.alignment);
    builder_.PreAlign(blob.bytes.size(), blob.alignment);
    reference = builder_.CreateVector(blob.bytes.data(), blob.bytes.size()).Union();
    return reference;
  }

  template <class T>
  Reference PackField(const tables::Vector<T>& leaf) {
    if (!leaf.present()) return 0;
    // Strings have a zero behind them, which other vectors of bytes have not.
    PackedLeaves& packed = leaves_.try_emplace({sizeof(T), std::is_same_v<T, char>}, builder_, sizeof(T)).first->second;
    Reference reference = packed.Find({reinterpret_cast<const char*>(leaf.data()), leaf.size() * sizeof(T)});
    if (!reference.IsNull()) return reference;
    if constexpr (std::is_same_v<T, char>) {
      reference = builder_.CreateString(leaf.data(), leaf.size()).Union();
    } else {
      reference = builder_.CreateVector(leaf.data(), leaf.size()).Union();
    }
    packed.Add(reference);
    return reference;
  }

  template <tables::Optional Child>
  Reference PackField(const Child& child) {
    return child ? PackTable(*child) : Reference(0);
  }

  template <class Table>
  Reference PackField(const tables::Children<Table>& children) {
    if (!children.present) return 0;
    std::vector<Reference> references;
    references.reserve(children.items.size());
    for (const Table& child : children.items) references.push_back(PackTable(child));
    return builder_.CreateVector(references).Union();
  }

  template <class... Members>
  Reference PackField(const std::variant<Members...>& value) {
    return std::visit(
        [&](const auto& member) -> Reference {
          if constexpr (std::is_same_v<std::decay_t<decltype(member)>, std::monostate>) {
            return 0;
          } else {
            return PackTable(member);
          }
        },
        value);
  }

  template <class Number>
    requires std::is_arithmetic_v<Number>
  void AddField(size_t width, int field, const Number& value, Reference) {
    if (width != sizeof(Number)) return;
    Number left_out{};  // what a reader assumes for an absent field
    if constexpr (std::is_floating_point_v<Number>) {
      if (std::signbit(value)) left_out = 1;  // -0.0 equals 0.0 but is not it
    }
    builder_.AddElement<Number>(Slot(field), value, left_out);
  }

  template <class... Members>
  void AddField(size_t width, int field, const std::variant<Members...>& value, Reference reference) {
    if (width == sizeof(flatbuffers::uoffset_t)) builder_.AddOffset(Slot(field), reference);
    if (width == sizeof(uint8_t)) builder_.AddElement<uint8_t>(Slot(field - 1), static_cast<uint8_t>(value.index()), 0);
  }

  template <class Any>
    requires(!std::is_arithmetic_v<Any>)
  void AddField(size_t width, int field, const Any&, Reference reference) {
    if (width == sizeof(flatbuffers::uoffset_t)) builder_.AddOffset(Slot(field), reference);
  }

  const bool shares_tables_;
  flatbuffers::FlatBufferBuilder builder_;
  uint64_t alignment_ = kMinAlignment;  // of the whole
  struct SharedTables {
    KeptTexts texts;
    TextMap<Reference> tables{texts};  // by what they say
  };
  std::map<const char*, SharedTables> tables_;              // by kind
  std::map<std::pair<size_t, bool>, PackedLeaves> leaves_;  // by element size and whether a zero follows
  // Place, size, alignment. Blobs that lie in one place of the file that they come from are written once, as there.
  std::map<std::tuple<const uint8_t*, size_t, uint32_t>, Reference> blobs_;
};

// A root with other segments, so that nobody need copy it to change them.
template <class Root>
struct WithSegments {
  const Root& root;
  const tables::Children<tables::DataSegment>& segments;
  template <class Visit>
  static void Fields(const WithSegments& t, Visit&& visit) {
    Root::Fields(t.root, [&](int field, const auto& value) {
      if constexpr (std::is_same_v<decltype(value), decltype(t.segments)>) {
        visit(field, t.segments);
      } else {
        visit(field, value);
      }
    });
  }
};

template <class Table>
Result<uint64_t> MostBytes(const Table& table) {
  const uint64_t most = Estimate().Of(table);
  if (most < FLATBUFFERS_MAX_BUFFER_SIZE) return most;
  return Unsupported(
      Text("tables would have up to ", most, " bytes, a flatbuffer has less than ", FLATBUFFERS_MAX_BUFFER_SIZE));
}

}  // namespace

Result<PackedTables> PackProgram(const tables::Program& program, size_t header_size) {
  return PackProgram(program, program.segments, header_size);
}

Result<PackedTables> PackProgram(const tables::Program& program, const tables::Children<tables::DataSegment>& segments,
                                 size_t header_size) {
  const WithSegments<tables::Program> root{program, segments};
  PTEEDIT_ASSIGN(const uint64_t most, MostBytes(root));
  return Packer(most, program.shares_tables).Pack(root, "ET12", header_size);
}

Result<PackedTables> PackFlatTensor(const tables::FlatTensor& data, size_t header_size) {
  return PackFlatTensor(data, data.segments, header_size);
}

Result<PackedTables> PackFlatTensor(const tables::FlatTensor& data,
                                    const tables::Children<tables::DataSegment>& segments, size_t header_size) {
  const WithSegments<tables::FlatTensor> root{data, segments};
  PTEEDIT_ASSIGN(const uint64_t most, MostBytes(root));
  return Packer(most).Pack(root, "FT01", header_size);
}

Result<PackedTables> PackBundledProgram(const tables::BundledProgram& bundle) {
  PTEEDIT_ASSIGN(const uint64_t most, MostBytes(bundle));
  Packer packer(most);
  packer.AlignEnd(bundle.program.alignment);
  return packer.Pack(bundle, "BP08");
}

uint64_t TableBytes(tables::ExecutionPlan plan) {
  const auto packed_size = [](tables::ExecutionPlan part) -> uint64_t {
    tables::Program program;
    program.execution_plan.present = true;
    program.execution_plan.items.push_back(std::move(part));
    const Result<PackedTables> packed = PackProgram(program);
    return packed ? packed->size : 0;
  };
  return packed_size(std::move(plan)) - packed_size({});
}

}  // namespace pteedit
