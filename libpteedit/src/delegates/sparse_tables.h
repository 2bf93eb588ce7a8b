// A flatbuffer read from its source table by table. For those that hold weights: the pages around tables and texts are
// kept in memory, the weights are not, and what was not looked at is not verified.
#ifndef PTEEDIT_SRC_DELEGATES_SPARSE_TABLES_H_
#define PTEEDIT_SRC_DELEGATES_SPARSE_TABLES_H_

#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "delegates/blob_reader.h"

namespace pteedit {

// After the first failure every answer is that of an absent field. What was read before may be wrong only by what is
// missing: check status() before use.
class SparseTables {
 public:
  using Field = flatbuffers::voffset_t;  // as generated: TosaGraph::VT_REGIONS
  struct Table {
    uint64_t at = 0;  // 0: there is none
    explicit operator bool() const { return at != 0; }
  };
  struct Vector {
    uint64_t at = 0;  // of the first element, from the flatbuffer's start
    uint32_t count = 0;
    Extent Bytes() const { return {at, count}; }  // of single bytes
  };

  // The flatbuffer is `part` of the blob, which lies inside; messages call it `what`.
  SparseTables(const BlobInput& input, Extent part, const char* what) : input_(input), part_(part), what_(what) {}

  // kUnsupported where an offset leads out, or over a million tables, 64 MiB of pages or 64 MiB of texts and sizes were
  // read; kIo where the source cannot be read.
  Status status() const;

  bool HasIdentifier(std::string_view identifier);  // in bytes 4 to 7
  Table Root();
  template <class Number>
  Number Get(Table table, Field field, Number otherwise) {
    const uint64_t at = Find(table, field);
    return at == 0 ? otherwise : Read<Number>(at);
  }
  Table GetTable(Table table, Field field) { return Follow(Find(table, field)); }
  std::string GetText(Table table, Field field);
  Vector GetVector(Table table, Field field, uint64_t element_size);  // inside the flatbuffer
  std::vector<Table> GetTables(Table table, Field field);
  // What is below zero, a size that is not known, becomes zero.
  std::vector<uint64_t> GetSizes(Table table, Field field);

 private:
  static constexpr uint64_t kPageBytes = 4096;
  Table Follow(uint64_t at);                // the offset there; nothing where `at` is 0
  uint64_t Find(Table table, Field field);  // where its value is; 0: absent
  template <class Number>
  Number Read(uint64_t at) {
    uint8_t bytes[sizeof(Number)] = {};
    Copy(at, {bytes, sizeof(bytes)});
    return Load<Number>(bytes);
  }
  void Copy(uint64_t at, MutableByteSpan out);
  const uint8_t* Page(uint64_t number);
  bool Take(uint64_t tables, uint64_t bytes);
  void Fail(Error error);

  const BlobInput& input_;
  Extent part_;
  const char* what_;
  std::optional<Error> error_;
  std::unordered_map<uint64_t, std::unique_ptr<uint8_t[]>> pages_;
  uint64_t tables_left_ = 1'000'000;
  uint64_t bytes_left_ = uint64_t{64} << 20;
};

}  // namespace pteedit

#endif  // PTEEDIT_SRC_DELEGATES_SPARSE_TABLES_H_
