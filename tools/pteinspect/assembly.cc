#include "assembly.h"

#include <iostream>
#include <string_view>

#include "input_files.h"
#include "pteedit/assembly.h"

namespace pteedit::cli {

int PrintAssembly(const Tool& tool, const Arguments& arguments) {
  GivenOptions given = tool.given();
  given.erase("FILE");
  if (arguments.files.size() != 1 || given.size() != 1)
    return tool.PrintError(InvalidArgument("--assembly takes one FILE and no other option"));
  const auto file = OpenSource(arguments.files.front());
  if (!file) return tool.PrintError(file.error());
  const Status written = WriteAssembly(*file, [](std::string_view text) { std::cout << text; });
  return written ? kExitDone : tool.PrintError(written.error());
}

}  // namespace pteedit::cli
