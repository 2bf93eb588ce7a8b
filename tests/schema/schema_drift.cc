// Compares our schemas with those in an installed `executorch` package: schema_drift OUR_SCHEMA_FOLDER. The package's
// folder is in the environment, PTEEDIT_EXECUTORCH_DIR; without it there is nothing to compare with and the exit code
// is 77 (skipped). schema_drift --facts FILE.fbs prints what one schema says, for drift.py.
#include <cstdlib>
#include <iostream>
#include <string>
#include <string_view>

#include "schema_facts.h"

namespace {

constexpr int kSkipped = 77;

struct Pair {
  const char* ours;
  const char* theirs;
  bool is_part = false;  // ours leaves out what we do not look at
};

constexpr Pair kPairs[] = {
    {"scalar_type.fbs", "schema/scalar_type.fbs"},
    {"program.fbs", "schema/program.fbs"},
    {"flat_tensor.fbs", "extension/flat_tensor/serialize/flat_tensor.fbs"},
    {"bundled_program.fbs", "devtools/bundled_program/schema/bundled_program_schema.fbs"},
    {"xnnpack.fbs", "backends/xnnpack/serialization/runtime_schema.fbs"},
    {"vulkan.fbs", "backends/vulkan/serialization/schema.fbs", true},
    {"native.fbs", "backends/native/serialization/native_graph.fbs", true},
    {"mlx.fbs", "backends/mlx/serialization/schema.fbs", true},
    {"tosa.fbs", "backends/arm/tosa/schemas/tosa_1.1.fbs", true},
    {"qnn_options.fbs", "backends/qualcomm/serialization/qc_compiler_spec.fbs", true},
    {"enn_options.fbs", "backends/samsung/serialization/compile_options_def.fbs", true},
};

// The number of facts that drifted.
size_t Compare(const std::string& our_path, const std::string& their_path, bool is_part) {
  const auto ours = pteedit::test::ReadSchemaFacts(our_path);
  const auto theirs = pteedit::test::ReadSchemaFacts(their_path);
  const auto drift = is_part ? pteedit::test::FindDriftOfPart(ours, theirs) : pteedit::test::FindDrift(ours, theirs);
  for (const std::string& line : drift) std::cout << our_path << ": " << line << "\n";
  std::cout << our_path << ": " << ours.size() << " facts, " << drift.size() << " drifted\n";
  return drift.size();
}

int PrintFacts(const std::string& path) {
  try {
    for (const auto& [label, text] : pteedit::test::ReadSchemaFacts(path)) std::cout << label << ": " << text << "\n";
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "schema_drift: error: " << path << ": " << error.what() << "\n";
    return 1;
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 3 && std::string_view(argv[1]) == "--facts") return PrintFacts(argv[2]);
  if (argc != 2) {
    std::cerr << "usage: schema_drift OUR_SCHEMA_FOLDER | --facts FILE.fbs\n";
    return 2;
  }
  const char* package = std::getenv("PTEEDIT_EXECUTORCH_DIR");
  if (package == nullptr) {
    std::cout << "skipped: PTEEDIT_EXECUTORCH_DIR does not say where the executorch package is\n";
    return kSkipped;
  }
  try {
    size_t drifted = 0;
    for (const Pair& pair : kPairs) {
      drifted +=
          Compare(std::string(argv[1]) + "/" + pair.ours, std::string(package) + "/" + pair.theirs, pair.is_part);
    }
    return drifted == 0 ? 0 : 1;
  } catch (const std::exception& error) {
    std::cout << "schema_drift: error: " << error.what() << "\n";
    return 1;
  }
}
