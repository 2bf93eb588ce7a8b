#include "request.h"

#include <algorithm>

#include "file_names.h"

namespace pteedit::cli {

std::vector<std::string> FilesOf(const Request& request) {
  std::vector<std::string> files = {request.dump,         request.program,    request.record,
                                    request.debug_buffer, request.debug_file, request.baseline};
  for (const auto* more : {&request.more_dumps, &request.data, &request.names})
    files.insert(files.end(), more->begin(), more->end());
  if (const Result<std::vector<std::string>> gap = SplitFileNames(request.gap); gap && !request.gap.empty())
    files.insert(files.end(), gap->begin(), gap->end());
  files.erase(std::remove(files.begin(), files.end(), std::string()), files.end());
  return files;
}

}  // namespace pteedit::cli
