// What binds programs to data files, read off both.
#ifndef PTEEDIT_TESTS_SUPPORT_BINDINGS_H_
#define PTEEDIT_TESTS_SUPPORT_BINDINGS_H_

#include <string>
#include <string_view>
#include <vector>

#include "program/binding_key.h"
#include "program/container_state.h"

namespace pteedit::test {

using Keys = std::vector<std::string>;

inline Keys BindingsOfProgram(const Container& program) {
  const std::vector<std::string_view> keys = BindingsOf(program.state().program_root());
  return {keys.begin(), keys.end()};
}

inline Keys BindingsOfData(const Container& data) {
  const std::vector<std::string_view> keys = BindingsIn(data);
  return {keys.begin(), keys.end()};
}

}  // namespace pteedit::test

#endif  // PTEEDIT_TESTS_SUPPORT_BINDINGS_H_
