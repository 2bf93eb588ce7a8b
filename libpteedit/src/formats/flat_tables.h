// A flatbuffer in memory read table by table, for formats that we have no schema of: every offset and length is
// checked where it is read, here and nowhere else.
#ifndef PTEEDIT_SRC_FORMATS_FLAT_TABLES_H_
#define PTEEDIT_SRC_FORMATS_FLAT_TABLES_H_

#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

#include "pteedit/bytes.h"
#include "pteedit/result.h"

namespace pteedit {

// After the first failure every answer is that of an absent field, so a walk ends soon; ask status() before what was
// read is used. All places count from the start of the file.
class FlatTables {
 public:
  struct Table {
    uint64_t at = 0;  // 0: there is none
    explicit operator bool() const { return at != 0; }
  };
  struct Vector {
    uint64_t at = 0;  // of the length in front of the elements; 0: there is none
    uint32_t count = 0;
    explicit operator bool() const { return at != 0; }
  };

  // `file` outlives this; the flatbuffer takes its bytes `buffer`, which lie inside. Messages begin with `what`.
  FlatTables(ByteSpan file, Extent buffer, const char* what);

  // kMalformed where an offset leads out of the flatbuffer, or where tables are reached many times more often than the
  // file could hold them.
  Status status() const;

  Table Root();
  // Of the field with this number, counted from 0 as in the schema.
  template <class Number>
  Number Get(Table table, uint32_t field, Number otherwise) {
    const uint64_t at = Find(table, field);
    return at == 0 ? otherwise : Read<Number>(at);
  }
  Table GetTable(Table table, uint32_t field) {
    const uint64_t at = Find(table, field);
    return at == 0 ? Table() : Enter(at);
  }
  // Views the file.
  std::string_view GetText(Table table, uint32_t field);
  Vector GetVector(Table table, uint32_t field, uint64_t element_size);
  // Element `index` < count of a vector of tables, or of numbers.
  Table TableAt(Vector vector, uint32_t index);
  template <class Number>
  Number NumberAt(Vector vector, uint32_t index) {
    return Read<Number>(vector.at + sizeof(uint32_t) + uint64_t{index} * sizeof(Number));
  }

  // What they take of the file: a table without its list of fields, which others may share; that list; a vector with
  // its length; a text with the zero behind it. Empty where there is none.
  Extent PlaceOf(Table table);
  Extent FieldListOf(Table table);
  Extent PlaceOf(Vector vector, uint64_t element_size) const;
  Extent PlaceOfText(Table table, uint32_t field);

 private:
  template <class Number>
  Number Read(uint64_t at) {
    Number number{};
    if (const uint8_t* bytes = Bytes(at, sizeof(Number))) std::memcpy(&number, bytes, sizeof(Number));
    return number;
  }
  const uint8_t* Bytes(uint64_t at, uint64_t size);
  Table Enter(uint64_t at);                    // what the offset there leads to
  uint64_t FieldsOf(Table table);              // where its list of fields is
  uint64_t Find(Table table, uint32_t field);  // where the field's value is; 0: absent
  void Fail(Error error);

  ByteSpan file_;
  Extent buffer_;
  const char* what_;
  uint64_t tables_left_;
  std::optional<Error> error_;
};

}  // namespace pteedit

#endif  // PTEEDIT_SRC_FORMATS_FLAT_TABLES_H_
