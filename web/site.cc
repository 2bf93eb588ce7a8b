// What worker.js calls. The files are those that the user gave the browser: their bytes are read where they lie, piece
// by piece, and never held as a whole.
#include <emscripten.h>

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "pteedit/archive_member.h"
#include "pteedit/container.h"
#include "pteedit/program_set.h"
#include "pteedit/source.h"
#include "pteedit/text.h"
#include "pteedit/try.h"
#include "views/page.h"

EM_JS(bool, ReadPiece, (size_t file, double offset, uint8_t* out, size_t size),
      { return readPiece(file, offset, out, size); });  // of worker.js

namespace pteedit {
namespace {

struct Given {
  std::vector<Container> programs, data;
  std::string page, problem;
};

Given& Files() {
  static Given given;
  return given;
}

std::string Line(const Error& error) {
  return "pteinspect: error: " + (error.file.empty() ? "" : EscapeControl(error.file) + ": ") + error.message;
}

Result<std::shared_ptr<const Source>> Opened(size_t number, const std::string& name, double bytes) {
  // As many as can be counted here.
  if (bytes > static_cast<double>(std::numeric_limits<size_t>::max())) {
    return Unsupported("has " + std::to_string(static_cast<uint64_t>(bytes)) +
                       " bytes, and a browser can look at less than 4294967296; pteinspect can look at it")
        .In(name);
  }
  const auto read = [number, name](uint64_t offset, MutableByteSpan out) -> Status {
    if (ReadPiece(number, static_cast<double>(offset), out.data, out.size)) return {};
    return IoError("cannot be read any more").In(name);
  };
  return ProgramOrItself(MakeCallbackSource(name, static_cast<uint64_t>(bytes), read));
}

Status Add(size_t number, const std::string& name, double bytes) {
  PTEEDIT_ASSIGN(const std::shared_ptr<const Source> source, Opened(number, name, bytes));
  PTEEDIT_ASSIGN(Container file, Container::OpenToLook(source));
  (file.kind() == FileKind::kData ? Files().data : Files().programs).push_back(std::move(file));
  return {};
}

Result<std::string> MakePageOf(Given& given) {
  if (given.programs.size() > 1) {
    return InvalidArgument("is shown without other programs, such as '" + EscapeControl(given.programs[1].name()) + "'")
        .In(given.programs[0].name());
  }
  if (given.programs.empty()) {
    given.programs.push_back(std::move(given.data.front()));
    given.data.erase(given.data.begin());
  }
  return cli::PageOf(ProgramSet(given.programs.front(), given.data), {}, {}, /*is_named=*/false);
}

}  // namespace
}  // namespace pteedit

extern "C" {

// The file at `number` in `files`. Tells whether it could be opened.
EMSCRIPTEN_KEEPALIVE bool AddFile(size_t number, const char* name, double bytes) {
  const pteedit::Status added = pteedit::Add(number, name, bytes);
  if (!added) pteedit::Files().problem = pteedit::Line(added.error());
  return added.has_value();
}

// The page of all; null where there is none.
EMSCRIPTEN_KEEPALIVE const char* MakePage() {
  pteedit::Result<std::string> page = pteedit::MakePageOf(pteedit::Files());
  if (!page) {
    pteedit::Files().problem = pteedit::Line(page.error());
    return nullptr;
  }
  pteedit::Files().page = *std::move(page);
  return pteedit::Files().page.c_str();
}

// Why not.
EMSCRIPTEN_KEEPALIVE const char* Problem() { return pteedit::Files().problem.c_str(); }
}
