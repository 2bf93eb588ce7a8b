#include "assembly/assembly_writer.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <optional>

#include "base/checked.h"
#include "base/text.h"
#include "inspect/table_visit.h"
#include "pteedit/try.h"

namespace pteedit {
namespace {

using flatbuffers::ElementaryType;
using flatbuffers::TypeTable;
using flatbuffers::uoffset_t;
using Kind = AssemblyPiece::Kind;

constexpr uint64_t kMaxInlineBytes = 4096;
constexpr uint64_t kMaxAlignment = 65536;
// What exporters use, first what they do unless they are told otherwise.
constexpr uint64_t kSegmentAlignments[] = {128, 64, 32, 16, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768, 65536};
constexpr uint64_t kReferenceBytes = sizeof(uoffset_t);
constexpr size_t kBytesOfALine = 32, kNumbersOfALine = 16;
constexpr uint64_t kShortBytes = 16;  // vectors of bytes that are numbers, such as dim orders
constexpr size_t kChunkBytes = 65536;

std::string HexBytes(const uint8_t* bytes, size_t count) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (size_t i = 0; i < count; ++i) {
    text += i != 0 && i % 4 == 0 ? " " : "";
    text += {kDigits[bytes[i] >> 4], kDigits[bytes[i] & 15]};
  }
  return text;
}

// "name", with what is not ASCII as \xNN.
std::string StringWords(const uint8_t* bytes, size_t count) {
  std::string text = "\"";
  for (size_t i = 0; i < count; ++i) {
    const char letter = static_cast<char>(bytes[i]);
    const bool is_plain = bytes[i] >= 0x20 && bytes[i] < 0x7f;
    if (letter == '"' || letter == '\\') text += '\\';
    text += is_plain ? std::string(1, letter) : "\\x" + HexBytes(bytes + i, 1);
  }
  return text + '"';
}

// The shortest that reads back as the same in its precision.
template <class Float>
std::string FloatWords(Float number) {
  std::array<char, 32> text{};
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), number).ptr};
}

struct NumberWords {
  std::string_view type;
  std::string value;
};

// Of a number, or of the bits of one that has no words.
NumberWords WordsOf(const FileBytes& buffer, uint64_t at, ElementaryType type) {
  switch (type) {
    case flatbuffers::ET_CHAR:
      return {"i8", std::to_string(buffer.Read<int8_t>(at))};
    case flatbuffers::ET_SHORT:
      return {"i16", std::to_string(buffer.Read<int16_t>(at))};
    case flatbuffers::ET_USHORT:
      return {"u16", std::to_string(buffer.Read<uint16_t>(at))};
    case flatbuffers::ET_INT:
      return {"i32", std::to_string(buffer.Read<int32_t>(at))};
    case flatbuffers::ET_UINT:
      return {"u32", std::to_string(buffer.Read<uint32_t>(at))};
    case flatbuffers::ET_LONG:
      return {"i64", std::to_string(buffer.Read<int64_t>(at))};
    case flatbuffers::ET_ULONG:
      return {"u64", std::to_string(buffer.Read<uint64_t>(at))};
    case flatbuffers::ET_FLOAT:
      if (std::isnan(buffer.Read<float>(at))) return {"f32", Hex(buffer.Read<uint32_t>(at))};
      return {"f32", FloatWords(buffer.Read<float>(at))};
    case flatbuffers::ET_DOUBLE:
      if (std::isnan(buffer.Read<double>(at))) return {"f64", Hex(buffer.Read<uint64_t>(at))};
      return {"f64", FloatWords(buffer.Read<double>(at))};
    default:
      return {"u8", std::to_string(buffer.Read<uint8_t>(at))};
  }
}

std::string_view TypeWord(uint8_t bytes, ElementaryType type) {
  const bool is_float = type == flatbuffers::ET_FLOAT || type == flatbuffers::ET_DOUBLE;
  const bool is_signed = type == flatbuffers::ET_CHAR || type == flatbuffers::ET_SHORT || type == flatbuffers::ET_INT ||
                         type == flatbuffers::ET_LONG;
  constexpr std::array<std::string_view, 4> kUnsigned = {"u8", "u16", "u32", "u64"};
  constexpr std::array<std::string_view, 4> kSigned = {"i8", "i16", "i32", "i64"};
  if (is_float) return bytes == sizeof(float) ? "f32" : "f64";
  return (is_signed ? kSigned : kUnsigned)[static_cast<size_t>(std::countr_zero(bytes))];
}

