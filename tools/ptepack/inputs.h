// What the words of `ptepack create` name: programs with their data files, found in a folder or given as a SET.
#ifndef PTEEDIT_TOOLS_PTEPACK_INPUTS_H_
#define PTEEDIT_TOOLS_PTEPACK_INPUTS_H_

#include <string>
#include <vector>

#include "pteedit/package/create.h"
#include "pteedit/result.h"

namespace pteedit::cli {

// Opens all files of "[NAME=]DIR" and "[NAME=]A.pte[,A.ptd...]", each once. In a DIR a program takes those data files
// of its own folder and the ones above, up to DIR, that have keys which it needs, the outermost first; its variant is
// called by its folder, or by its path where that has several. Fails with kInvalidArgument where a DIR has no program,
// or a data file that none needs.
Result<std::vector<VariantInput>> OpenVariants(const std::vector<std::string>& words);

// "NAME=KEY:VALUE[,KEY:VALUE...]" for the variant of that name. Fails with kInvalidArgument.
Status AddLabels(const std::string& word, std::vector<VariantInput>& variants);

// "ROLE:FILE". Fails with kInvalidArgument, and as opening does.
Result<IncludedInput> OpenIncluded(const std::string& word);

}  // namespace pteedit::cli

#endif  // PTEEDIT_TOOLS_PTEPACK_INPUTS_H_
