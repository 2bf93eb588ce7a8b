// What a flatbuffer is made of, whatever its bytes say: the tables, vectors and strings that its root leads to. What a
// damaged one says that cannot be is no piece, and what pieces refer to is then a number.
#ifndef PTEEDIT_SRC_ASSEMBLY_ASSEMBLY_PIECES_H_
#define PTEEDIT_SRC_ASSEMBLY_ASSEMBLY_PIECES_H_

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "flatbuffers/flatbuffers.h"
#include "flatbuffers/minireflect.h"
#include "pteedit/bytes.h"

namespace pteedit {

// Bytes [base, base + bytes.size) of a file, which the caller keeps alive. All places count from the start of the file.
struct FileBytes {
  ByteSpan bytes;
  uint64_t base = 0;

  uint64_t end() const { return base + bytes.size; }
  bool Holds(uint64_t at, uint64_t size) const;
  template <class Number>
  Number Read(uint64_t at) const {
    return flatbuffers::ReadScalar<Number>(bytes.data + (at - base));
  }
};

struct TableField {
  uint16_t offset = 0;  // in the table
  uint16_t slot = 0;
  uint32_t bytes = 0;  // of a field that the type does not know, those up to the next
};

// A table as its vtable says; of one that it cannot be, only the fields that can.
struct TableFields {
  std::vector<TableField> fields;  // ascending, apart from each other
  uint64_t vtable = 0;             // where it should be
  uint32_t vtable_bytes = 0;       // 0: it is not there
  uint32_t table_bytes = 4;        // through the last field, or as the vtable says if that is all right
  bool is_sound = false;           // whether an assembler would make this vtable of these fields
};

struct AssemblyPiece {
  enum class Kind : uint8_t { kTable, kVtable, kVector, kReferences, kString };
  static constexpr uint32_t kNone = ~uint32_t{0};

  Kind kind = Kind::kTable;
  bool has_vtable = false;    // of a table: right in front, and with it
  uint8_t element_bytes = 1;  // of a vector
  uint32_t bytes = 0;         // from `at` on: all of a flatbuffer has less than 4 GiB
  uint64_t begin = 0;
  uint64_t at = 0;                               // where references lead
  uint32_t parent = kNone;                       // a table, or the vector that the piece is element `place` of
  uint32_t place = 0;                            // else a slot
  const flatbuffers::TypeTable* type = nullptr;  // of a table, and of the table that has the vector

  uint64_t end() const { return at + bytes; }
};

class AssemblyPieces {
 public:
  // Of the flatbuffer `buffer`, whose first `head_bytes` are spoken for and begin with a reference to the root. Its
  // labels begin with `prefix`. Takes time linear in the bytes.
  AssemblyPieces(const FileBytes& buffer, uint64_t head_bytes, const flatbuffers::TypeTable& root_type,
                 std::string prefix);

  const FileBytes& buffer() const { return buffer_; }
  const std::vector<uint32_t>& order() const { return order_; }  // of pieces, ascending by place
  const AssemblyPiece& operator[](uint32_t piece) const { return pieces_[piece]; }

  // "execution_plan[0].values[3].val".
  std::string LabelOf(uint32_t piece) const;
  // The label that a reference in a table or vector has by itself.
  std::string LabelOfField(uint32_t table, size_t slot) const;
  std::optional<uint32_t> PieceAt(uint64_t at) const;
  // The table whose vtable this is, or the vtable as a piece.
  std::optional<uint32_t> VtableAt(uint64_t at) const;
  TableFields FieldsOf(uint64_t table, const flatbuffers::TypeTable& type) const;

 private:
  void GiveVtables();
  bool Claim(uint64_t begin, uint64_t end);
  bool IsFree(uint64_t begin, uint64_t end) const;
  uint64_t TargetOf(uint64_t at) const;  // 0: there is none
  void VisitTable(uint64_t at, const flatbuffers::TypeTable& type, uint32_t parent, uint32_t place);
  void VisitField(uint32_t table, uint64_t at, size_t field);
  void VisitVector(uint64_t at, const flatbuffers::TypeTable& type, size_t field, uint32_t parent);
  void VisitString(uint64_t at, uint32_t parent, uint32_t place);
  const flatbuffers::TypeTable* ChildType(uint32_t table, const flatbuffers::TypeTable& type, size_t field) const;
  uint32_t Add(AssemblyPiece piece);

  FileBytes buffer_;
  std::string prefix_;
  std::vector<bool> claimed_;
  std::deque<AssemblyPiece> pieces_;  // many: none is copied when it grows
  std::vector<uint32_t> order_;
};

}  // namespace pteedit

#endif  // PTEEDIT_SRC_ASSEMBLY_ASSEMBLY_PIECES_H_
