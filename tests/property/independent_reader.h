// A second reader of our formats, written from the schemas and FORMAT.md alone: it walks vtables itself and shares no
// line with the library or flatc's accessors, so that a mistake in those is not repeated here. It turns files into
// lines of text that are compared; what two files say is the same if their lines are.
#ifndef PTEEDIT_TESTS_PROPERTY_INDEPENDENT_READER_H_
#define PTEEDIT_TESTS_PROPERTY_INDEPENDENT_READER_H_

#include <cstdint>
#include <string>
#include <vector>

namespace pteedit::test {

using FileBytes = std::vector<uint8_t>;
using Lines = std::vector<std::string>;

enum class Detail {
  kTables,   // every field of every table with null and empty told apart, and the bytes of every segment; all but their
             // places
  kMeaning,  // what runs: as kTables, but tensors with the bytes that they start with, wherever these are and whatever
             // their key or buffer; named data and data files by key, without what only tensors read; no segments
};

// Of a program or bundled program with its data files. Throws std::runtime_error where the file is not understood,
// fields that the schema does not have included.
Lines ReadIndependently(const FileBytes& program, const std::vector<FileBytes>& data, Detail detail);

// Of a data file: its entries with layouts and bytes, in file order.
Lines ReadDataIndependently(const FileBytes& data);

// Of a program or data file; a bundle is all tables.
struct Places {
  uint64_t tables_bytes = 0;           // with header
  uint64_t segment_base = 0;           // 0 without a header
  std::vector<uint64_t> segments;      // where in the file each one with bytes begins
  std::vector<uint64_t> inline_blobs;  // the same, of constants and delegate data inside the tables
};
Places ReadPlaces(const FileBytes& file);

// The first line that differs, with its neighbour; empty where none does.
std::string FirstDifference(const Lines& before, const Lines& after);

}  // namespace pteedit::test

#endif  // PTEEDIT_TESTS_PROPERTY_INDEPENDENT_READER_H_
