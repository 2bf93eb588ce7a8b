// That what operations write is verified as clean as what they read. Each law returns what is wrong, or nothing; so it
// does where an operation is refused as unsupported.
#ifndef PTEEDIT_TESTS_PROPERTY_VERIFY_LAWS_H_
#define PTEEDIT_TESTS_PROPERTY_VERIFY_LAWS_H_

#include <string>
#include <vector>

#include "laws.h"
#include "pteedit/strip.h"

namespace pteedit::test {

// No error, and no warning but those that programs of any age and use have: keys that the program does not use, and
// constants in the tables.
std::string IsClean(const Files& files);

// Of no kind has `after` more errors than `before`, and where `before` is clean, so is `after`. Generated programs are
// rarely clean, but have hardly an error of the kinds that a rewrite could make.
std::string StaysClean(const Files& before, const Files& after);

// Where several became `after`, the errors of each may be there.
std::string StaysClean(const std::vector<Files>& before, const Files& after);

// The law for a split, and for what it wrote joined again.
std::string SplitAndJoinStayClean(const Files& files, const SplitOptions& options);

// The law for the program stripped, and with it each data file.
std::string StripStaysClean(const Files& files, const StripOptions& options);

}  // namespace pteedit::test

#endif  // PTEEDIT_TESTS_PROPERTY_VERIFY_LAWS_H_
