#include "text/inputs.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <system_error>

#include "progress.h"
#include "pteedit/archive_member.h"
#include "pteedit/try.h"

namespace pteedit::cli {
namespace {

// Of "model.etm!weights/w.ptd" the places of the archive and of its member, where there is no file of that name.
struct MemberWord {
  std::string archive, member;
};

std::optional<MemberWord> MemberOf(const std::string& file) {
  const size_t mark = file.rfind('!');
  std::error_code unknown;
  if (mark == std::string::npos || std::filesystem::exists(file, unknown)) return std::nullopt;
  return MemberWord{file.substr(0, mark), file.substr(mark + 1)};
}

}  // namespace

Result<std::shared_ptr<const Source>> OpenSource(const std::string& file) {
  if (const std::optional<MemberWord> word = MemberOf(file)) {
    PTEEDIT_ASSIGN(const std::shared_ptr<const Source> archive, OpenFileSource(word->archive));
    return OpenMember(CountingReads(archive), word->member);
  }
  if (file != kStandardInput) {
    PTEEDIT_ASSIGN(std::shared_ptr<const Source> opened, OpenFileSource(file));
    return ProgramOrItself(CountingReads(std::move(opened)));
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

std::string PathOf(const std::string& file) {
  if (const std::optional<MemberWord> word = MemberOf(file)) return word->archive;
  return file == kStandardInput ? "/dev/stdin" : file;
}

Result<Container> OpenFile(const std::string& file) {
  PTEEDIT_ASSIGN(const std::shared_ptr<const Source> source, OpenSource(file));
  return Container::Open(source);
}

}  // namespace pteedit::cli
