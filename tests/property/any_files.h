// Programs for rapidcheck's properties.
#ifndef PTEEDIT_TESTS_PROPERTY_ANY_FILES_H_
#define PTEEDIT_TESTS_PROPERTY_ANY_FILES_H_

#include <rapidcheck.h>

#include <string>
#include <utility>

#include "generated_files.h"
#include "laws.h"

namespace pteedit::test {

inline Files FilesFrom(const Tape& tape) {
  GeneratedFiles generated = MakeFiles(tape);
  return {std::move(generated.program), std::move(generated.data), generated.least_alignment};
}

inline Files AnyFiles() {
  constexpr int kChoicesPerSize = 12;  // about a thousand choices in the largest programs
  const auto tape = *rc::gen::withSize([](int size) {
                       return rc::gen::resize(
                           size * kChoicesPerSize,
                           rc::gen::container<Tape>(rc::gen::resize(rc::kNominalSize, rc::gen::arbitrary<uint16_t>())));
                     }).as("tape of choices");
  return FilesFrom(tape);
}

inline void Holds(const std::string& problem) {
  if (!problem.empty()) RC_FAIL(problem);
}

}  // namespace pteedit::test

#endif  // PTEEDIT_TESTS_PROPERTY_ANY_FILES_H_
