// ptemerge: variants of one model into one shared data file and small programs.
#include "arguments.h"
#include "run.h"
#include "writing_tool.h"

namespace pteedit::cli {
namespace {

const ToolFacts kFacts = {
    "ptemerge", "Let variants of an ExecuTorch program share one copy of the weights that they have in common.",
    R"(Examples:
  ptemerge v0/model.pte v1/model.pte v2/model.pte -o out
  ptemerge french=a.pte german=b.pte -o out --variant-data ptd
  ptemerge base.pte lora.pte -o out --match foundation.safetensors
  ptemerge v8/model.pte -o more --against out/shared.ptd
  ptemerge a.pte,weights.ptd b.pte,weights.ptd -o out --dry-run --json)"};

}  // namespace
}  // namespace pteedit::cli

int main(int argc, char** argv) {
  using namespace pteedit::cli;
  return RunWritingTool<MergeArguments>(kFacts, argc, argv);
}
