#include "work.h"

#include <chrono>
#include <exception>
#include <optional>

namespace pteedit::python {

namespace py = pybind11;

bool IsMainThread() {
  const py::module_ threading = py::module_::import("threading");
  return threading.attr("current_thread")().is(threading.attr("main_thread")());
}

void WaitOrStop(std::future<void>& is_done, const Failures& failures) {
  constexpr std::chrono::milliseconds kLook{50};
  std::optional<py::error_already_set> interrupted;
  const auto is_ready = [&] {
    const py::gil_scoped_release released;
    return is_done.wait_for(kLook) == std::future_status::ready;
  };
  while (!is_ready()) {
    if (PyErr_CheckSignals() == 0) continue;
    interrupted.emplace();
    failures.Stop(true);
  }
  failures.Stop(false);
  if (interrupted) throw *interrupted;
  is_done.get();  // raises where memory was short
}

}  // namespace pteedit::python
