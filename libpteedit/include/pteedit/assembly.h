// A program, data file or bundle as text that people read and edit: its tables, vectors and strings with labels in
// place of offsets. tests/conformance/assemble.py makes the file of it again, byte for byte; the text is told in
// tests/conformance/README.md.
#ifndef PTEEDIT_ASSEMBLY_H_
#define PTEEDIT_ASSEMBLY_H_

#include <functional>
#include <memory>
#include <string_view>

#include "pteedit/export.h"
#include "pteedit/result.h"
#include "pteedit/source.h"

namespace pteedit {

// Gives the text to `write` in pieces, in order. Damaged files have one, too: what leads nowhere is a number in it.
// Contents of more than 4096 bytes that are not all zeros are named by the file and where they lie in it; weights do
// not pass through memory. Fails with kUnsupported where the file is none of these kinds or its tables have 2 GiB, and
// with kIo where it cannot be read; then what was written is to be thrown away.
PTEEDIT_API Status WriteAssembly(const std::shared_ptr<const Source>& file,
                                 const std::function<void(std::string_view)>& write);

}  // namespace pteedit

#endif  // PTEEDIT_ASSEMBLY_H_
