// Which releases of ExecuTorch can load a program with its data files.
#ifndef PTEEDIT_SRC_NEEDS_RELEASES_H_
#define PTEEDIT_SRC_NEEDS_RELEASES_H_

#include <string>
#include <string_view>
#include <vector>

#include "needs/release_tables.h"
#include "pteedit/container.h"
#include "pteedit/program_set.h"
#include "pteedit/requirements.h"
#include "pteedit/result.h"
#include "pteedit/rewrite_report.h"

namespace pteedit {

// "0.7" as numbers.
RuntimeRelease ReleaseOf(std::string_view text);

inline constexpr char kAllOverloads[] = ".*";  // of a target's kernel
inline constexpr char kInNoRelease[] = ", which no release has";

// Whether not every release has what came with `first` and, where it is no 0.0, went after `last`.
bool IsYounger(RuntimeRelease first, RuntimeRelease last);
// What came with `first`, in words that tell a `last` as well.
RuntimeNeed NeedOf(RuntimeRelease first, RuntimeRelease last, std::string what);
// The kernel as a need, where not all releases have it; without a release where none has.
RuntimeNeed KernelNeed(std::string_view kernel);

// What only newer releases than the first can load of the program with these data files, newest first. `blobs` is what
// its delegates need. `lacks_delegate_data`: delegates ask for keys that only a further data file can have.
std::vector<RuntimeNeed> RuntimeNeeds(const ProgramSet& set, const std::vector<RuntimeNeed>& blobs,
                                      bool lacks_delegate_data);
// The same of a data file alone.
std::vector<RuntimeNeed> RuntimeNeedsOfData(const Container& data);

// The oldest release that has them all: "0.7".
std::string OldestOf(const std::vector<RuntimeNeed>& needs);

// The oldest release that can load the program with these data files. Fails only where the program can no longer be
// read.
Result<std::string> OldestRuntime(const ProgramSet& set);

// Operators that the program calls and that are in none of the stock libraries, by name.
std::vector<std::string> ForeignOperators(const Container& program);

// Says in the report which release and which kernels of one's own the program needs. Of several programs the report has
// the newest release.
Status ReportRuntime(const ProgramSet& set, RewriteReport& report);

}  // namespace pteedit

#endif  // PTEEDIT_SRC_NEEDS_RELEASES_H_
