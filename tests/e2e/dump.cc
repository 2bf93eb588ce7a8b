#include "dump.h"

#include <executorch/devtools/etdump/etdump_flatcc.h>

#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <utility>

namespace pterun {

using executorch::etdump::ETDumpGen;
using executorch::etdump::ETDumpResult;
using executorch::etdump::FileDataSink;
using executorch::runtime::EventTracer;
using executorch::runtime::EventTracerDebugLogLevel;

Dump::Dump(const DumpOptions& options) : options_(options) {
  if (options_.debug_buffer.empty()) return;
  auto values = FileDataSink::create(options_.debug_buffer.c_str());
  if (!values.ok()) throw std::runtime_error(options_.debug_buffer + ": cannot be written");
  values_.emplace(std::move(*values));
}

std::unique_ptr<EventTracer> Dump::MakeTracer() {
  if (options_.dump.empty()) return nullptr;
  auto tracer = std::make_unique<ETDumpGen>();
  if (values_) {
    tracer->set_data_sink(&*values_);
    tracer->set_event_tracer_debug_level(EventTracerDebugLogLevel::kIntermediateOutputs);
  }
  return tracer;
}

void Dump::Write(EventTracer& tracer) {
  const ETDumpResult logged = static_cast<ETDumpGen&>(tracer).get_etdump_data();
  const std::unique_ptr<void, decltype(&std::free)> owned(logged.buf, std::free);
  if (logged.buf == nullptr) throw std::runtime_error("the runtime has logged nothing");
  std::ofstream file(options_.dump, std::ios::binary);
  file.write(static_cast<const char*>(logged.buf), static_cast<std::streamsize>(logged.size));
  if (values_) values_->close();
  if (!file.flush()) throw std::runtime_error(options_.dump + ": cannot be written");
}

}  // namespace pterun
