// The last step of every operation: what it planned is verified like any foreign file.
#ifndef PTEEDIT_SRC_VERIFY_CHECK_REWRITE_H_
#define PTEEDIT_SRC_VERIFY_CHECK_REWRITE_H_

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "pteedit/program_set.h"
#include "pteedit/result.h"

namespace pteedit {

// That `after` has no error that `before` had not: of no kind, about the same names and keys, more findings. Fails with
// kMalformed where it has, kIo where a file can no longer be read. Hashes are not computed: contents only moved.
Status CheckRewrite(const ProgramSet& before, const ProgramSet& after);
// The same where `after` was made of several, and methods or keys of them have other names in it.
using NewNames = std::map<std::string, std::string, std::less<>>;  // by the old ones
Status CheckRewrite(const std::vector<ProgramSet>& before, const ProgramSet& after, const NewNames& renamed = {});

}  // namespace pteedit

#endif  // PTEEDIT_SRC_VERIFY_CHECK_REWRITE_H_
