// Random but sound programs with their data files. They are built with flatc's own builder functions, which the library
// does not use, and laid out here, not by the planner; what exporters do and what they merely may do are both in.
#ifndef PTEEDIT_TESTS_PROPERTY_GENERATED_FILES_H_
#define PTEEDIT_TESTS_PROPERTY_GENERATED_FILES_H_

#include <cstdint>
#include <iosfwd>
#include <vector>

#include "independent_reader.h"

namespace pteedit::test {

// Every choice the generator makes is the next number of a tape; behind its end all are 0, which means the simplest
// there is. So shrinking the tape shrinks the files.
using Tape = std::vector<uint16_t>;

struct GeneratedFiles {
  FileBytes program;
  std::vector<FileBytes> data;
  uint64_t least_alignment = 0;  // that any segment of the program was placed with
};

GeneratedFiles MakeFiles(const Tape& tape);

}  // namespace pteedit::test

#endif  // PTEEDIT_TESTS_PROPERTY_GENERATED_FILES_H_
