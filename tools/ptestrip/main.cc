// ptestrip: a program without what does not run.
#include "arguments.h"
#include "run.h"
#include "writing_tool.h"

namespace pteedit::cli {
namespace {

const ToolFacts kFacts = {
    "ptestrip",
    "Remove what does not run from ExecuTorch programs, data files and records. Default: --debug --unreferenced.",
    R"(Examples:
  ptestrip model.pte -o small.pte
  ptestrip model.pte -o small.pte --all
  ptestrip weights.ptd -o tight.ptd --dedupe --padding
  ptestrip shared.ptd -o smaller.ptd --for a.pte --for b.pte
  ptestrip bundled.bpte -o model.pte --unwrap
  ptestrip model.etrecord -o slim.etrecord
  ptestrip model.pte -o small.pte --dry-run --json)"};

}  // namespace
}  // namespace pteedit::cli

int main(int argc, char** argv) {
  using namespace pteedit::cli;
  return RunWritingTool<StripArguments>(kFacts, argc, argv);
}
