#include "arguments.h"

#include <utility>

#include "text/names.h"

namespace pteedit::cli {

OptionGroup OptionTable(CopyArguments& arguments) {
  std::vector<OptionRow> rows = {
      {.name = "IN", .purpose = "What to edit: .pte or .ptd", .target = &arguments.input, .required = true},
      {.name = "-o,--output",
       .value = "FILE",
       .purpose = "Where the result goes; - for standard output",
       .target = &arguments.output,
       .required = true},
      {"--upgrade", "", "Move constants out of the tables of old programs, and give them today's header",
       &arguments.upgrade},
      {.name = "--keep-method",
       .value = "METHOD",
       .purpose = "Remove all other methods but constant ones, and what only they used; once for each",
       .target = &arguments.keep_methods,
       .excludes = {{{"--remove-method"}, "give --keep-method or --remove-method, not both"}}},
      {"--remove-method", "METHOD", "Remove this method, and what only it used; once for each",
       &arguments.remove_methods},
      {"--rename-method", "OLD=NEW", "Call a method otherwise", &arguments.rename_methods},
      {"--add-methods", "PTE[:METHOD[=NEW]]", "Add the methods of another program, or one of them; once for each",
       &arguments.add_methods},
      {"--set-method", "NAME=VALUE", "Let a constant method return a number, true, false, a text or a list in [ ]",
       &arguments.set_methods},
      {"--remove-metadata", "KEY", "Remove the named data metadata.KEY", &arguments.remove_metadata},
      {"--remove-data", "REGEX", "Remove named data with this in its key", &arguments.remove_data},
      {"--rename-key", "OLD=NEW", "Call named data otherwise, in tensors and blobs too", &arguments.rename_keys},
      {"--set-metadata", "KEY=VALUE", "Store a text, int:N, float:N, ints:N,N or bytes:@FILE as metadata.KEY",
       &arguments.set_metadata},
      {"--add-data", "KEY=FILE", "Store a file as named data", &arguments.add_data},
      {"--replace", "NAME=FILE", "Other bytes for a constant or key: a .npy, or the bytes as they are stored",
       &arguments.replace},
      {"--refit", "FILE", "Other weights, from a .safetensors, for all contents that it has by name", &arguments.refit},
      {"--splat", "zeros|random:SEED", "Numbers instead of weights, to show a file without them", &arguments.splat}};
  rows.push_back(NamesOption(arguments.writing.names));
  return WithWriting(std::move(rows), arguments.writing, {.threads = "comparing contents"});
}

std::string Conflict(const GivenOptions& given, CopyArguments& arguments) {
  return WritingConflict(OptionTable(arguments), given, arguments.writing, arguments.output);
}

}  // namespace pteedit::cli