// "  # FLOAT" of an enumeration's number and of a union's tag.
std::string EnumComment(const TypeTable& type, size_t slot, int64_t number) {
  const flatbuffers::TypeCode code = type.type_codes[slot];
  if (code.sequence_ref < 0 || code.base_type == flatbuffers::ET_SEQUENCE) return "";
  const TypeTable* words = type.type_refs[code.sequence_ref]();
  if (words->names == nullptr) return "";
  for (size_t i = 0; i < words->num_elems; ++i) {
    const int64_t value = words->values != nullptr ? words->values[i] : static_cast<int64_t>(i);
    if (value == number) return std::string("  # ") + words->names[i];
  }
  return "";
}

// Where a reference leads, if that is not `own`, its label when nothing is written; with a blank before it.
std::string ReferenceWords(const AssemblyPieces& pieces, uint64_t at, const std::string& own) {
  const auto offset = pieces.buffer().Read<uoffset_t>(at);
  if (offset == 0 || !pieces.buffer().Holds(at + offset, 1)) return Text(" =", Hex(offset));
  const std::optional<uint32_t> target = pieces.PieceAt(at + offset);
  if (!target) return " @" + Hex(at + offset);
  const std::string label = pieces.LabelOf(*target);
  return label == own ? "" : " " + label;
}

// The number of a segment whose DataSegment this table is.
std::optional<uint32_t> SegmentOf(const AssemblyPieces& pieces, uint32_t table, const AssemblySegments& segments) {
  const uint32_t number = pieces[table].place;
  const bool is_one = pieces.LabelOf(table) == Text("segments[", number, ']');
  const bool has_place = is_one && number < segments.extents.size() && segments.extents[number].size != 0;
  return has_place ? std::optional(number) : std::nullopt;
}

// One table's lines, with the padding that an assembler would not put there by itself.
class TableLines {
 public:
  TableLines(const AssemblyPieces& pieces, uint32_t piece, const AssemblySegments& segments, bool is_aligned)
      : pieces_(pieces),
        piece_(piece),
        one_(pieces[piece]),
        segment_(SegmentOf(pieces, piece, segments)),
        is_aligned_(is_aligned) {}

  // Whether the fields are where padding to their sizes puts them.
  bool Write(const TableFields& found) {
    for (const TableField& field : found.fields) {
      const bool is_known = field.slot < one_.type->num_elems;
      PadTo(field.offset, is_known ? field.bytes : 1);
      Field(field, is_known);
      end_ = field.offset + field.bytes;
    }
    PadTo(found.table_bytes, 1);
    return is_placed_;
  }

  const std::string& text() const { return text_; }
  // What the first number of 8 bytes lies behind the table's begin.
  std::optional<uint64_t> eight() const { return eight_; }

 private:
  uint64_t Aligned(uint64_t offset, uint64_t bytes) const {
    if (!is_aligned_) return offset;
    if (bytes == sizeof(uint64_t) && eight_) return offset + (*eight_ - offset) % sizeof(uint64_t);
    return AlignUp(offset, std::min<uint64_t>(bytes, sizeof(uint32_t)));
  }

  void PadTo(uint64_t offset, uint64_t bytes) {
    if (Aligned(end_, bytes) != offset || !IsZeroUpTo(offset)) {
      Padding(offset);
      is_placed_ = is_placed_ && Aligned(offset, bytes) == offset;
    }
    if (bytes == sizeof(uint64_t) && !eight_) eight_ = offset;
  }

  // From the last field's end on.
  const uint8_t* Behind() const { return pieces_.buffer().bytes.data + (one_.at + end_ - pieces_.buffer().base); }
  bool IsZeroUpTo(uint64_t offset) const {
    return std::all_of(Behind(), Behind() + (offset - end_), [](uint8_t one) { return one == 0; });
  }

