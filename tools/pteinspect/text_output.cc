#include "text_output.h"

#include <unistd.h>

#include "pteedit/planned_file.h"
#include "views.h"

namespace pteedit::inspect {

Status WriteText(const std::string& text, const std::string& output, const std::vector<std::string>& inputs,
                 bool replace) {
  PlannedFile bytes;
  bytes.Append(MakeMemorySource(output, {text.begin(), text.end()}), {0, text.size()});
  if (output == kStandardInput) return WriteStream(bytes, STDOUT_FILENO);
  const auto written = WriteFiles({{output, bytes}}, inputs, {replace, /*hash=*/false, /*raw=*/true, nullptr});
  return written ? Status() : Status(written.error());
}

}  // namespace pteedit::inspect
