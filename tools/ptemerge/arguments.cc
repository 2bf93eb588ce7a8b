#include "arguments.h"

#include "pteedit/text.h"

namespace pteedit::cli {
namespace {

constexpr uint64_t kMinAlignment = 16;
constexpr uint64_t kMaxAlignment = 1 << 16;

bool IsPowerOfTwo(uint64_t value) { return value != 0 && (value & (value - 1)) == 0; }

bool IsFileName(const std::string& name) {
  return !name.empty() && name != "." && name != ".." && name.find('/') == std::string::npos;
}

}  // namespace

void Declare(CLI::App& app, MergeArguments& arguments) {
  app.add_option("SET", arguments.sets,
                 "A program and its data files: [NAME=]A.pte[,A.ptd...]; \\, is a comma in a name")
      ->required()
      ->type_name("");
  app.add_option("-o,--output", arguments.output, "The folder that gets the programs and the shared data")
      ->required()
      ->type_name("DIR");
  app.add_option("--shared-name", arguments.shared_name, "How the shared data file is called (default: shared.ptd)")
      ->type_name("NAME");
  app.add_option("--variant-data", arguments.variant_data,
                 "Where a program's own data goes: inside (pte, the default) or into a file beside it (ptd)")
      ->check(CLI::IsMember({"pte", "ptd"}))
      ->type_name("WHERE");
  AddSizeOption(app, "--min-size", arguments.min_bytes,
                "Take out contents of at least so many bytes (default: what it pays to share)");
  AddSizeOption(app, "--align", arguments.alignment, "Align all segments to at least this, a power of two");
  app.add_option("--threads", arguments.threads, "Threads for comparing (default: all cores)")
      ->check(CLI::Range(1U, 1024U))
      ->type_name("N");
  app.add_flag("-n,--dry-run", arguments.dry_run, "Report everything, write nothing");
  app.add_flag("-f,--force", arguments.force, "Replace DIR where it exists: what is in it goes");
  app.add_flag("--json", arguments.json, "The report as JSON");
  app.add_flag("--sha256", arguments.sha256, "Report the SHA-256 of the outputs");
  AddProgressOption(app, arguments.progress);
}

std::string Conflict(const MergeArguments& arguments) {
  if (!IsPowerOfTwo(arguments.alignment) || arguments.alignment < kMinAlignment ||
      arguments.alignment > kMaxAlignment) {
    return "--align must be a power of two from 16 to 65536";
  }
  if (arguments.output == "-") return "-o - is not possible: a merge gives several files";
  if (!IsFileName(arguments.shared_name)) {
    return "--shared-name '" + EscapeControl(arguments.shared_name) + "' is no file name";
  }
  if (!arguments.shared_name.ends_with(".ptd")) {
    return "--shared-name '" + EscapeControl(arguments.shared_name) + "' does not end in .ptd";
  }
  return {};
}

}  // namespace pteedit::cli