  void Padding(uint64_t offset) {
    const uint8_t* bytes = Behind();
    const uint64_t count = offset - end_;
    if (count == 0) return;
    text_ += IsZeroUpTo(offset) ? Text("  zeros ", count, "\n") : Text("  hex ", HexBytes(bytes, count), "\n");
  }

  void Field(const TableField& field, bool is_known) {
    const uint64_t at = one_.at + field.offset;
    const FileBytes& buffer = pieces_.buffer();
    if (!is_known) {
      text_ +=
          Text("  unknown:", field.slot, " hex ", HexBytes(buffer.bytes.data + (at - buffer.base), field.bytes), "\n");
      return;
    }
    const flatbuffers::TypeCode code = one_.type->type_codes[field.slot];
    text_ += Text("  ", one_.type->names[field.slot], ':', field.slot, ' ');
    if (IsReference(code)) {
      text_ += "ref" + ReferenceWords(pieces_, at, pieces_.LabelOfField(piece_, field.slot)) + "\n";
      return;
    }
    const NumberWords words = WordsOf(buffer, at, static_cast<ElementaryType>(code.base_type));
    const int64_t tag = field.bytes == 1 ? buffer.Read<int8_t>(at) : field.bytes == 4 ? buffer.Read<int32_t>(at) : -1;
    text_ += Text(words.type, ' ', SegmentWords(one_.type->names[field.slot]).value_or(words.value),
                  EnumComment(*one_.type, field.slot, tag), "\n");
  }

  // Of a segment's place and size, which are those of the piece.
  std::optional<std::string> SegmentWords(std::string_view field) const {
    if (!segment_) return std::nullopt;
    if (field == "offset") return Text("segment[", *segment_, "] - segment_base");
    return Text("segment[", *segment_, "].end - segment[", *segment_, ']');
  }

  const AssemblyPieces& pieces_;
  const uint32_t piece_;
  const AssemblyPiece& one_;
  const std::optional<uint32_t> segment_;
  const bool is_aligned_;
  std::string text_;
  uint64_t end_ = sizeof(flatbuffers::soffset_t);
  std::optional<uint64_t> eight_;
  bool is_placed_ = true;
};

// Which vtable a table has that does not lie in front of it; one that fits its fields is the vtable of another table.
std::string VtableWords(const AssemblyPieces& pieces, const AssemblyPiece& table, const TableFields& found) {
  const std::optional<uint32_t> owner = pieces.VtableAt(found.vtable);
  if (owner && found.is_sound && pieces[*owner].kind == Kind::kTable) return " like " + pieces.LabelOf(*owner);
  if (owner && pieces[*owner].kind == Kind::kVtable) return " vtable " + pieces.LabelOf(*owner);
  if (pieces.buffer().Holds(found.vtable, 1)) return " vtable @" + Hex(found.vtable);
  return Text(" vtable =", pieces.buffer().Read<flatbuffers::soffset_t>(table.at));
}

// How many slots the vtable has beyond that of its last field.
std::string SlotWords(const TableFields& found) {
  const auto slots = static_cast<int>(found.vtable_bytes / sizeof(flatbuffers::voffset_t)) - 2;
  int last = -1;
  for (const TableField& field : found.fields) last = std::max<int>(last, field.slot);
  return slots == last + 1 ? "" : Text(" slots ", slots);
}

// "refs values 0..2 other 4", in which numbers are the vector's own elements.
std::string ReferencesWords(const AssemblyPieces& pieces, uint32_t piece, std::string words) {
  const AssemblyPiece& one = pieces[piece];
  const std::string label = pieces.LabelOf(piece);
  const uint64_t first = one.at + kReferenceBytes, count = (one.end() - first) / kReferenceBytes;
  uint64_t own = 0;  // elements before `i` that are the vector's own, without a break
  for (uint64_t i = 0; i <= count; ++i) {
    const bool is_end = i == count;
    const std::string target =
        is_end ? "" : ReferenceWords(pieces, first + i * kReferenceBytes, Text(label, '[', i, ']'));
    const bool is_own = !is_end && target.empty();
    if (!is_own && own != 0) words += own == 1 ? Text(' ', i - 1) : Text(' ', i - own, "..", i - 1);
    own = is_own ? own + 1 : 0;
    words += target;
  }
  return words;
}

}  // namespace

