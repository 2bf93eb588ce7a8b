#include "text/inputs.h"

#include <unistd.h>

#include <cstdlib>

#include "progress.h"
#include "pteedit/try.h"

namespace pteedit::cli {

Result<std::shared_ptr<const Source>> OpenSource(const std::string& file) {
  if (file != kStandardInput) {
    PTEEDIT_ASSIGN(std::shared_ptr<const Source> opened, OpenFileSource(file));
    return CountingReads(std::move(opened));
  }
  static std::shared_ptr<const Source> input;  // a pipe can be read only once
  if (input != nullptr) return input;
  const char* folder = std::getenv("TMPDIR");
  Result<std::shared_ptr<const Source>> opened =
      OpenDescriptorSource(STDIN_FILENO, file, folder == nullptr || *folder == '\0' ? "/tmp" : folder);
  if (!opened) return opened;
  input = CountingReads(*std::move(opened));
  return input;
}

std::string PathOf(const std::string& file) { return file == kStandardInput ? "/dev/stdin" : file; }

Result<Container> OpenFile(const std::string& file) {
  PTEEDIT_ASSIGN(const std::shared_ptr<const Source> source, OpenSource(file));
  return Container::Open(source);
}

}  // namespace pteedit::cli
