// pteinspect: what is in a file, and how many bytes each part takes. Opens no file for writing but what -o, --html and
// --emit-metadata-json name.
#include <algorithm>

#include "cli.h"
#include "inspector.h"
#include "pteedit/compressed_sizes.h"
#include "user_decoders.h"
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
        "  pteinspect --diff old.pte --max-growth 1% new.pte   what changed, and a gate\n"
        "  pteinspect --duplicates v0.pte v1.pte          what the two have in common\n"
        "  pteinspect --delegates model.pte               what is inside each delegate\n"
        "  pteinspect --max-size 20MB model.pte           a gate for scripts: exit code 1 where larger\n"
        "  pteinspect --hash=sha256 model.pte >list       later: pteinspect --check list model.pte\n"
        "  pteinspect --extract w -o w.bin model.pte      the bytes of one constant, key or blob\n"
        "  pteinspect --same old.pte new.pte --data d.ptd whether only the layout differs\n",
    .help_flag = "--help",
};

// Options that become views in another form.
struct MoreOptions {
  std::string hash, max_growth;
  uint64_t at = 0;
  uint64_t max_bytes = 0;
  int zstd_level = 0;
  bool csv = false, markdown = false;
};

void DeclareOptions(CLI::App& app, std::vector<std::string>& files, Views& views, MoreOptions& more) {
  app.add_option("FILE", files, "Files to look at, - for standard input")->type_name("")->required();
  app.add_flag("-l", views.list, "List the top-level components and their sizes (the default)");
  app.add_option("-e", views.components, "Show what is inside component NAME; may be repeated")
      ->type_name("NAME")
      ->allow_extra_args(false);
  for (const View* view : AllViews()) app.add_flag(view->option, view->help);
  app.add_flag("--yaml", views.yaml, "With --requirements: as the operator listing that selective builds take");
  app.add_option("--same", views.same_as, "Tell whether FILE and OTHER are the same up to layout; exit code 1 if not")
      ->type_name("OTHER");
  app.add_option("--diff", views.diff, "Show what changed from OLD to FILE, by bytes; exit code 1 if anything did")
      ->type_name("OLD[,OLD.ptd...]");
  app.add_option("--max-growth", more.max_growth,
                 "With --diff: exit with 1 only where FILE is larger by more: SIZE or N%")
      ->type_name("LIMIT");
  app.add_flag("--duplicates", views.duplicates, "Show equal contents inside and across the files, and what they cost");
  app.add_flag("--verify", views.verify, "Find everything that a runtime refuses, crashes on or answers wrongly");
  app.add_flag("--strict", views.strict, "With --verify: exit with 1 also where there are only warnings");
  app.add_option("--data", views.data, "A data file that belongs to each FILE; once for each")
      ->type_name("FILE.ptd")
      ->allow_extra_args(false);
  app.add_flag("--hash{xxh3}", more.hash,
               "Show hashes of file, constants, keys, blobs, segments: --hash=sha256 or xxh3")
      ->type_name("KIND")
      ->check(CLI::IsMember({"xxh3", "sha256"}));
  app.add_option("--at", more.at, "Show what the byte at OFFSET belongs to, down to the field of a table")
      ->type_name("OFFSET");
  app.add_option("--etrecord", views.etrecord, "The exporter's record of FILE, for --delegation and --graph")->type_name("RECORD");
  app.add_option("--check", views.check, "Compare with a list that --hash printed; exit code 1 if not the same")
      ->type_name("LIST");
  app.add_option("--extract", views.extract, "Write the bytes of component NAME, or of 'segment N', to OUT of -o")
      ->type_name("NAME");
  app.add_option("-o", views.output, "The file that --extract writes, - for standard output")->type_name("OUT");
  app.add_flag("-f,--force", views.force, "Replace files that exist: those of -o, --html, --emit-metadata-json");
  app.add_option("--metadata-json", views.metadata_files, "Show blobs that FILE knows as it says; once for each")
      ->type_name("FILE")
      ->allow_extra_args(false);
  app.add_option("--emit-metadata-json", views.emit_metadata, "Write what is known about blobs, - for standard output")
      ->type_name("FILE");
  app.add_option("--decoder", views.decoder_commands, "Show blobs of BACKEND as COMMAND says; once for each BACKEND")
      ->type_name("BACKEND=COMMAND")
      ->allow_extra_args(false);
  cli::AddSizeOption(app, "--max-size", more.max_bytes, "Exit with 1 where FILE, with its data files, is larger");
  app.add_flag("--json", views.json, "Print JSON: the whole size tree of each file, and the views asked for");
  app.add_flag("--csv", more.csv, "Print comma-separated values: one view of one file");
  app.add_flag("--markdown", more.markdown, "Print Markdown, for pull requests");
  app.add_option("--html", views.html, "Write a page with the views, without any all of them, to a file of its own")
      ->type_name("OUT");
  app.add_flag("--compressed{3}", more.zstd_level,
               "Show in a column what zstd makes of each component: --compressed=LEVEL")
      ->type_name("LEVEL")
      ->check(CLI::Range(kLeastZstdLevel, kMostZstdLevel));
  app.add_flag("--bytes", views.style.exact_bytes, "Print exact bytes instead of units");
}

