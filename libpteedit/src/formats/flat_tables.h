// A flatbuffer read table by table, for formats that we have no schema of and for those that hold weights: every offset
// and length is checked where it is read, here and nowhere else, and what was not looked at is not verified.
#ifndef PTEEDIT_SRC_FORMATS_FLAT_TABLES_H_
#define PTEEDIT_SRC_FORMATS_FLAT_TABLES_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/load.h"
#include "pteedit/bytes.h"
#include "pteedit/result.h"
#include "pteedit/source.h"

namespace pteedit {

// After the first failure every answer is that of an absent field, so a walk ends soon; ask status() before what was
// read is used. All places count from the flatbuffer's start.
class FlatTables {
 public:
  using Field = uint16_t;  // its place in lists of fields: 4 for a table's first, 6, …; what flatc calls VT_NAME
  struct Table {
    uint64_t at = 0;  // 0: there is none
    explicit operator bool() const { return at != 0; }
  };
  struct Vector {
    uint64_t at = 0;  // of the first element, behind the length; 0: there is none
    uint32_t count = 0;
    explicit operator bool() const { return at != 0; }
    Extent Bytes() const { return {at, count}; }  // of single bytes
  };

  // All of it in memory, which outlives this. Messages begin with `what`.
  FlatTables(ByteSpan memory, const char* what);
  // A part of `source`, which lies inside: pages around what is looked at are kept, the rest is never read.
  FlatTables(std::shared_ptr<const Source> source, Extent part, const char* what);

  // kMalformed, or kUnsupported for a part of a source, where an offset leads out, where tables are reached many times
  // more often than there can be any, or where over 64 MiB of pages or of texts and sizes were read; kIo where the
  // source cannot be read.
  Status status() const;

  bool HasIdentifier(std::string_view identifier);  // in bytes 4 to 7
  Table Root();
  template <class Number>
  Number Get(Table table, Field field, Number otherwise) {
    const uint64_t at = Find(table, field);
    return at == 0 ? otherwise : Read<Number>(at);
  }
  Table GetTable(Table table, Field field) {
    const uint64_t at = Find(table, field);
    return at == 0 ? Table() : Enter(at);
  }
  std::string GetText(Table table, Field field) { return TextAt(GetTable(table, field)); }
  std::vector<std::string> GetTexts(Table table, Field field);
  Vector GetVector(Table table, Field field, uint64_t element_size) {  // inside the flatbuffer
    return VectorAt(GetTable(table, field), element_size);
  }
  std::vector<Table> GetTables(Table table, Field field);
  // What is below zero, a size that is not known, becomes zero.
  std::vector<uint64_t> GetSizes(Table table, Field field);
  // Element `index` < count of a vector of numbers.
  template <class Number>
  Number NumberAt(Vector vector, uint32_t index) {
    return Read<Number>(vector.at + uint64_t{index} * sizeof(Number));
  }

  // What they take: a table without its list of fields, which others may share; that list; a vector with its length; a
  // text with the zero behind it. Empty where there is none.
  Extent PlaceOf(Table table);
  Extent FieldListOf(Table table);
  Extent PlaceOf(Vector vector, uint64_t element_size) const;
  Extent PlaceOfText(Table table, Field field);

 private:
  template <class Number>
  Number Read(uint64_t at) {
    uint8_t bytes[sizeof(Number)] = {};
    Copy(at, {bytes, sizeof(bytes)});
    return Load<Number>(bytes);
  }
  bool IsInside(uint64_t at, uint64_t size);
  void Copy(uint64_t at, MutableByteSpan out);
  const uint8_t* Page(uint64_t number);
  bool Take(uint64_t bytes);
  Vector VectorAt(Table start, uint64_t element_size);  // where its length is
  std::string TextAt(Table start);
  Table Enter(uint64_t at);                 // what the offset there leads to
  uint64_t FieldsOf(Table table);           // where its list of fields is
  uint64_t Find(Table table, Field field);  // where the field's value is; 0: absent
  void Fail(const std::string& message);

  ByteSpan memory_;                       // of no bytes for a part of a source
  std::shared_ptr<const Source> source_;  // null for what is in memory
  Extent part_;
  const char* what_;
  uint64_t tables_left_;
  uint64_t bytes_left_ = uint64_t{64} << 20;
  std::map<uint64_t, std::unique_ptr<uint8_t[]>> pages_;
  std::optional<Error> error_;
};

}  // namespace pteedit

#endif  // PTEEDIT_SRC_FORMATS_FLAT_TABLES_H_
