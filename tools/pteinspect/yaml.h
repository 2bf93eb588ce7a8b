// Text as the YAML library of Python writes it, byte for byte: quoted where another reading would be possible, folded
// behind column 80, ASCII only.
#ifndef PTEEDIT_TOOLS_PTEINSPECT_YAML_H_
#define PTEEDIT_TOOLS_PTEINSPECT_YAML_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace pteedit::cli {

// Where a text stands on its line.
struct YamlPlace {
  size_t column = 0;           // that the text begins in
  size_t indent = 0;           // of the lines that follow, where it is folded
  bool is_simple_key = false;  // then it is never folded
};

// The text as a scalar. Bytes that are no UTF-8 are written as Python writes such bytes of file names: "\uDCxx".
std::string YamlText(std::string_view text, const YamlPlace& place);

// Whether the text can be the key of a mapping in the short form, "key: value".
bool IsSimpleYamlKey(std::string_view text);

}  // namespace pteedit::cli

#endif  // PTEEDIT_TOOLS_PTEINSPECT_YAML_H_
