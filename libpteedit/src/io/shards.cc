#include "pteedit/shards.h"

#include <cstdio>

namespace pteedit {

std::string ShardName(const std::string& name, size_t index, size_t count) {
  if (count == 1) return name;
  const size_t dot = name.rfind('.'), slash = name.rfind('/');
  const bool has_extension = dot != std::string::npos && (slash == std::string::npos || dot > slash);
  const size_t stem = has_extension ? dot : name.size();
  char number[64];
  std::snprintf(number, sizeof(number), "-%05zu-of-%05zu", index + 1, count);
  return name.substr(0, stem) + number + name.substr(stem);
}

}  // namespace pteedit
