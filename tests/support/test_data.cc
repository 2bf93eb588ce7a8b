#include <string>

#include "test_files.h"

namespace pteedit::test {

std::string DataFolder() { return PTEEDIT_TEST_DATA; }

}  // namespace pteedit::test
