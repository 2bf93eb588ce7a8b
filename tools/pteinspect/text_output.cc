#include "text_output.h"

#include <unistd.h>

#include <optional>
#include <utility>

#include "pteedit/planned_file.h"
#include "views.h"

namespace pteedit::inspect {

Status WriteTexts(const std::vector<TextOutput>& outputs, const std::vector<std::string>& inputs, bool replace) {
  std::vector<Output> files;
  std::optional<PlannedFile> stream;
  for (const TextOutput& output : outputs) {
    PlannedFile bytes;
    bytes.Append(MakeMemorySource(output.path, {output.text.begin(), output.text.end()}), {0, output.text.size()});
    if (output.path == kStandardInput) {
      stream = std::move(bytes);
    } else {
      files.push_back({output.path, std::move(bytes)});
    }
  }
  if (!files.empty()) {
    const auto written = WriteFiles(files, inputs, {replace, /*hash=*/false, /*raw=*/true, nullptr});
    if (!written) return written.error();
  }
  return stream ? WriteStream(*stream, STDOUT_FILENO) : Status();
}

}  // namespace pteedit::inspect
