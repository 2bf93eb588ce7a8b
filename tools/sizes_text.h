// Sizes from people, and shares for them; pteedit/text.h has sizes.
#ifndef PTEEDIT_TOOLS_SIZES_TEXT_H_
#define PTEEDIT_TOOLS_SIZES_TEXT_H_

#include <cstdint>
#include <string>

#include "pteedit/result.h"
#include "pteedit/text.h"  // for HumanSize

namespace pteedit::cli {

// "4096", "4K" "4M" "4G" (powers of 1024), "4KB" "4MB" "4GB" (powers of 1000). Fails with kInvalidArgument.
Result<uint64_t> ParseSize(const std::string& text);

std::string ShareText(double share);  // "12.5 %" of 0.125

// 1.5 of "1.5%". Fails with kInvalidArgument.
Result<double> ParsePercent(const std::string& text);

}  // namespace pteedit::cli

#endif  // PTEEDIT_TOOLS_SIZES_TEXT_H_
