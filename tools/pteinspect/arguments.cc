#include "arguments.h"

#include <algorithm>
#include <utility>

#include "pteedit/compressed_sizes.h"
#include "views/view.h"

namespace pteedit::inspect {
namespace {

void DeclareViews(CLI::App& app, Arguments& arguments) {
  Views& views = arguments.views;
  app.add_flag("-l", views.list, "List the top-level components and their sizes (the default)");
  app.add_option("-e", views.components, "Show what is inside component NAME; may be repeated")
      ->type_name("NAME")
      ->allow_extra_args(false);
  for (const View* view : AllViews()) app.add_flag(view->option, view->help);
  app.add_flag("--yaml", views.yaml, "With --requirements: as the operator listing that selective builds take");
  app.add_option("--etrecord", views.etrecord,
                 "The exporter's record of FILE or DUMP, for --delegation, --graph and --etdump")
      ->type_name("RECORD");
  app.add_flag("--hash{xxh3}", arguments.hash,
               "Show hashes of file, constants, keys, blobs, segments; KIND is xxh3 (the default) or sha256")
      ->type_name("KIND")
      ->option_text("[=KIND]")
      ->check(CLI::IsMember({"xxh3", "sha256"}));
  app.add_option("--at", arguments.at, "Show what the byte at OFFSET belongs to, down to the field of a table")
      ->type_name("OFFSET");
  app.add_flag("--compressed{3}", arguments.zstd_level,
               "Show in a column what zstd makes of each component; LEVEL is 1 to 19, by default 3")
      ->type_name("LEVEL")
      ->option_text("[=LEVEL]")
      ->check(CLI::Range(kLeastZstdLevel, kMostZstdLevel));
}

void DeclareComparisons(CLI::App& app, Arguments& arguments) {
  Views& views = arguments.views;
  app.add_option("--data", views.data, "A data file that belongs to each FILE; once for each")
      ->type_name("FILE.ptd")
      ->allow_extra_args(false);
  app.add_flag("--verify", views.verify, "Find everything that a runtime refuses, crashes on or answers wrongly");
  app.add_flag("--strict", views.strict, "With --verify: exit with 1 also where there are only warnings");
  app.add_option("--same", views.same_as, "Tell whether FILE and OTHER are the same up to layout; exit code 1 if not")
      ->type_name("OTHER");
  app.add_option("--diff", views.diff, "Show what changed from OLD to FILE, by bytes; exit code 1 if anything did")
      ->type_name("OLD[,OLD.ptd...]");
  app.add_option("--max-growth", arguments.max_growth,
                 "With --diff: exit with 1 only where FILE is larger by more: SIZE or N%")
      ->type_name("LIMIT");
  app.add_flag("--duplicates", views.duplicates, "Show equal contents inside and across the files, and what they cost");
  app.add_option("--check", views.check, "Compare with a list that --hash printed; exit code 1 if not the same")
      ->type_name("LIST");
  cli::AddSizeOption(app, "--max-size", arguments.max_bytes, "Exit with 1 where FILE, with its data files, is larger");
}

void DeclareBlobs(CLI::App& app, Views& views) {
  app.add_option("--metadata-json", views.metadata_files, "Show blobs that FILE knows as it says; once for each")
      ->type_name("FILE")
      ->allow_extra_args(false);
  app.add_option("--emit-metadata-json", views.emit_metadata, "Write what is known about blobs, - for standard output")
      ->type_name("FILE");
  app.add_option("--decoder", views.decoder_commands, "Show blobs of BACKEND as COMMAND says; once for each BACKEND")
      ->type_name("BACKEND=COMMAND")
      ->allow_extra_args(false);
}

void DeclareOutputs(CLI::App& app, Arguments& arguments) {
  Views& views = arguments.views;
  app.add_option("--extract", views.extract, "Write the bytes of component NAME, or of 'segment N', to OUT of -o")
      ->type_name("NAME");
  app.add_option("-o", views.output, "The file that --extract writes, - for standard output")->type_name("OUT");
  app.add_option("--html", views.html, "Write a page with the views, without any all of them, to a file of its own")
      ->type_name("OUT");
  app.add_flag("-f,--force", views.force,
               "Replace files that exist: those of -o, --html, --trace, --emit-metadata-json");
  app.add_flag("--json", views.json, "Print JSON: the whole size tree of each file, and the views asked for");
  app.add_flag("--csv", arguments.csv, "Print comma-separated values: one view of one file");
  app.add_flag("--markdown", arguments.markdown, "Print Markdown, for pull requests");
  app.add_flag("--bytes", views.style.exact_bytes, "Print exact bytes instead of units");
}

// Each of these says what does not go together, or nothing.

std::string ComparisonConflict(const Arguments& arguments) {
  const Views& views = arguments.views;
  const bool one_file = arguments.files.size() == 1;
  if (!views.same_as.empty() && !one_file) return "--same compares one FILE with OTHER";
  if (!views.diff.empty() && !one_file) return "--diff compares OLD with one FILE";
  if (!arguments.max_growth.empty() && views.diff.empty()) return "--max-growth needs --diff";
  if (views.strict && !views.verify) return "--strict needs --verify";
  if (!views.check.empty() && !one_file) return "--check compares one FILE with a list";
  return {};
}

std::string OutputConflict(const Arguments& arguments) {
  const Views& views = arguments.views;
  if (views.extract.empty() != views.output.empty()) return "--extract and -o need each other";
  if (!views.extract.empty() && arguments.files.size() != 1) return "--extract takes one FILE";
  const bool shows = views.as_json() || views.count() != 0;
  if (!views.extract.empty() && (shows || views.zstd_level)) return "--extract prints no views";
  if (!views.emit_metadata.empty() && (shows || views.verify || !views.extract.empty()))
    return "--emit-metadata-json shows nothing else";
  if (views.json + arguments.csv + arguments.markdown + views.yaml > 1)
    return "--json, --csv, --markdown and --yaml exclude each other";
  if (!views.html.empty() && arguments.csv + arguments.markdown + views.yaml != 0)
    return "--html excludes --csv, --markdown and --yaml";
  if (arguments.csv && (views.count() + views.verify > 1 || arguments.files.size() > 1))
    return "--csv prints one view of one FILE";
  return {};
}

std::string ViewConflict(const Arguments& arguments) {
  const Views& views = arguments.views;
  const bool shows_needs = std::count(views.selected.begin(), views.selected.end(), &kRequirementsView) != 0;
  if (views.yaml && !shows_needs) return "--yaml needs --requirements";
  const size_t files = arguments.files.size() + views.data.size();
  if (views.yaml && (views.count() + views.verify + views.gates() > 1 || files > 1))
    return "--yaml prints the operators of one FILE and nothing else";
  std::vector<std::string> inputs = arguments.files;
  const ProfileOptions& profile = arguments.profile;
  inputs.insert(inputs.end(), {views.etrecord, profile.etdump, profile.debug_buffer, profile.baseline});
  if (views.inputs(std::move(inputs)) > 1) return "- is standard input, which can be read only once";
  return {};
}

std::string ProgramConflict(const Arguments& arguments) {
  const Views& views = arguments.views;
  const size_t files = arguments.files.size();
  if (views.etrecord.empty() ? files != 1 : files > 1)
    return "--exported-program takes one record: FILE, or that of --etrecord";
  const bool shows_else = views.count() + views.gates() != 0 || views.verify || !views.html.empty() || views.list;
  return shows_else || arguments.profile.has_any() ? "--exported-program shows nothing else" : "";
}

// Beside a dump.
std::string ProfileOutputConflict(const Arguments& arguments) {
  const Views& views = arguments.views;
  const ProfileOptions& profile = arguments.profile;
  const bool prints = profile.views() != 0 || views.json;
  if (profile.trace == kStandardInput && (prints || views.html == kStandardInput))
    return "--trace - and another view both want standard output";
  if (!views.html.empty() && views.json) return "--html prints nothing, so that --json has nothing to be";
  if (profile.tsv && views.json) return "--tsv and --json exclude each other";
  if (profile.has_totals() && views.etrecord.empty()) return "--module and --module-path need --etrecord";
  const bool counts_bytes = !arguments.files.empty() && (profile.has_costs() || !views.html.empty());
  if (!views.data.empty() && !counts_bytes) return "beside a dump, --data needs FILE and --by-type or --by-operator";
  return {};
}

std::string RecordConflict(const Arguments& arguments) {
  const Views& views = arguments.views;
  if (!arguments.profile.graph.empty()) return ProgramConflict(arguments);
  if (!arguments.profile.etdump.empty()) {
    const bool shows_else = (views.count() != 0 && views.html.empty()) || views.gates() != 0 || views.verify;
    if (shows_else || arguments.files.size() > 1) return "--etdump takes one FILE at most and shows nothing else";
    if (!views.html.empty() && arguments.profile.views() != 0)
      return "with --etdump, --html chooses the views of the dump";
    const std::string outputs = ProfileOutputConflict(arguments);
    return outputs.empty() ? ProfileConflict(arguments.profile, views.style.format) : outputs;
  }
  if (arguments.profile.has_any()) return "views of a profile need --etdump";
  if (!views.etrecord.empty() && arguments.files.size() != 1) return "--etrecord belongs to one FILE";
  const auto needs_record = [](const View* view) { return (view->needs & (kNeedsDelegation | kNeedsGraph)) != 0; };
  if (!views.etrecord.empty() && std::none_of(views.selected.begin(), views.selected.end(), needs_record))
    return "--etrecord needs --delegation, --graph or --etdump";
  return {};
}

Status CheckTogether(const Arguments& arguments) {
  for (const auto conflict : {RecordConflict, ComparisonConflict, OutputConflict, ViewConflict}) {
    if (const std::string text = conflict(arguments); !text.empty()) return InvalidArgument(text);
  }
  return {};
}

}  // namespace

void Declare(CLI::App& app, Arguments& arguments) {
  app.add_option("FILE", arguments.files, "Files to look at, - for standard input")->type_name("");
  app.option_defaults()->group("Views");
  DeclareViews(app, arguments);
  app.option_defaults()->group("Comparisons and checks");
  DeclareComparisons(app, arguments);
  app.option_defaults()->group("What you know of processed blobs");
  DeclareBlobs(app, arguments.views);
  app.option_defaults()->group("Outputs");
  DeclareOutputs(app, arguments);
  app.option_defaults()->group("Profiles");
  DeclareProfileOptions(app, arguments.profile);
}

Status SelectViews(const CLI::App& app, Arguments& arguments) {
  Views& views = arguments.views;
  for (const View* view : AllViews()) {
    if (app.count(view->option) != 0) views.selected.push_back(view);
  }
  if (!arguments.hash.empty()) {
    views.hash = arguments.hash == "sha256" ? HashKind::kSha256 : HashKind::kXxh3;
    views.selected.push_back(&kHashView);
  }
  if (app.count("--at") != 0) {
    views.at = arguments.at;
    views.selected.push_back(&kAtView);
  }
  if (app.count("--max-size") != 0) views.max_bytes = arguments.max_bytes;
  if (app.count("--compressed") != 0) views.zstd_level = arguments.zstd_level;
  if (arguments.csv) views.style = {Format::kCsv, /*exact_bytes=*/true, false};
  if (arguments.markdown) views.style.format = Format::kMarkdown;
  views.style.compressed = views.zstd_level.has_value();
  if (!arguments.max_growth.empty()) {
    const Result<GrowthLimit> limit = ParseGrowth(arguments.max_growth);
    if (!limit) return limit.error();
    views.max_growth = *limit;
  }
  const bool writes = !views.extract.empty() || !views.emit_metadata.empty();
  const bool shows_else = views.count() + views.gates() != 0 || views.verify || writes;
  const bool has_column = views.zstd_level && !views.as_json() && views.components.empty();
  const bool has_profile = !arguments.profile.etdump.empty() || !arguments.profile.graph.empty();
  if ((!shows_else && !has_profile) || has_column) views.list = true;
  if (!shows_else && !views.html.empty()) views.selected = AllViews();
  return CheckTogether(arguments);
}

}  // namespace pteedit::inspect
