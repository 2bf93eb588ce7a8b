#include "reports.h"

#include <pybind11/stl.h>

#include "text.h"

namespace pteedit::python {
namespace {

namespace py = pybind11;
using namespace py::literals;  // NOLINT: "name"_a

py::object TextOrNone(const std::string& text) { return text.empty() ? py::none() : py::object(ToPython(text)); }

template <class Items, class ToDict>
py::list ListOf(const Items& items, ToDict to_dict) {
  py::list list;
  for (const auto& item : items) list.append(to_dict(item));
  return list;
}

py::dict ConstantDict(const DelegateConstant& constant) {
  return py::dict("name"_a = TextOrNone(constant.name), "key"_a = TextOrNone(constant.key),
                  "dtype"_a = ToPython(constant.dtype), "sizes"_a = constant.sizes, "bytes"_a = constant.bytes);
}

py::dict KeyDict(const DelegateDescription::Key& key) {
  return py::dict("key"_a = ToPython(key.key), "bytes"_a = key.bytes, "file"_a = TextOrNone(key.file));
}

py::dict CompileSpecDict(const DelegateDescription::CompileSpec& spec) {
  return py::dict("key"_a = ToPython(spec.key), "bytes"_a = spec.bytes, "text"_a = TextOrNone(spec.text));
}

py::dict DelegateDict(const DelegateDescription& delegate) {
  py::dict row("name"_a = ToPython(delegate.name), "backend"_a = ToPython(delegate.backend),
               "method"_a = ToPython(delegate.method), "size"_a = delegate.blob.size,
               "segment"_a = delegate.is_inline ? py::none() : py::object(py::int_(delegate.index)),
               "same_as"_a = TextOrNone(delegate.shared_with), "decoded"_a = delegate.decoded);
  if (!delegate.decoded) row["why_opaque"] = TextOrNone(delegate.why_opaque);
  row["operators"] = ToPython(delegate.operators);
  row["constants"] = ListOf(delegate.constants, ConstantDict);
  row["keys"] = ListOf(delegate.keys, KeyDict);
  row["parts"] = ListOf(delegate.parts, [](const DelegateDescription::Part& part) {
    return py::dict("name"_a = ToPython(part.name), "size"_a = part.size);
  });
  row["compile_specs"] = ListOf(delegate.compile_specs, CompileSpecDict);
  py::dict facts;
  for (const DelegateFact& fact : delegate.facts) facts[ToPython(fact.name)] = ToPython(fact.value);
  row["facts"] = facts;
  if (!delegate.strings.empty()) row["strings"] = ToPython(delegate.strings);
  return row;
}

py::dict SizeChangeDict(const SizeChange& change) {
  return py::dict("change"_a = change.change, "component"_a = ToPython(change.what), "name"_a = ToPython(change.name),
                  "old_component"_a = TextOrNone(change.old_what), "old_name"_a = TextOrNone(change.old_name),
                  "old_bytes"_a = change.old_bytes, "new_bytes"_a = change.new_bytes);
}

py::dict MethodChangeDict(const MethodChange& change) {
  return py::dict("change"_a = change.change, "name"_a = ToPython(change.name),
                  "old_instructions"_a = change.old_instructions, "new_instructions"_a = change.new_instructions,
                  "old_planned_bytes"_a = change.old_planned_bytes, "new_planned_bytes"_a = change.new_planned_bytes);
}

py::dict OperatorChangeDict(const OperatorChange& change) {
  return py::dict("name"_a = ToPython(change.name), "delegate"_a = TextOrNone(change.delegate),
                  "old_calls"_a = change.old_calls, "new_calls"_a = change.new_calls);
}

}  // namespace

py::list DelegatesReport(const std::vector<DelegateDescription>& delegates) { return ListOf(delegates, DelegateDict); }

py::dict DiffReport(const DiffedFiles& files, const FileDiff& diff) {
  const auto name = [](const Container& file) { return ToPython(file.name()); };
  return py::dict("old"_a = name(files.old), "old_data"_a = ListOf(files.old_data, name), "new"_a = name(files.now),
                  "new_data"_a = ListOf(files.new_data, name), "old_bytes"_a = diff.old_bytes,
                  "new_bytes"_a = diff.new_bytes, "sizes"_a = ListOf(diff.sizes, SizeChangeDict),
                  "methods"_a = ListOf(diff.methods, MethodChangeDict),
                  "operators"_a = ListOf(diff.operators, OperatorChangeDict));
}

}  // namespace pteedit::python