void SelectViews(const CLI::App& app, const MoreOptions& more, Views& views) {
  for (const View* view : AllViews()) {
    if (app.count(view->option) != 0) views.selected.push_back(view);
  }
  if (!more.hash.empty()) {
    views.hash = more.hash == "sha256" ? HashKind::kSha256 : HashKind::kXxh3;
    views.selected.push_back(&kHashView);
  }
  if (app.count("--at") != 0) {
    views.at = more.at;
    views.selected.push_back(&kAtView);
  }
  if (app.count("--compressed") != 0) views.zstd_level = more.zstd_level;
  if (app.count("--max-size") != 0) views.max_bytes = more.max_bytes;
  if (more.csv) views.style = {Format::kCsv, /*exact_bytes=*/true, false};
  if (more.markdown) views.style.format = Format::kMarkdown;
  views.style.compressed = views.zstd_level.has_value();
  const bool writes = !views.extract.empty() || !views.emit_metadata.empty();
  const bool shows_else = views.count() + views.gates() != 0 || views.verify || writes;
  const bool has_column = views.zstd_level && !views.as_json() && views.components.empty();
  if (!shows_else || has_column) views.list = true;
  if (!shows_else && !views.html.empty()) views.selected = AllViews();
}

std::string Conflict(const std::vector<std::string>& files, const Views& views, const MoreOptions& more) {
  if (!views.same_as.empty() && files.size() != 1) return "--same compares one FILE with OTHER";
  if (!views.diff.empty() && files.size() != 1) return "--diff compares OLD with one FILE";
  if (!more.max_growth.empty() && views.diff.empty()) return "--max-growth needs --diff";
  if (views.strict && !views.verify) return "--strict needs --verify";
  if (views.extract.empty() != views.output.empty()) return "--extract and -o need each other";
  if (!views.extract.empty() && files.size() != 1) return "--extract takes one FILE";
  if (!views.emit_metadata.empty() && (views.json || views.count() != 0 || views.verify || !views.extract.empty())) {
    return "--emit-metadata-json shows nothing else";
  }
  if (!views.extract.empty() && (views.json || views.zstd_level || views.count() != 0))
    return "--extract prints no views";
  if (views.json + more.csv + more.markdown + views.yaml > 1)
    return "--json, --csv, --markdown and --yaml exclude each other";
  if (!views.html.empty() && more.csv + more.markdown + views.yaml != 0) return "--html excludes --csv, --markdown and --yaml";
  if (!views.html.empty() && !views.extract.empty()) return "--extract prints no views";
  if (more.csv && (views.count() + views.verify > 1 || files.size() > 1)) return "--csv prints one view of one FILE";
  const bool shows_needs = std::count(views.selected.begin(), views.selected.end(), &kRequirementsView) != 0;
  if (views.yaml && !shows_needs) return "--yaml needs --requirements";
  if (views.yaml && (views.count() + views.verify + views.gates() > 1 || files.size() + views.data.size() > 1))
    return "--yaml prints the operators of one FILE and nothing else";
  if (!views.etrecord.empty() && files.size() != 1) return "--etrecord belongs to one FILE";
  const auto needs_record = [](const View* view) { return (view->needs & (kNeedsDelegation | kNeedsGraph)) != 0; };
  if (!views.etrecord.empty() && std::none_of(views.selected.begin(), views.selected.end(), needs_record))
    return "--etrecord needs --delegation or --graph";
  if (views.inputs(files) > 1) return "- is standard input, which can be read only once";
  if (!views.check.empty() && files.size() != 1) return "--check compares one FILE with a list";
  return {};
}

int Main(int argc, const char* const* argv) {
  std::vector<std::string> files;
  Views views;
  MoreOptions more;
  cli::Tool tool(kFacts);
  DeclareOptions(tool.options(), files, views, more);
  return tool.Run(argc, argv, [&] {
    SelectViews(tool.options(), more, views);
    if (!more.max_growth.empty()) {
      const Result<GrowthLimit> limit = ParseGrowth(more.max_growth);
      if (!limit) return tool.PrintError(limit.error());
      views.max_growth = *limit;
    }
    if (const std::string conflict = Conflict(files, views, more); !conflict.empty()) {
      return tool.PrintError(InvalidArgument(conflict));
    }
    Result<UserDecoders> decoders = UserDecoders::Open(views.metadata_files, views.decoder_commands);
    if (!decoders) return tool.PrintError(decoders.error());
    return Inspector(tool, views, *std::move(decoders)).Run(files);
  });
}

}  // namespace
}  // namespace pteedit::inspect

int main(int argc, char** argv) { return pteedit::inspect::Main(argc, argv); }
