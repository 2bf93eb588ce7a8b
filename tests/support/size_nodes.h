// Size trees as tests need them.
#ifndef PTEEDIT_TESTS_SUPPORT_SIZE_NODES_H_
#define PTEEDIT_TESTS_SUPPORT_SIZE_NODES_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "pteedit/sizes.h"

namespace pteedit::test {

inline SizeNode Node(std::string name, uint64_t size, std::vector<SizeNode> components = {}) {
  SizeNode node;
  node.name = std::move(name);
  node.size = size;
  node.components = std::move(components);
  return node;
}

}  // namespace pteedit::test

#endif  // PTEEDIT_TESTS_SUPPORT_SIZE_NODES_H_
