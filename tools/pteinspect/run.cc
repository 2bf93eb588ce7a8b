#include "run.h"

#include <unistd.h>

#include <iostream>

#include "arguments.h"
#include "assembly.h"
#include "cli.h"
#include "inspector.h"
#include "progress.h"
#include "targets.h"
#include "text/names.h"
#include "user_decoders.h"
#include "views/inspection.h"

namespace pteedit::cli {
namespace {

const ToolFacts kFacts = {
    .name = "pteinspect",
    .purpose = "Show what is in ExecuTorch .pte, .ptd and .bpte files, and how many bytes each part takes.",
    .examples =
        "NAME is a component as -l and -e print it, at any depth; after '/' one inside it.\n"
        "\n"
        "Examples:\n"
        "  pteinspect model.pte                           what takes the space\n"
        "  pteinspect -e \"Delegate Blobs\" model.pte       one line for each delegate\n"
        "  pteinspect -l -e \"Constant Tensors\" model.pte  the list, with the constants in it\n"
        "  pteinspect --methods --operators model.pte     what it can do, and with which operators\n"
        "  pteinspect --verify model.pte --data w.ptd     whether it runs, and runs right\n"
        "  pteinspect --json --tensors *.pte              the same for programs\n"
        "  pteinspect --diff old.pte --max-growth 1% new.pte   what changed, and a gate\n"
        "  pteinspect --duplicates v0.pte v1.pte          what the two have in common\n"
        "  pteinspect --delegates model.pte               what is inside each delegate\n"
        "  pteinspect --max-size 20MB model.pte           a gate for scripts: exit code 1 where larger\n"
        "  pteinspect --hash=sha256 model.pte >list       later: pteinspect --check list model.pte\n"
        "  pteinspect --extract w -o w.bin model.pte      the bytes of one constant, key or blob\n"
        "  pteinspect --html model.html model.pte         all of it as a page\n"
        "  pteinspect --same old.pte new.pte --data d.ptd whether only the layout differs\n",
    .help_flag = "--help",
};

// Every file that is read.
std::vector<std::string> AllInputs(const Arguments& arguments) {
  const Request& request = arguments.request;
  std::vector<std::string> inputs = request.diff;
  inputs.insert(inputs.end(), request.same_as.begin(), request.same_as.end());
  for (const Input& input : arguments.inputs) inputs.push_back(PathOf(input.file));
  for (const auto* files : {&request.metadata_files, &request.data, &request.adapters, &request.names}) {
    for (const std::string& file : *files) inputs.push_back(PathOf(file));
  }
  for (const std::string& file : FilesOfTargets(arguments.targets)) inputs.push_back(PathOf(file));
  for (const std::string& file : {request.check, request.views.etrecord}) {
    if (!file.empty()) inputs.push_back(PathOf(file));
  }
  return inputs;
}

int EmitTarget(const Tool& tool, const Arguments& arguments) {
  if (!arguments.files.empty() || tool.given().size() != 1)
    return tool.PrintError(InvalidArgument("--emit-target takes no FILE and no other option"));
  const Result<std::vector<Target>> target = FindTargets("--emit-target", {arguments.emitted_target});
  if (!target) return tool.PrintError(target.error());
  std::cout << TargetText(target->front());
  return kExitDone;
}

}  // namespace

int RunPteinspect(int argc, const char* const* argv) {
  Arguments arguments;
  Tool tool(kFacts);
  tool.Declare(OptionTable(arguments));
  return tool.Run(argc, argv, [&] {
    if (!arguments.emitted_target.empty()) return EmitTarget(tool, arguments);
    if (arguments.assembly) return PrintAssembly(tool, arguments);
    if (arguments.files.empty()) return tool.PrintUsageError(InvalidArgument("FILE is required"));
    arguments.request.style.color = tool.Colors(STDOUT_FILENO);
    if (const Status status = SelectViews(tool.given(), arguments); !status) return tool.PrintError(status.error());
    const Request& request = arguments.request;
    if (const Status checked = CheckStandardOutputs(AllInputs(arguments)); !checked)
      return tool.PrintError(checked.error());
    BeginProgress(arguments.progress);
    Result<UserDecoders> decoders = UserDecoders::Open(request.metadata_files, request.decoder_commands);
    if (!decoders) return tool.PrintError(decoders.error());
    Result<ContentNames> names = OpenNames(request.names);
    if (!names) return tool.PrintError(names.error());
    return Inspector(tool, request, *std::move(decoders), *std::move(names)).Run(arguments.inputs);
  });
}

}  // namespace pteedit::cli