void AssemblyWriter::Line(std::string_view text) {
  write_(text);
  write_("\n");
}

void AssemblyWriter::Words(std::string_view text, uint64_t bytes) {
  Line(text);
  at_ += bytes;
}

void AssemblyWriter::Label(std::string_view label) { Line(Text("label ", label)); }

Result<bool> AssemblyWriter::IsZero(uint64_t begin, uint64_t end) {
  std::vector<uint8_t> chunk(static_cast<size_t>(std::min<uint64_t>(kChunkBytes, end - begin)));
  while (begin < end) {
    const auto size = static_cast<size_t>(std::min<uint64_t>(chunk.size(), end - begin));
    PTEEDIT_TRY(file_->Read(begin, {chunk.data(), size}));
    if (std::any_of(chunk.begin(), chunk.begin() + static_cast<std::ptrdiff_t>(size), [](uint8_t one) { return one; }))
      return false;
    begin += size;
  }
  return true;
}

// Lines of the piece that a line before has begun.
Status AssemblyWriter::Contents(uint64_t end) {
  const uint64_t size = end - at_;
  PTEEDIT_ASSIGN(const bool is_zero, IsZero(at_, end));
  if (size == 0) return {};
  if (is_zero) {
    Words(Text("  zeros ", size), size);
    return {};
  }
  if (size > kMaxInlineBytes) {
    const std::string& name = file_->name();
    Words(Text("  file ", StringWords(reinterpret_cast<const uint8_t*>(name.data()), name.size()), ' ', at_, ' ', size),
          size);
    return {};
  }
  std::vector<uint8_t> bytes(static_cast<size_t>(size));
  PTEEDIT_TRY(file_->Read(at_, {bytes.data(), bytes.size()}));
  for (size_t i = 0; i < bytes.size(); i += kBytesOfALine)
    Line("  hex " + HexBytes(bytes.data() + i, std::min(kBytesOfALine, bytes.size() - i)));
  at_ = end;
  return {};
}

Status AssemblyWriter::Gap(uint64_t end) {
  if (at_ >= end) return {};
  PTEEDIT_ASSIGN(const bool is_zero, IsZero(at_, end));
  if (is_zero) {
    Words(Text("zeros ", end - at_), end - at_);
    return {};
  }
  Line("bytes");
  return Contents(end);
}

Status AssemblyWriter::AlignTo(uint64_t end) {
  if (at_ > end) return {};
  PTEEDIT_ASSIGN(const bool is_zero, IsZero(at_, end));
  const auto unit = std::ranges::find_if(kSegmentAlignments, [&](uint64_t one) { return AlignUp(at_, one) == end; });
  if (!is_zero || unit == std::end(kSegmentAlignments)) return Gap(end);
  Words(Text("align ", *unit), end - at_);
  return {};
}

Result<std::string> AssemblyWriter::Place(Start start, uint64_t aligned_ahead) {
  const auto padded = [this](uint64_t unit, uint64_t ahead) { return AlignUp(at_ + ahead, unit) - ahead; };
  PTEEDIT_ASSIGN(const bool is_padding, IsZero(at_, start.begin));
  if (is_padding && padded(start.unit, start.ahead) == start.begin) return std::string();
  for (uint64_t unit = 2 * start.unit; is_padding && aligned_ahead != 0 && unit <= kMaxAlignment; unit *= 2) {
    if (padded(unit, aligned_ahead - 1) == start.begin) return Text(" align ", unit);
  }
  PTEEDIT_TRY(Gap(start.begin));
  return std::string(padded(start.unit, start.ahead) == start.begin ? "" : " unaligned");
}

Status AssemblyWriter::Bytes(std::string_view label, uint64_t begin, uint64_t end) {
  PTEEDIT_ASSIGN(const std::string place, Place({begin, 1, 0}, /*aligned_ahead=*/1));
  at_ = begin;
  Line(Text("bytes ", label, place));
  return Contents(end);
}

