#include "errors.h"

#include <cerrno>
#include <string>

#include "pteedit/text.h"
#include "text.h"
#include "work.h"

namespace pteedit::python {
namespace {

namespace py = pybind11;

PyObject* error_type = nullptr;  // for ever, as types of modules are

const char* NameOf(ErrorCode code) {
  switch (code) {
    case ErrorCode::kMalformed:
      return "malformed";
    case ErrorCode::kUnsupported:
      return "unsupported";
    default:
      return "invalid-argument";
  }
}

py::object TextOrNone(std::string_view text) { return text.empty() ? py::object(py::none()) : ToPython(text); }

// As Python's own: FileNotFoundError and its like, by errno.
void SetOsError(const Error& error, int number) {
  py::list words;
  words.append(number);
  words.append(ToPython(error.message));
  if (!error.file.empty()) words.append(ToPython(error.file));
  PyErr_SetObject(PyExc_OSError, py::tuple(words).ptr());
}

void SetLine(PyObject* type, const Error& error) {
  const std::string place = error.file.empty() ? "" : EscapeControl(error.file) + ": ";
  PyErr_SetObject(type, ToPython(place + error.message).ptr());
}

}  // namespace

void AddErrors(py::module_& module) {
  error_type = PyErr_NewExceptionWithDoc(
      "pteedit.Error",
      "A file that is malformed or not fully understood, or a call that makes no sense. `code`: \"malformed\", "
      "\"unsupported\" or \"invalid-argument\". `file`: its name, or None. `finding`: the id under which verification "
      "lists it (docs/findings.md), or None.",
      PyExc_ValueError, nullptr);
  if (error_type == nullptr) throw py::error_already_set();
  module.add_object("Error", error_type);
}

void Raise(const Error& error) {
  if (error.code == ErrorCode::kIo && error.system_error == 0 && error.file.empty()) {
    SetLine(PyExc_OSError, error);
  } else if (error.code == ErrorCode::kIo) {
    SetOsError(error, error.system_error != 0 ? error.system_error : EIO);  // such as a file that became shorter
  } else if (error.code == ErrorCode::kExists) {
    SetOsError(error, EEXIST);
  } else {
    SetLine(error_type, error);
    py::error_already_set raised;
    py::object value = raised.value();
    value.attr("code") = NameOf(error.code);
    value.attr("file") = TextOrNone(error.file);
    value.attr("finding") = TextOrNone(error.finding);
    throw raised;
  }
  throw py::error_already_set();
}

}  // namespace pteedit::python
