#include "reports.h"

#include <cstdint>
#include <string>

#include "text.h"

namespace pteedit::python {

namespace py = pybind11;
using cli::Json;

py::object ReportToPython(const Json& report) {  // NOLINT(misc-no-recursion): as deep as reports are
  switch (report.type()) {
    case Json::value_t::object: {
      py::dict dict;
      for (const auto& [name, member] : report.items()) dict[ToPython(name)] = ReportToPython(member);
      return dict;
    }
    case Json::value_t::array: {
      py::list list;
      for (const Json& item : report) list.append(ReportToPython(item));
      return list;
    }
    case Json::value_t::string:
      return ToPython(report.get_ref<const std::string&>());
    case Json::value_t::boolean:
      return py::bool_(report.get<bool>());
    case Json::value_t::number_unsigned:
      return py::int_(report.get<uint64_t>());
    case Json::value_t::number_integer:
      return py::int_(report.get<int64_t>());
    case Json::value_t::number_float:
      return py::float_(report.get<double>());
    default:
      return py::none();
  }
}

}  // namespace pteedit::python
