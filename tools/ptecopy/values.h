// The values that options of ptecopy take.
#ifndef PTEEDIT_TOOLS_PTECOPY_VALUES_H_
#define PTEEDIT_TOOLS_PTECOPY_VALUES_H_

#include <string>
#include <utility>

#include "pteedit/copy.h"
#include "pteedit/result.h"

namespace pteedit::cli {

// "NAME=VALUE", cut at the first '='; the name is not empty. Fails with kInvalidArgument.
Result<std::pair<std::string, std::string>> NameAndValue(const std::string& option, const std::string& word);

// "PTE[:METHOD[=NEW]]" of --add-methods, cut at the first ':' of the file's name. Opens the program.
Result<AddedMethods> ParseAddedMethods(const std::string& word);

// "NAME=VALUE" of --set-method: the value as JSON, or as the text that it is where it is no JSON.
Result<NewConstantMethod> ParseConstantMethod(const std::string& word);

// "KEY=VALUE" of --set-metadata: the named data to store. Reads the file of bytes:@FILE.
Result<NewData> ParseMetadata(const std::string& word);

// "zeros" or "random:SEED" of --splat.
Result<Splat> ParseSplat(const std::string& word);

}  // namespace pteedit::cli

#endif  // PTEEDIT_TOOLS_PTECOPY_VALUES_H_
