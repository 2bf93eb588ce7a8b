// Files with edits, and what they are then: for the tests of Copy.
#ifndef PTEEDIT_TESTS_SUPPORT_EDITED_FILES_H_
#define PTEEDIT_TESTS_SUPPORT_EDITED_FILES_H_

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "pteedit/copy.h"
#include "pteedit/describe.h"
#include "pteedit/same.h"

namespace pteedit::test {

inline Container Copied(const Container& file, const CopyOptions& options) {
  const Result<CopyResult> copy = Copy(file, options);
  EXPECT_TRUE(copy) << (copy ? "" : copy.error().message);
  return copy ? *Container::Open(copy->file.AsSource("copy.pte")) : file;
}

inline std::string WhyNot(const Container& file, const CopyOptions& options) {
  const Result<CopyResult> copy = Copy(file, options);
  EXPECT_FALSE(copy);
  return copy ? "" : copy.error().message;
}

inline std::vector<std::string> MethodsOf(const Container& file) {
  std::vector<std::string> names;
  for (const MethodDescription& method : Describe(file).methods) names.push_back(method.name);
  return names;
}

inline bool Same(const Container& a, const Container& b) {
  const auto difference = FindDifference(a, b);
  EXPECT_TRUE(difference);
  if (difference && *difference) ADD_FAILURE() << (*difference)->where << ": " << (*difference)->message;
  return difference && !*difference;
}

}  // namespace pteedit::test

#endif  // PTEEDIT_TESTS_SUPPORT_EDITED_FILES_H_
