// --by-type, --by-operator and --by-module: where the time of a dump went, and which bytes of the program it went to.
#ifndef PTEEDIT_TOOLS_PTEPROF_COSTS_H_
#define PTEEDIT_TOOLS_PTEPROF_COSTS_H_

#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "json.h"
#include "pteedit/profile/operator_costs.h"
#include "roofline.h"
#include "text/style.h"

namespace pteedit::cli {

// What takes time and is no operator.
inline constexpr const char* kOverhead = "(calling of kernels)";
inline constexpr const char* kRest = "(rest of Method::execute)";

// Of an instruction: "3", or "1:3" of another chain than the first; empty where it is of none.
std::string PlaceText(int64_t chain, int64_t instruction);

// "Execute of forward".
std::string BlockCostsText(const BlockCosts& block);

struct CostView {
  TimeScale scale = TimeScale::kMs;
  Style style;
  std::optional<uint64_t> top;    // how many rows of a block, without what is inside delegates; nothing for all
  std::optional<Peak> peak = {};  // of --roofline
  bool has_program = false, has_record = false;  // which the dump was held against
};

// Blocks end with a row of all.
void PrintTypeTable(const std::vector<BlockCosts>& blocks, const CostView& view, std::ostream& out);
void PrintOperatorTable(const std::vector<BlockCosts>& blocks, const CostView& view, std::ostream& out);
void PrintModuleTable(const std::vector<BlockCosts>& blocks, const CostView& view, std::ostream& out);

// `is_page`: without what pages do not show.
void PrintTypeCosts(const std::vector<BlockCosts>& blocks, TimeScale scale, bool is_page, JsonPrinter& printer);
void PrintModuleCosts(const std::vector<BlockCosts>& blocks, TimeScale scale, JsonPrinter& printer);
void PrintOperatorCosts(const std::vector<BlockCosts>& blocks, TimeScale scale, const std::optional<Peak>& peak,
                        bool is_page, JsonPrinter& printer);

}  // namespace pteedit::cli

#endif  // PTEEDIT_TOOLS_PTEPROF_COSTS_H_
