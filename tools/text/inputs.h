// Opening the files that a command line names, one of which may be standard input.
#ifndef PTEEDIT_TOOLS_TEXT_INPUTS_H_
#define PTEEDIT_TOOLS_TEXT_INPUTS_H_

#include <memory>
#include <string>

#include "pteedit/container.h"
#include "pteedit/result.h"
#include "pteedit/source.h"

namespace pteedit::cli {

inline constexpr const char* kStandardInput = "-";

// Opens `file`, - for standard input, which is read once and kept. "model.etm!weights/w.ptd" is a member of an archive,
// which alone is its program. Fails with kIo, and as OpenMember does.
Result<std::shared_ptr<const Source>> OpenSource(const std::string& file);

// A path that leads to `file` as OpenSource opens it.
std::string PathOf(const std::string& file);

// Fails as OpenSource and Container::Open do.
Result<Container> OpenFile(const std::string& file);

}  // namespace pteedit::cli

#endif  // PTEEDIT_TOOLS_TEXT_INPUTS_H_