Status AssemblyWriter::TablePiece(const AssemblyPieces& pieces, uint32_t piece, const AssemblySegments& segments) {
  const AssemblyPiece& table = pieces[piece];
  const TableFields found = pieces.FieldsOf(table.at, *table.type);
  TableLines lines(pieces, piece, segments, /*is_aligned=*/true);
  const bool is_placed = lines.Write(found);
  // Tables lie at multiples of 4, and so that their numbers of 8 bytes are at multiples of 8.
  const uint64_t vtable = table.at - table.begin;
  const uint64_t eight = lines.eight().value_or(0);
  const uint64_t unit = lines.eight() ? sizeof(uint64_t) : sizeof(uint32_t);
  const bool is_aligned = is_placed && table.at % sizeof(uint32_t) == 0 && (table.at + eight) % unit == 0;
  std::string words = Text("table ", pieces.LabelOf(piece));
  if (!table.has_vtable) words += VtableWords(pieces, table, found);
  if (found.is_sound) words += SlotWords(found);
  if (is_aligned) {
    PTEEDIT_ASSIGN(const std::string place, Place({table.begin, unit, vtable + eight}, /*aligned_ahead=*/0));
    Line(words + place);
    write_(lines.text());
    return {};
  }
  PTEEDIT_TRY(Gap(table.begin));
  TableLines packed(pieces, piece, segments, /*is_aligned=*/false);
  packed.Write(found);
  Line(words + " unaligned");
  write_(packed.text());
  return {};
}

Status AssemblyWriter::VectorPiece(const AssemblyPieces& pieces, uint32_t piece) {
  const AssemblyPiece& one = pieces[piece];
  const FileBytes& buffer = pieces.buffer();
  const uint64_t unit = std::max<uint64_t>(one.element_bytes, kReferenceBytes);
  PTEEDIT_ASSIGN(const std::string place, Place({one.begin, unit, kReferenceBytes}, kReferenceBytes + 1));
  const auto type = static_cast<ElementaryType>(one.type->type_codes[one.place].base_type);
  std::string words = Text("vector ", pieces.LabelOf(piece), ' ', TypeWord(one.element_bytes, type), place);
  const uint64_t first = one.at + kReferenceBytes;
  const bool is_contents = one.element_bytes == 1 && one.end() - first > kShortBytes;
  if (is_contents) {
    Line(words);
    at_ = first;
    return Contents(one.end());
  }
  size_t count = 0;
  for (uint64_t at = first; at < one.end(); at += one.element_bytes, ++count) {
    if (count != 0 && count % kNumbersOfALine == 0) {
      Line(words);
      words = " ";
    }
    words += ' ' + WordsOf(buffer, at, type).value;
  }
  Line(words);
  return {};
}

Status AssemblyWriter::Piece(const AssemblyPieces& pieces, uint32_t piece, const AssemblySegments& segments) {
  const AssemblyPiece& one = pieces[piece];
  const FileBytes& buffer = pieces.buffer();
  if (one.kind == Kind::kTable) return TablePiece(pieces, piece, segments);
  if (one.kind == Kind::kVector) return VectorPiece(pieces, piece);
  if (one.kind == Kind::kVtable) {
    PTEEDIT_ASSIGN(const std::string place, Place({one.begin, 1, 0}, 1));
    Line(Text("bytes ", pieces.LabelOf(piece), place));
    std::string words = "  u16";
    for (uint64_t at = one.begin; at < one.end(); at += 2) words += Text(' ', buffer.Read<uint16_t>(at));
    Line(words);
    return {};
  }
  PTEEDIT_ASSIGN(const std::string place, Place({one.begin, kReferenceBytes, 0}, kReferenceBytes + 1));
  const std::string words = pieces.LabelOf(piece) + place;
  if (one.kind == Kind::kReferences) {
    Line(ReferencesWords(pieces, piece, "refs " + words));
  } else {
    const uint8_t* letters = buffer.bytes.data + (one.at + kReferenceBytes - buffer.base);
    Line(Text("string ", words, ' ', StringWords(letters, one.end() - one.at - kReferenceBytes - 1)));
  }
  return {};
}

Status AssemblyWriter::Pieces(const AssemblyPieces& pieces, const AssemblySegments& segments) {
  for (const uint32_t piece : pieces.order()) {
    PTEEDIT_TRY(Piece(pieces, piece, segments));
    at_ = pieces[piece].end();
  }
  return {};
}

}  // namespace pteedit
