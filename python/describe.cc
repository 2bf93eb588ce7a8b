#include "describe.h"

#include <pybind11/stl.h>

#include "pteedit/describe.h"
#include "pteedit/sizes.h"
#include "text.h"

namespace pteedit::python {
namespace {

namespace py = pybind11;

void AddLayouts(py::module_& module) {
  py::class_<Extent>(module, "Extent")
      .def(py::init([](uint64_t offset, uint64_t size) {
             return Extent{offset, size};
           }),
           py::arg("offset"), py::arg("size"))
      .def_readonly("offset", &Extent::offset)
      .def_readonly("size", &Extent::size);
  py::class_<TensorLayout, std::shared_ptr<TensorLayout>>(module, "TensorLayout")
      .def_property_readonly("dtype", [](const TensorLayout& layout) { return ScalarTypeName(layout.scalar_type); })
      .def_readonly("scalar_type", &TensorLayout::scalar_type)
      .def_readonly("sizes", &TensorLayout::sizes)
      .def_readonly("dim_order", &TensorLayout::dim_order);
}

void AddSizes(py::module_& module) {
  py::class_<SizeNode> node(module, "SizeNode");
  py::class_<SizeNode::Reference>(node, "Reference")
      .def_property_readonly("key", TextOf(&SizeNode::Reference::key))
      .def_readonly("bytes", &SizeNode::Reference::bytes)
      .def_property_readonly("name", TextOf(&SizeNode::Reference::name));
  node.def_property_readonly("name", [](const SizeNode& one) { return ToPython(one.name); })
      .def_readonly("size", &SizeNode::size)
      .def_readonly("components", &SizeNode::components)
      .def_property_readonly("aliases", [](const SizeNode& one) { return ToPython(one.more->aliases); })
      .def_property_readonly("note", [](const SizeNode& one) { return ToPython(one.more->note); })
      .def_property_readonly("dtype", [](const SizeNode& one) { return ToPython(one.dtype); })
      .def_property_readonly("module", [](const SizeNode& one) { return ToPython(one.module()); })
      .def_property_readonly("refers_to", [](const SizeNode& one) { return one.more->refers_to; });
}

void AddMethods(py::module_& module) {
  py::class_<ValueDescription>(module, "ValueDescription")
      .def_readonly("value", &ValueDescription::value)
      .def_readonly("type", &ValueDescription::type)
      .def_property_readonly(
          "layout", [](const ValueDescription& value) { return std::const_pointer_cast<TensorLayout>(value.layout); });
  py::class_<MethodDescription>(module, "MethodDescription")
      .def_property_readonly("name", TextOf(&MethodDescription::name))
      .def_readonly("inputs", &MethodDescription::inputs)
      .def_readonly("outputs", &MethodDescription::outputs)
      .def_readonly("instructions", &MethodDescription::instructions)
      .def_readonly("kernel_calls", &MethodDescription::kernel_calls)
      .def_readonly("delegate_calls", &MethodDescription::delegate_calls)
      .def_readonly("planned_bytes", &MethodDescription::planned_bytes);
  py::class_<OperatorDescription>(module, "OperatorDescription")
      .def_property_readonly("name", TextOf(&OperatorDescription::name))
      .def_readonly("calls", &OperatorDescription::calls)
      .def_property_readonly("methods", TextOf(&OperatorDescription::methods));
}

void AddData(py::module_& module) {
  py::class_<TensorDescription>(module, "TensorDescription")
      .def_property_readonly("name", TextOf(&TensorDescription::name))
      .def_property_readonly("aliases", TextOf(&TensorDescription::aliases))
      .def_property_readonly("method", TextOf(&TensorDescription::method))
      .def_readonly("value", &TensorDescription::value)
      .def_property_readonly("layout", [](const TensorDescription& one) { return *one.layout; })
      .def_readonly("bytes", &TensorDescription::bytes)
      .def_readonly("store", &TensorDescription::store)
      .def_property_readonly("key", TextOf(&TensorDescription::key))
      .def_property_readonly("extent", [](const TensorDescription& one) {
        return one.extent ? std::optional(*one.extent) : std::nullopt;
      });
  py::class_<SegmentDescription>(module, "SegmentDescription")
      .def_readonly("index", &SegmentDescription::index)
      .def_readonly("extent", &SegmentDescription::extent)
      .def_readonly("alignment", &SegmentDescription::alignment)
      .def_property_readonly("users", TextOf(&SegmentDescription::users));
  py::class_<NamedDataDescription>(module, "NamedDataDescription")
      .def_property_readonly("key", TextOf(&NamedDataDescription::key))
      .def_property_readonly("names", TextOf(&NamedDataDescription::names))
      .def_readonly("bytes", &NamedDataDescription::bytes)
      .def_property_readonly(
          "layout", [](const NamedDataDescription& entry) { return std::optional<TensorLayout>(entry.layout); })
      .def_readonly("sharers", &NamedDataDescription::sharers)
      .def_readonly("extent", &NamedDataDescription::extent);
}

}  // namespace

void AddDescriptions(py::module_& module) {
  AddLayouts(module);
  AddSizes(module);
  AddMethods(module);
  AddData(module);
  py::class_<Description>(module, "Description")
      .def_readonly("methods", &Description::methods)
      .def_readonly("tensors", &Description::tensors)
      .def_readonly("segments", &Description::segments)
      .def_readonly("named_data", &Description::named_data)
      .def_readonly("operators", &Description::operators);
}

}  // namespace pteedit::python
