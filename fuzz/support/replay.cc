// Runs a target over files and folders of files without a fuzzer: "replay_split FILE_OR_FOLDER...". Exit code 2 where
// there is nothing to run, so that a lost corpus is noticed.
#include <filesystem>
#include <fstream>
#include <iterator>

#include "fuzz_input.h"

namespace {

size_t Run(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::vector<char> bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  // Exactly as long as the file, so that a sanitizer sees a read behind it.
  const std::vector<uint8_t> exact(bytes.begin(), bytes.end());
  LLVMFuzzerTestOneInput(exact.data(), exact.size());
  return 1;
}

size_t RunAll(const std::filesystem::path& path) {
  if (!std::filesystem::is_directory(path)) return Run(path);
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(path)) {
    if (entry.is_regular_file()) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  for (const std::filesystem::path& file : files) {
    std::fprintf(stderr, "%s\n", file.filename().c_str());  // the last one named is the one that crashed
    Run(file);
  }
  return files.size();
}

}  // namespace

int main(int argc, char** argv) {
  size_t count = 0;
  for (int i = 1; i < argc; ++i) count += RunAll(argv[i]);
  std::printf("%zu inputs\n", count);
  return count == 0 ? 2 : 0;
}
