// ptecopy: a program or data file with edits.
#include "arguments.h"
#include "run.h"
#include "writing_tool.h"

namespace pteedit::cli {
namespace {

const ToolFacts kFacts = {
    "ptecopy",
    "Edit methods, metadata, named data and weights of ExecuTorch programs and data files. Edits are "
    "applied in the order listed.",
    R"(Examples:
  ptecopy model.pte -o decode.pte --keep-method decode
  ptecopy prefill.pte -o both.pte --add-methods decode.pte:forward=decode
  ptecopy model.pte -o fixed.pte --set-method get_eos_ids=[128001,128009] --set-method get_name=llama
  ptecopy model.pte -o told.pte --set-metadata tokenizer.bos_token_id=int:1 --set-metadata general.name=Llama
  ptecopy model.pte -o whole.pte --add-data tokenizer.json=tokenizer.json
  ptecopy model.pte -o new.pte --refit new.safetensors --names old.safetensors
  ptecopy model.pte -o report.pte --splat random:1)"};

}  // namespace
}  // namespace pteedit::cli

int main(int argc, char** argv) {
  using namespace pteedit::cli;
  return RunWritingTool<CopyArguments>(kFacts, argc, argv);
}
