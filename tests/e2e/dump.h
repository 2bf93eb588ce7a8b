// What the runtime logs while it runs a program: an ETDump, and the values in between where they are wanted.
#ifndef PTERUN_DUMP_H_
#define PTERUN_DUMP_H_

#include <executorch/devtools/etdump/data_sinks/file_data_sink.h>
#include <executorch/runtime/core/event_tracer.h>

#include <memory>
#include <optional>
#include <string>

namespace pterun {

struct DumpOptions {
  std::string dump;          // path of the ETDump; empty: nothing is logged
  std::string debug_buffer;  // path of the file with values; empty: none are logged
};

class Dump {
 public:
  // Throws std::runtime_error where the file of values cannot be written.
  explicit Dump(const DumpOptions& options);

  // For one module, which then has to be gone before this; null where nothing is to be logged.
  std::unique_ptr<executorch::runtime::EventTracer> MakeTracer();

  // Writes what such a tracer has logged so far; once. Throws std::runtime_error.
  void Write(executorch::runtime::EventTracer& tracer);

 private:
  DumpOptions options_;
  std::optional<executorch::etdump::FileDataSink> values_;
};

}  // namespace pterun

#endif  // PTERUN_DUMP_H_
