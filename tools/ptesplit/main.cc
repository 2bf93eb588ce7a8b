// ptesplit: weights out of a program into a data file that others can share, and back.
#include "arguments.h"
#include "run.h"
#include "writing_tool.h"

namespace pteedit::cli {
namespace {

const ToolFacts kFacts = {
    "ptesplit",
    "Move the weights of an ExecuTorch program into a data file that programs can share, or back into the program.",
    R"(Examples:
  ptesplit model.pte -o small.pte -d weights.ptd
  ptesplit lora.pte -o small.pte -d foundation.ptd --match base.pte
  ptesplit model.pte -o small.pte -d weights.ptd --min-size 4K --dry-run --json
  ptesplit small.pte --join --data weights.ptd -o model.pte)"};

}  // namespace
}  // namespace pteedit::cli

int main(int argc, char** argv) {
  using namespace pteedit::cli;
  return RunWritingTool<SplitArguments>(kFacts, argc, argv);
}
