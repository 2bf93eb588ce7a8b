// pteinspect: what is in a file, and how many bytes each part takes. Never opens a file for writing.
#include "cli.h"
#include "inspector.h"
#include "views.h"
#include "views/view.h"

namespace pteedit::inspect {
namespace {

const cli::ToolFacts kFacts = {
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
        "  pteinspect --duplicates v0.pte v1.pte          what the two have in common\n"
        "  pteinspect --same old.pte new.pte --data d.ptd whether only the layout differs\n",
    .help_flag = "--help",
};

void DeclareOptions(CLI::App& app, std::vector<std::string>& files, Views& views) {
  app.add_option("FILE", files, "Files to look at")->type_name("")->required();
  app.add_flag("-l", views.list, "List the top-level components and their sizes (the default)");
  app.add_option("-e", views.components, "Show what is inside component NAME; may be repeated")
      ->type_name("NAME")
      ->allow_extra_args(false);
  for (const View* view : AllViews()) app.add_flag(view->option, view->help);
  app.add_option("--same", views.same_as, "Tell whether FILE and OTHER are the same up to layout; exit code 1 if not")
      ->type_name("OTHER");
  app.add_flag("--duplicates", views.duplicates, "Show equal contents inside and across the files, and what they cost");
  app.add_flag("--verify", views.verify, "Find everything that a runtime refuses, crashes on or answers wrongly");
  app.add_flag("--strict", views.strict, "With --verify: exit with 1 also where there are only warnings");
  app.add_option("--data", views.data, "A data file that belongs to each FILE; once for each")
      ->type_name("FILE.ptd")
      ->allow_extra_args(false);
  app.add_flag("--json", views.json, "Print JSON: the whole size tree of each file, and the views asked for");
  app.add_flag("--bytes", views.exact_bytes, "Print exact bytes instead of units");
}

std::string Conflict(const std::vector<std::string>& files, const Views& views) {
  if (!views.same_as.empty() && files.size() != 1) return "--same compares one FILE with OTHER";
  if (views.strict && !views.verify) return "--strict needs --verify";
  return {};
}

int Main(int argc, const char* const* argv) {
  std::vector<std::string> files;
  Views views;
  cli::Tool tool(kFacts);
  DeclareOptions(tool.options(), files, views);
  return tool.Run(argc, argv, [&] {
    for (const View* view : AllViews()) {
      if (tool.options().count(view->option) != 0) views.selected.push_back(view);
    }
    if (const std::string conflict = Conflict(files, views); !conflict.empty()) {
      return tool.PrintError(InvalidArgument(conflict));
    }
    if (views.count() == 0 && !views.verify) views.list = true;
    return Inspector(tool, views).Run(files);
  });
}

}  // namespace
}  // namespace pteedit::inspect

int main(int argc, char** argv) { return pteedit::inspect::Main(argc, argv); }
