// pteinspect: what is in a file, and how many bytes each part takes. Never opens a file for writing.
#include <algorithm>
#include <iostream>

#include "cli.h"
#include "pteedit/text.h"
#include "render_json.h"
#include "render_text.h"
#include "views.h"

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
        "  pteinspect --json --tensors *.pte              the same for programs\n",
    .help_flag = "--help",
};

void DeclareOptions(CLI::App& app, std::vector<std::string>& files, Views& views) {
  app.add_option("FILE", files, "Files to look at")->type_name("")->required();
  app.add_flag("-l", views.list, "List the top-level components and their sizes (the default)");
  app.add_option("-e", views.components, "Show what is inside component NAME; may be repeated")
      ->type_name("NAME")
      ->allow_extra_args(false);
  app.add_flag("-h", views.headers, "Show headers: identifiers, versions, offsets, alignments, counts");
  app.add_flag("--methods", views.methods, "Show methods: inputs, outputs, calls, planned memory");
  app.add_flag("--tensors", views.tensors, "Show tensors: names, types, sizes, where their bytes are");
  app.add_flag("--segments", views.segments, "Show segments: places, sizes, alignments, users");
  app.add_flag("--named-data", views.named_data, "Show named data: keys, types, sizes, sharers");
  app.add_flag("--operators", views.operators, "Show operators: calls, methods that call them");
  app.add_flag("--json", views.json, "Print JSON: the whole size tree of each file, and the views asked for");
  app.add_flag("--bytes", views.exact_bytes, "Print exact bytes instead of units");
}

void WarnOfUnknownFields(const cli::Tool& tool, const std::string& file, const Container& container) {
  for (const std::string& field : container.unknown_fields()) {
    tool.PrintWarning(file, field + ", which is newer than this version of pteinspect");
  }
  if (container.program() != nullptr) WarnOfUnknownFields(tool, file, *container.program());
}

// Prints files one after the other; one that fails does not keep the others from being printed.
class Inspector {
 public:
  Inspector(const cli::Tool& tool, const Views& views) : tool_(tool), views_(views) {}

  int Run(const std::vector<std::string>& files) {
    has_titles_ = files.size() > 1;
    for (const std::string& file : files) {
      const Result<Inspection> inspection = Inspect(file, views_);
      const Status status = inspection ? Print(*inspection) : Status(inspection.error());
      if (!status) Fail(file, status.error());
    }
    if (views_.json) std::cout << cli::Printed(list_);
    return exit_code_;
  }

 private:
  Status Print(const Inspection& inspection) {
    WarnOfUnknownFields(tool_, inspection.file, inspection.container);
    if (views_.json) {
      list_.push_back(RenderJson(inspection, views_));
      return {};
    }
    const Result<std::string> text = RenderText(inspection, views_);
    if (!text) return text.error();
    if (has_titles_) std::cout << (is_first_ ? "" : "\n") << EscapeControl(inspection.file) << ":\n";
    std::cout << *text;
    is_first_ = false;
    return {};
  }

  void Fail(const std::string& file, const Error& error) {
    if (views_.json) list_.push_back(RenderJsonError(file, error));
    exit_code_ = std::max(exit_code_, tool_.PrintError(error));
  }

  const cli::Tool& tool_;
  const Views& views_;
  bool has_titles_ = false;
  bool is_first_ = true;
  int exit_code_ = cli::kExitDone;
  cli::Json list_ = cli::Json::array();
};

int Main(int argc, const char* const* argv) {
  std::vector<std::string> files;
  Views views;
  cli::Tool tool(kFacts);
  DeclareOptions(tool.options(), files, views);
  return tool.Run(argc, argv, [&] {
    if (views.count() == 0) views.list = true;
    return Inspector(tool, views).Run(files);
  });
}

}  // namespace
}  // namespace pteedit::inspect

int main(int argc, char** argv) { return pteedit::inspect::Main(argc, argv); }
