#include "text/text_output.h"

#include <unistd.h>

#include <utility>

#include "input_files.h"
#include "pteedit/planned_file.h"

namespace pteedit::cli {

Status WriteTexts(const std::vector<TextOutput>& outputs, const std::vector<std::string>& inputs, bool replace) {
  std::vector<Output> files;
  for (const TextOutput& output : outputs) {
    PlannedFile bytes;
    const ByteSpan text{reinterpret_cast<const uint8_t*>(output.text.data()), output.text.size()};
    bytes.Append(MakeViewSource(output.path, text), {0, text.size});
    files.push_back({output.path, std::move(bytes), output.path == kStandardInput ? STDOUT_FILENO : -1});
  }
  WriteOptions options;
  options.replace = replace;
  const auto written = WriteFiles(files, inputs, options);
  return written ? Status() : Status(written.error());
}

}  // namespace pteedit::cli
