// Files on disk, and what is in them, for targets that write some.
#ifndef PTEEDIT_FUZZ_FILES_H_
#define PTEEDIT_FUZZ_FILES_H_

#include <fstream>
#include <iterator>
#include <string>

#include "fuzz_input.h"

namespace pteedit::fuzz {

inline std::string TextOf(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline std::string TextOf(const Source& source) {
  std::string text(static_cast<size_t>(source.size()), '\0');
  PromiseResult(source.Read(0, {reinterpret_cast<uint8_t*>(text.data()), text.size()}), "all of it can be read:");
  return text;
}

inline void WriteText(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

}  // namespace pteedit::fuzz

#endif  // PTEEDIT_FUZZ_FILES_H_
