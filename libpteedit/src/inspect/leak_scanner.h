// What in bytes tells of people and machines, without knowing what the bytes are.
#ifndef PTEEDIT_SRC_INSPECT_LEAK_SCANNER_H_
#define PTEEDIT_SRC_INSPECT_LEAK_SCANNER_H_

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pteedit/bytes.h"
#include "pteedit/leaks.h"

namespace pteedit {

class LeakScanner {
 public:
  // What is added from now on lies in `components`, its first byte at `offset`.
  void Begin(std::vector<std::string> components, uint64_t offset = 0);
  void Add(ByteSpan span);
  // The same of JSON, where what is escaped stands for itself or for a gap.
  void AddJson(std::string_view text);
  Leaks Finish() &&;

 private:
  void AddByte(char byte);
  void EndWord();
  void Look();

  std::vector<std::string> components_;
  uint64_t offset_ = 0, word_begin_ = 0;
  bool is_escaped_ = false;
  std::string word_;
  std::array<char, 3> before_ = {};
  std::map<std::pair<std::string, std::string>, Leak> by_text_;
  Leaks leaks_;
};

}  // namespace pteedit

#endif  // PTEEDIT_SRC_INSPECT_LEAK_SCANNER_H_
