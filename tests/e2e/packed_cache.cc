// Has XNNPACK's delegate keep the weights of programs, packed as it likes them, in the file that it takes for that:
// packed_cache CACHE MODEL.pte... All are loaded at once, as the delegate adds to a file only then.
#include <executorch/extension/module/module.h>
#include <executorch/runtime/backend/backend_options_map.h>
#include <executorch/runtime/backend/options.h>
#include <executorch/runtime/platform/runtime.h>

#include <cstdio>
#include <list>

int main(int argc, char** argv) {
  using executorch::runtime::Error;
  if (argc < 3) {
    std::fputs("usage: packed_cache CACHE MODEL.pte...\n", stderr);
    return 2;
  }
  executorch::runtime::runtime_init();
  executorch::runtime::BackendOptions<2> options;
  executorch::runtime::LoadBackendOptionsMap map;
  const bool is_set = options.set_option("weight_cache_enabled", true) == Error::Ok &&
                      options.set_option("packed_cache_path", argv[1]) == Error::Ok &&
                      map.set_options("XnnpackBackend", options.view()) == Error::Ok;
  std::list<executorch::extension::Module> programs;
  for (int i = 2; i < argc; ++i) {
    executorch::extension::Module& program = programs.emplace_back(argv[i]);
    if (!is_set || program.load(map) != Error::Ok || program.load_forward() != Error::Ok) {
      std::fprintf(stderr, "packed_cache: error: %s: is not loaded\n", argv[i]);
      return 1;
    }
  }
  return 0;
}
