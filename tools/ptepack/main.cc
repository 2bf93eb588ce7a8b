// ptepack: releases of programs and their data files.
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "cli.h"
#include "commands.h"
#include "pteedit/near_matches.h"
#include "pteedit/text.h"

namespace pteedit::cli {
namespace {

struct Command {
  const char* name;
  const char* purpose;
  int (*run)(int argc, const char* const* argv);
};

constexpr Command kCommands[] = {
    {"create", "make a release of programs and their data files", CreateMain},
    {"verify", "check every file of a release", VerifyMain},
    {"delta", "write what changed between two releases", DeltaMain},
    {"apply", "make a release of an older one and a delta", ApplyMain},
    {"list", "show what is in a release", ListMain},
    {"prune", "remove files that no manifest names any more", PruneMain},
    {"etm", "make one file of a release or a variant", ArchiveMain},
};

ToolFacts Facts() {
  std::string commands = "Commands:\n";
  for (const Command& command : kCommands) {
    std::string name = command.name;
    name.resize(10, ' ');
    commands += "  " + name + command.purpose + "\n";
  }
  return {.name = "ptepack",
          .purpose = "Pack ExecuTorch programs and their data files into releases.",
          .examples = commands + "\n'ptepack COMMAND --help' shows the options of each."};
}

std::string MeantBy(const std::string& name) {
  std::vector<std::string> names;
  for (const Command& command : kCommands) names.emplace_back(command.name);
  const std::vector<std::string> near = NearMatches(names, name, 1);
  return near.empty() ? std::string() : ", did you mean '" + near.front() + "'?";
}

// Where the first word is no command.
int NoCommand(int argc, const char* const* argv) {
  Tool tool(Facts());
  std::string name;
  tool.Declare({{"", {{.name = "COMMAND", .purpose = "What to do, with its own options behind it", .target = &name}}}});
  return tool.Run(argc, argv, [&] {
    if (name.empty()) return tool.PrintUsageError(InvalidArgument("COMMAND is required"));
    for (const Command& command : kCommands) {
      if (name == command.name) return tool.PrintUsageError(InvalidArgument("'" + name + "' has to be the first word"));
    }
    return tool.PrintUsageError(InvalidArgument("unknown command '" + EscapeControl(name) + "'" + MeantBy(name)));
  });
}

}  // namespace
}  // namespace pteedit::cli

int main(int argc, char** argv) {
  using namespace pteedit::cli;
  for (const Command& command : kCommands) {
    if (argc > 1 && std::string_view(argv[1]) == command.name) return command.run(argc - 1, argv + 1);
  }
  const bool is_option = argc > 1 && argv[1][0] == '-';
  return NoCommand(is_option ? argc : std::min(argc, 2), argv);  // what is behind a wrong word belongs to that
}
