// Text from files, which need not be UTF-8: what is not becomes lone surrogates, as Python does with file names, so
// that nothing is lost and no two names become one.
#ifndef PTEEDIT_PYTHON_TEXT_H_
#define PTEEDIT_PYTHON_TEXT_H_

#include <pybind11/pybind11.h>

#include <string>
#include <string_view>
#include <vector>

#include "pteedit/rare.h"

namespace pteedit::python {

inline pybind11::str ToPython(std::string_view text) {
  PyObject* decoded = PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "surrogateescape");
  if (decoded == nullptr) throw pybind11::error_already_set();
  return pybind11::reinterpret_steal<pybind11::str>(decoded);
}

inline pybind11::list ToPython(const std::vector<std::string>& texts) {
  pybind11::list list;
  for (const std::string& text : texts) list.append(ToPython(text));
  return list;
}

template <class T>
auto ToPython(const Rare<T>& rare) {
  return ToPython(*rare);
}

template <class Items, class ToObject>
pybind11::list ListOf(const Items& items, ToObject to_object) {
  pybind11::list list;
  for (const auto& item : items) list.append(to_object(item));
  return list;
}

// A getter of a member that holds text or a list of texts.
template <class Struct, class Member>
auto TextOf(Member Struct::*member) {
  return [member](const Struct& object) { return ToPython(object.*member); };
}

}  // namespace pteedit::python

#endif  // PTEEDIT_PYTHON_TEXT_H_
