// Opening the files that a command line names, one of which may be standard input.
#ifndef PTEEDIT_TOOLS_INPUT_FILES_H_
#define PTEEDIT_TOOLS_INPUT_FILES_H_

#include <memory>
#include <string>
#include <vector>

#include "pteedit/container.h"
#include "pteedit/result.h"
#include "pteedit/source.h"

namespace pteedit::cli {

inline constexpr const char* kStandardInput = "-";

// Whether it reads "scheme://...".
bool IsUrl(const std::string& file);

// From now on URLs are opened so, from any thread; until then they are taken for names of files.
using UrlOpener = Result<std::shared_ptr<const Source>> (*)(const std::string& url);
void OpenUrlsWith(UrlOpener opener);

// Opens a file or URL as it is.
Result<std::shared_ptr<const Source>> OpenWhole(const std::string& file);

// Opens a file or URL. "model.etm!weights/w.ptd" is a member of an archive, which alone is its program. Fails with kIo,
// and as OpenMember does.
Result<std::shared_ptr<const Source>> OpenPath(const std::string& file);

// The same, - for standard input, which is read once and kept.
Result<std::shared_ptr<const Source>> OpenSource(const std::string& file);

// Opens each as OpenPath does; what leads to the same bytes gives the same Source, with the first one's name.
Result<std::vector<std::shared_ptr<const Source>>> OpenPaths(const std::vector<std::string>& files);

// The data files of a program: those inside, where it is an archive, then what else is given. None inside where it
// cannot be opened, for who opens it says why.
std::vector<std::string> WithDataInside(const std::string& program, const std::vector<std::string>& given);

// A path that leads to `file` as OpenSource opens it.
std::string PathOf(const std::string& file);
std::vector<std::string> PathsOf(const std::vector<std::string>& files);

// Fails as OpenSource and Container::Open do.
Result<Container> OpenFile(const std::string& file);

}  // namespace pteedit::cli

#endif  // PTEEDIT_TOOLS_INPUT_FILES_H_
