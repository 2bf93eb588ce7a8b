#include "looks.h"

#include <pybind11/stl.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "pteedit/describe.h"
#include "pteedit/execution.h"
#include "pteedit/metadata.h"
#include "pteedit/test_cases.h"
#include "text.h"
#include "work.h"

namespace pteedit::python {
namespace {

namespace py = pybind11;
using py::literals::operator""_a;

template <class Call>
auto WithoutGil(const Call& call) {
  const py::gil_scoped_release released;
  return call();
}

py::object NumberOrNone(const std::optional<uint64_t>& number) {
  return number ? py::object(py::int_(*number)) : py::object(py::none());
}

// Chain, index, kind, target, values, jump. Operators are few: their names are made once.
class InstructionTuples {
 public:
  py::tuple operator()(const InstructionDescription& row) {
    py::object& target = targets_[row.target];
    if (!target) target = row.target.empty() ? py::object(py::none()) : ToPython(row.target);
    py::tuple values(row.values.size());
    for (size_t i = 0; i < row.values.size(); ++i) values[i] = row.values[i];
    return py::make_tuple(row.chain, row.index, NameOf(row.kind), target, values, NumberOrNone(row.jumps));
  }

 private:
  std::map<std::string, py::object> targets_;
};

// A list for each method, in file order.
py::list Instructions(const OpenedFile& file) {
  const auto counts = WithoutGil([&] { return Describe(file.container(), kMethodRows).methods; });
  const auto rows = WithoutGil([&] { return DescribeInstructions(file.container()); });
  InstructionTuples to_tuple;
  py::list methods;
  auto row = rows.begin();
  for (const MethodDescription& method : counts) {
    py::list list;
    for (uint64_t i = 0; i < method.instructions; ++i) list.append(to_tuple(*row++));
    methods.append(std::move(list));
  }
  return methods;
}

py::tuple PlannedTuple(const PlannedTensor& tensor) {
  return py::make_tuple(tensor.value, tensor.arena, tensor.offset, NumberOrNone(tensor.bytes),
                        NumberOrNone(tensor.first), NumberOrNone(tensor.last));
}

// Arenas, whether there are lifetimes, and tensors, of each method in file order.
py::list Memory(const OpenedFile& file) {
  return ListOf(WithoutGil([&] { return DescribeMemory(file.container()); }), [](const MethodMemory& memory) {
    return py::make_tuple(memory.arenas, memory.has_lifetimes, ListOf(memory.tensors, PlannedTuple));
  });
}

// Type, name, store, layout, text and items.
py::tuple Value(const OpenedFile& file, size_t method, uint64_t index) {
  std::optional<MethodValue> value = DescribeValue(file.container(), method, index);
  if (!value) throw py::index_error("there is no such value");
  auto layout = value->layout ? std::make_shared<TensorLayout>(*std::move(value->layout)) : nullptr;
  return py::make_tuple(value->type, ToPython(value->name), value->store, layout, ToPython(value->text), value->items);
}

// Name, and type and text of each value.
py::list ConstantMethods(const OpenedFile& file) {
  return ListOf(DescribeConstantMethods(file.container()), [](const ConstantMethod& method) {
    return py::make_tuple(ToPython(method.method), ListOf(method.values, [](const ConstantMethod::Value& value) {
                            return py::make_tuple(value.type, ToPython(value.text));
                          }));
  });
}

py::object FactObject(const MetadataValue& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return ToPython(*text);
  if (const auto* bytes = std::get_if<std::vector<uint8_t>>(&value)) {
    return py::bytes(reinterpret_cast<const char*>(bytes->data()), bytes->size());
  }
  return std::visit([](const auto& number) { return py::cast(number); }, value);
}

// Key and value; None where that is long.
py::list Metadata(const OpenedFile& file) {
  const Container& container = file.container();
  const auto entries = Work(
      file.failure(), [&] { return ReadMetadata(container.program() != nullptr ? *container.program() : container); });
  return ListOf(entries, [](const MetadataEntry& entry) {
    return py::make_tuple(ToPython(entry.key), entry.value ? FactObject(*entry.value) : py::object(py::none()));
  });
}

// Layout or None, where the bytes lie, and a number or None.
py::tuple TestValueTuple(const TestValue& value) {
  auto layout = value.layout ? std::make_shared<TensorLayout>(*value.layout) : nullptr;
  return py::make_tuple(layout, value.extent, value.number);
}

// Method, inputs and expected outputs.
py::list TestCases(const OpenedFile& file) {
  return ListOf(DescribeTestCases(file.container()), [](const TestCase& one) {
    return py::make_tuple(ToPython(one.method), ListOf(one.inputs, TestValueTuple),
                          ListOf(one.expected_outputs, TestValueTuple));
  });
}

}  // namespace

void AddLooks(py::class_<OpenedFile>& container) {
  container.def("instructions", &Instructions)
      .def("memory", &Memory)
      .def(
          "count_values", [](const OpenedFile& file, size_t method) { return CountValues(file.container(), method); },
          "method"_a)
      .def("value", &Value, "method"_a, "index"_a)
      .def("constant_methods", &ConstantMethods)
      .def("metadata", &Metadata)
      .def("test_cases", &TestCases);
}

}  // namespace pteedit::python
